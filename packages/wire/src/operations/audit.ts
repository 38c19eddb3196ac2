/** Operations that read an audit log, as pages and as a stream; no operation writes one. docs/design/http-api.md §11. */
import { z } from 'zod'
import { AuditEvent, AuditQuery, AuditStreamQuery } from '../audit.ts'
import { linesOf, operation } from '../operation.ts'
import { OrgPath } from '../paths.ts'

export const auditOperations = {
  'GET /api/accounts/:slug/audit': operation({
    id: 'listAudit',
    tag: 'audit',
    summary: 'List audit events',
    description:
      'Lists audit events of an organization, or events by or about a user, newest first: sign-ins, keys, members, collaborators, settings, collections, versions. Requires a session or a key with the `admin` scope, of an admin of the organization or of the user itself. An event is written in the same transaction as its action, so none is missing. Events are kept for 400 days by default.',
    entrance: { scope: 'admin', unlimited: true },
    params: OrgPath,
    query: AuditQuery,
    answers: { 200: z.array(AuditEvent) },
    answerWords: { 200: 'A page of events.' },
  }),
  'GET /api/accounts/:slug/audit.ndjson': operation({
    id: 'streamAudit',
    tag: 'audit',
    summary: 'Stream audit events as NDJSON',
    description:
      'Streams all events of an audit log, newest first, one JSON object per line. Requires the same as the list. To export regularly, set `after` to one minute before your newest event and skip ids that you already have: overlapping transactions can commit out of the order of their timestamps.',
    entrance: { scope: 'admin', unlimited: true },
    tagged: false,
    params: OrgPath,
    query: AuditStreamQuery,
    answers: { 200: linesOf(AuditEvent, 'One `AuditEvent` per line, newest first.') },
  }),
}
