/** Trusted publishers of collections, and the exchange of a job's token for a key. http-api §14. */
import type { ChangePublisher, CreatePublisher } from '@ulmus/wire'
import { call } from './calls.ts'
import { type CollectionRef, partsOf } from './places.ts'
import type { Transport } from './transport.ts'

/** Names of RFC 8693. Values of the wire package would bring its shapes, with zod, into the bundle. */
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
const idTokenType = 'urn:ietf:params:oauth:token-type:id_token'

export const publisherCalls = (transport: Transport) => ({
  /** All trusted publishers, and the issuers that the operator trusts. @throws insufficient_scope, insufficient_role */
  list: async (ref: CollectionRef) =>
    call(transport, 'GET /api/collections/:owner/:slug/publishers', partsOf(ref)),
  get: async (ref: CollectionRef, id: string) =>
    call(transport, 'GET /api/collections/:owner/:slug/publishers/:id', { ...partsOf(ref), id }),
  /** Lets jobs with these claims push. @throws issuer_not_trusted, too_many_publishers, publishing_unavailable */
  add: async (ref: CollectionRef, publisher: CreatePublisher) =>
    call(transport, 'POST /api/collections/:owner/:slug/publishers', partsOf(ref), { json: publisher }),
  /** Changes a publisher, and revokes its keys unless only the label changes. @throws publisher_not_found */
  change: async (ref: CollectionRef, id: string, changes: ChangePublisher) =>
    call(
      transport,
      'PATCH /api/collections/:owner/:slug/publishers/:id',
      { ...partsOf(ref), id },
      { json: changes },
    ),
  /** Removes a publisher and revokes its keys. @throws publisher_not_found */
  remove: async (ref: CollectionRef, id: string) =>
    call(transport, 'DELETE /api/collections/:owner/:slug/publishers/:id', { ...partsOf(ref), id }),
  /**
   * Exchanges the token of a job for a key of the collection: `access_token`, an API key for another client. Each token works once.
   * @throws UlmusError `invalid_grant`; its `body.presented` has the claims of the token
   */
  exchange: async (ref: CollectionRef, token: string) => {
    const { owner, slug } = partsOf(ref)
    const form = new URLSearchParams({
      ...{ grant_type: exchangeGrant, subject_token: token },
      ...{ subject_token_type: idTokenType, audience: `${owner}/${slug}` },
    })
    const raw = {
      body: new TextEncoder().encode(String(form)),
      contentType: 'application/x-www-form-urlencoded',
    }
    return call(transport, 'POST /auth/exchange', {}, { raw })
  },
})
