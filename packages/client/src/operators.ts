/** Calls of operators: people who come back under another identity, and people who leave. */
import type { ErasedAccount, HandedOver, HandOver, LinkedIdentity, LinkIdentity } from '@ulmus/wire'
import type { Transport } from './transport.ts'

export const operatorCalls = (transport: Transport) => {
  const place = (slug: string) => `/api/admin/accounts/${encodeURIComponent(slug)}`
  return {
    /** Lets an identity sign in as a user. @throws identity_taken (see `move`), account_not_found, not_a_user, not_an_operator */
    linkIdentity: async (slug: string, identity: LinkIdentity) => {
      const call = { method: 'POST', path: `${place(slug)}/identities`, json: identity } as const
      return (await transport.json<LinkedIdentity>(call)).body
    },
    /** Gives collections of a user to another account. @throws account_not_found, collection_not_found, not_a_user, not_an_operator */
    handOver: async (slug: string, what: HandOver) =>
      (await transport.json<HandedOver>({ method: 'POST', path: `${place(slug)}/transfer`, json: what }))
        .body,
    /** Erases a person. @throws has_public_collections unless `confirm` is true, account_not_found, not_a_user, not_an_operator */
    erase: async (slug: string, { confirm = false }: { confirm?: boolean } = {}) => {
      const path = `${place(slug)}${confirm ? '?confirm=true' : ''}`
      return (await transport.json<ErasedAccount>({ method: 'DELETE', path })).body
    },
  }
}
