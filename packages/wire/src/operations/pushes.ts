/** Operations of a delta push in the order of its steps: open, send lines, commit. docs/design/http-api.md §9. */
import { exampleDeletes, exampleRecords } from '../examples.ts'
import { linesOf, operation } from '../operation.ts'
import { CollectionPath, PushPath } from '../paths.ts'
import { BatchReceived, DeleteLine, OpenedPush, OpenPush, RecordLine } from '../pushes.ts'
import { batch, cancel, commit, opening, state } from './push-sessions.ts'

const delta = { tag: 'pushes', what: 'delta push', before: 'after all lines and files are sent' }

export const pushOperations = {
  'POST /api/collections/:owner/:slug/pushes': operation({
    id: 'openPush',
    tag: 'pushes',
    summary: 'Open a delta push',
    description:
      'Step 1 of a delta push. `base_version` is the latest version, or null before the first. `schemas` has new and changed types, and null for types to remove with their records: types that it does not name stay, and `confirm_public` must name private fields and types that become public. `metadata` is merged into that of the base version. Limits: body 32 MiB, schemas 4 MiB in canonical form, metadata 2 MiB, all fields other than schemas, metadata and `files` 256 KiB together, and 100 open sessions for an account by default. Next, send lines to `…/pushes/{session_id}/records` and `…/deletes`.',
    entrance: { scope: 'write' },
    params: CollectionPath,
    body: OpenPush,
    answers: { 201: OpenedPush },
    refusals: opening,
  }),
  'POST /api/collections/:owner/:slug/pushes/:id/records': operation({
    id: 'pushRecords',
    tag: 'pushes',
    summary: 'Send records',
    description:
      'Step 2 of a delta push. Each NDJSON line is a record, which replaces a record of the same type and id. Send up to 10,000 lines and 128 MiB in a request, and any number of requests in any order; of several lines for one type and id, the last one counts. If a line is refused, nothing of the request is stored. Upload the files of the records with `PUT …/files/{hash}`, then commit.',
    entrance: { scope: 'write' },
    params: PushPath,
    body: linesOf(RecordLine, 'One record per line.', exampleRecords),
    answers: { 200: BatchReceived },
    refusals: [...batch, 'schema_violation'],
  }),
  'POST /api/collections/:owner/:slug/pushes/:id/deletes': operation({
    id: 'pushDeletes',
    tag: 'pushes',
    summary: 'Send deletes',
    description:
      'Step 2 of a delta push. Each NDJSON line names a record to remove by type and id; missing records are skipped. Send up to 10,000 lines and 128 MiB in a request, before, after or between requests of records; of several lines for one type and id, the last one counts. If a line is refused, nothing of the request is stored. Then commit.',
    entrance: { scope: 'write' },
    params: PushPath,
    body: linesOf(DeleteLine, 'One record to remove per line.', exampleDeletes),
    answers: { 200: BatchReceived },
    refusals: batch,
  }),
  'POST /api/collections/:owner/:slug/pushes/:id/commit': commit({ ...delta, id: 'commitPush' }),
  'GET /api/collections/:owner/:slug/pushes/:id': state({ ...delta, id: 'getPush' }),
  'DELETE /api/collections/:owner/:slug/pushes/:id': cancel({ ...delta, id: 'cancelPush' }),
}
