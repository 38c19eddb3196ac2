/** Delta pushes. http-api §9. */
import { exampleDeletes, exampleRecords } from '../examples.ts'
import { linesOf, operation } from '../operation.ts'
import { CollectionPath, PushPath } from '../paths.ts'
import { BatchReceived, DeleteLine, OpenedPush, OpenPush, RecordLine } from '../pushes.ts'
import { batch, cancel, commit, opening, state } from './push-sessions.ts'

const delta = { tag: 'pushes', what: 'delta push', before: 'after all lines and files were sent' }

export const pushOperations = {
  'POST /api/collections/:owner/:slug/pushes': operation({
    id: 'openPush',
    tag: 'pushes',
    summary: 'Open a push session',
    description:
      'Step 1 of a delta push. `base_version` is the latest version, null before the first. `schemas`, if given, is the complete set: a missing type is removed with its records; a first version needs one for every type, and `confirm_public` names the private fields and types that it makes public. `metadata` is merged into that of the base. Schemas may have 4 MiB in canonical form, metadata 2 MiB, what comes beside these and `files` 256 KiB, the body 32 MiB, and an account 100 open sessions unless the operator set another number. Next, send lines to `…/pushes/{session_id}/records` and `…/deletes`.',
    entrance: { scope: 'write' },
    params: CollectionPath,
    body: OpenPush,
    answers: { 201: OpenedPush },
    refusals: opening,
  }),
  'POST /api/collections/:owner/:slug/pushes/:id/records': operation({
    id: 'pushRecords',
    tag: 'pushes',
    summary: 'Send records, a line each',
    description:
      'Step 2 of a delta push, after opening it and before the commit. Each line is a record to put, which replaces one of the same type and id. A request has 10,000 lines and 128 MiB at most; there may be any number of them, in any order, and of several lines for one type and id the last one counts. If one line is refused, none of the request is stored. Send files that records refer to by `PUT …/files/{hash}`, then commit.',
    entrance: { scope: 'write' },
    params: PushPath,
    body: linesOf(RecordLine, 'A record to put on each line.', exampleRecords),
    answers: { 200: BatchReceived },
    refusals: [...batch, 'schema_violation'],
  }),
  'POST /api/collections/:owner/:slug/pushes/:id/deletes': operation({
    id: 'pushDeletes',
    tag: 'pushes',
    summary: 'Send deletes, a line each',
    description:
      'Step 2 of a delta push, after opening it and before the commit. Each line names a record to remove by type and id; a missing one is skipped. Requests of records and deletes may be mixed, and of several lines for one type and id the last one counts. A request has 10,000 lines and 128 MiB at most. If one line is refused, none of the request is stored.',
    entrance: { scope: 'write' },
    params: PushPath,
    body: linesOf(DeleteLine, 'A record to remove on each line.', exampleDeletes),
    answers: { 200: BatchReceived },
    refusals: batch,
  }),
  'POST /api/collections/:owner/:slug/pushes/:id/commit': commit({ ...delta, id: 'commitPush' }),
  'GET /api/collections/:owner/:slug/pushes/:id': state({ ...delta, id: 'getPush' }),
  'DELETE /api/collections/:owner/:slug/pushes/:id': cancel({ ...delta, id: 'cancelPush' }),
}
