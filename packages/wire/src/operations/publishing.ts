/** Operations on trusted publishers, and the exchange of their tokens. docs/design/http-api.md §14. */
import { operation } from '../operation.ts'
import { CollectionPath, PublisherPath } from '../paths.ts'
import {
  ChangePublisher,
  CreatePublisher,
  ExchangedToken,
  exampleExchange,
  Publisher,
  Publishers,
} from '../publishing.ts'
import { Done } from '../text.ts'

const entrance = { scope: 'admin' } as const

export const publishingOperations = {
  'GET /api/collections/:owner/:slug/publishers': operation({
    id: 'listPublishers',
    tag: 'publishing',
    summary: 'List trusted publishers',
    description:
      'Lists the trusted publishers of a collection, oldest first, and the issuers that the operator trusts. Requires the `admin` scope and, in an organization, the role admin or owner; or the grant `admin`.',
    entrance,
    params: CollectionPath,
    answers: { 200: Publishers },
  }),
  'POST /api/collections/:owner/:slug/publishers': operation({
    id: 'createPublisher',
    tag: 'publishing',
    summary: 'Add a trusted publisher',
    description:
      'Lets jobs whose tokens have these claims push to the collection without a stored key: they exchange a token at `POST /auth/exchange`. If the claims identify the project by name alone, the first token pins its ids, and a later project of the same name is refused. A collection can have 20. Requires the `admin` scope and, in an organization, the role admin or owner; or the grant `admin`.',
    entrance,
    params: CollectionPath,
    body: CreatePublisher,
    answers: { 201: Publisher },
    refusals: ['too_many_publishers', 'issuer_not_trusted', 'publishing_unavailable'],
  }),
  'GET /api/collections/:owner/:slug/publishers/:id': operation({
    id: 'getPublisher',
    tag: 'publishing',
    summary: 'Get a trusted publisher',
    description:
      'Returns a trusted publisher, with the ids that it has pinned. Requires the `admin` scope and, in an organization, the role admin or owner; or the grant `admin`.',
    entrance,
    params: PublisherPath,
    answers: { 200: Publisher },
    refusals: ['publisher_not_found'],
  }),
  'PATCH /api/collections/:owner/:slug/publishers/:id': operation({
    id: 'updatePublisher',
    tag: 'publishing',
    summary: 'Change a trusted publisher',
    description:
      'Changes a trusted publisher; omitted fields stay as they are. Any other change than of the label revokes its keys. The pinned ids stay unless the claims name another project.',
    entrance,
    params: PublisherPath,
    body: ChangePublisher,
    answers: { 200: Publisher },
    refusals: ['publisher_not_found', 'issuer_not_trusted'],
  }),
  'DELETE /api/collections/:owner/:slug/publishers/:id': operation({
    id: 'removePublisher',
    tag: 'publishing',
    summary: 'Remove a trusted publisher',
    description: 'Removes a trusted publisher and revokes its keys. Versions that it made stay.',
    entrance,
    params: PublisherPath,
    answers: { 200: Done },
    refusals: ['publisher_not_found'],
  }),
  'POST /auth/exchange': operation({
    id: 'exchangeToken',
    tag: 'publishing',
    summary: 'Exchange a job’s token for a key',
    description:
      'Exchanges the token of a job (OpenID Connect) for a key of a collection that lasts some minutes (RFC 8693). The only audience of the token must be the address of this registry, and each token can be exchanged once within 10 minutes of its issue. Refusals have the members `error` and `error_description` of OAuth. A token that no trusted publisher accepts is refused in the same way whether the collection exists or not; `presented` has its claims.',
    credentials: false,
    limited: 'sign-in',
    body: {
      description: 'A form with the token and the collection.',
      content: {
        'application/x-www-form-urlencoded': {
          schema: { $ref: '#/components/schemas/ExchangeForm' },
          example: exampleExchange,
        },
      },
    },
    answers: { 200: ExchangedToken },
    refusals: ['invalid_grant', 'publishing_unavailable'],
  }),
}
