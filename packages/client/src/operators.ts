/** Calls for operators: identities and erasure of people, hidden collections, reports. */
import type { CloseReport, HandOver, LinkIdentity } from '@ulmus/wire'
import { call, readPage } from './calls.ts'
import type { PageOptions } from './lists.ts'
import type { Transport } from './transport.ts'

export const operatorCalls = (transport: Transport) => ({
  /** Lets another identity sign in as a user. @throws identity_taken (see `move`), account_not_found, not_a_user, not_an_operator */
  linkIdentity: (slug: string, identity: LinkIdentity) =>
    call(transport, 'POST /api/admin/accounts/:slug/identities', { slug }, { json: identity }),
  /** Transfers a user's collections to another account. @throws account_not_found, collection_not_found, not_a_user, not_an_operator */
  handOver: (slug: string, what: HandOver) =>
    call(transport, 'POST /api/admin/accounts/:slug/transfer', { slug }, { json: what }),
  /** Hides a public collection from all but its members and collaborators, who read the reason. @throws collection_not_found, not_an_operator */
  hide: (owner: string, slug: string, reason: string) =>
    call(transport, 'POST /api/admin/collections/:owner/:slug/hide', { owner, slug }, { json: { reason } }),
  /** Shows a hidden collection again. @throws collection_not_found, not_an_operator */
  show: (owner: string, slug: string) =>
    call(transport, 'POST /api/admin/collections/:owner/:slug/show', { owner, slug }),
  /** A page of the reports about collections: open ones first, then closed ones. @throws not_an_operator */
  reports: (options: PageOptions = {}) =>
    readPage(transport, 'GET /api/admin/reports', {}, { query: options }),
  /** Closes a report. @throws report_not_found, not_an_operator */
  closeReport: (id: string, outcome: CloseReport) =>
    call(transport, 'POST /api/admin/reports/:id/close', { id }, { json: outcome }),
  /** Erases a person. @throws has_public_collections unless `confirm` is true, account_not_found, not_a_user, not_an_operator */
  erase: (slug: string, { confirm = false }: { confirm?: boolean } = {}) =>
    call(
      transport,
      'DELETE /api/admin/accounts/:slug',
      { slug },
      { query: { confirm: confirm ? 'true' : undefined } },
    ),
})
