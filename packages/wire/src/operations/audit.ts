/** The audit log. http-api §11. */
import { z } from 'zod'
import { AuditEvent, AuditQuery, AuditStreamQuery } from '../audit.ts'
import { linesOf, operation } from '../operation.ts'
import { OrgPath } from '../paths.ts'

export const auditOperations = {
  'GET /api/accounts/:slug/audit': operation({
    id: 'listAudit',
    tag: 'audit',
    summary: 'Who did what',
    description:
      'Lists what was done in an organization, or by and to a user, the newest first: sign-ins, keys, members, settings, collections, versions. It needs a session or a key with the scope `admin`, of an admin of the organization or of the user itself. Each event was written by the transaction of the act, so there is no act without its event. They are kept for 400 days unless the operator set another number. A page has 50 events unless `limit` says otherwise, and 100 at most.',
    entrance: { scope: 'admin', unlimited: true },
    params: OrgPath,
    query: AuditQuery,
    answers: { 200: z.array(AuditEvent) },
    answerWords: { 200: 'A page of events.' },
    refusals: ['account_not_found', 'not_a_member', 'insufficient_role'],
  }),
  'GET /api/accounts/:slug/audit.ndjson': operation({
    id: 'streamAudit',
    tag: 'audit',
    summary: 'Who did what, as NDJSON',
    description:
      'Answers all events of an audit log as lines, the newest first, in memory that does not grow with their number. It needs what the list needs. To collect them elsewhere, ask with `after` set to a minute before your newest event, and leave out ids that you have: transactions that overlap may end out of the order of their instants.',
    entrance: { scope: 'admin', unlimited: true },
    tagged: false,
    params: OrgPath,
    query: AuditStreamQuery,
    answers: { 200: linesOf(AuditEvent, 'An `AuditEvent` a line, the newest first.') },
    refusals: ['account_not_found', 'not_a_member', 'insufficient_role'],
  }),
}
