/** Snapshot pushes, in words. */
import type { Description } from '../../openapi/routes.ts'
import { batch, opening } from './pushes.ts'

export const negotiate: Description = {
  operationId: 'openSnapshot',
  summary: 'Open a snapshot by its manifest',
  description:
    'Step 1 of a snapshot push. `base_version` is the latest version, null before the first, and `schemas` the complete set; `confirm_public` names the private fields and types that it makes public. `manifest` names every record of the new version by its hash: those that it leaves out are removed. It may have 500,000 entries and the body 128 MiB; for more give `manifest_expected` instead, and send chunks to `…/{session_id}/manifest`. `private: true` is said anew in every snapshot. Next, send the records that `needed_records` names.',
  answers: { 200: 'The session: with the records to send, or with where to send the manifest.' },
  codes: [...opening, 'manifest_conflict', 'invalid_records'],
}

export const sendManifest: Description = {
  operationId: 'sendManifest',
  summary: 'Send a chunk of the manifest',
  description:
    'Step 1, continued, of a snapshot that was opened with `manifest_expected`. Each line is an entry of the manifest: type, id, hash and, of a private record, `private`. A chunk has 50,000 lines and 64 MiB at most; to send one again is harmless. The answer names the records of the chunk that the base version lacks: send those before the commit.',
  codes: [...batch, 'manifest_conflict'],
}

export const sendSnapshotRecords: Description = {
  operationId: 'sendSnapshotRecords',
  summary: 'Send records that the base version lacks',
  description:
    'Step 2 of a snapshot push, after its manifest and before the commit. Each line is a record whose hash the manifest has. A request has 10,000 lines and 128 MiB at most; there may be any number of them, in any order. If one line is refused, none of the request is stored. When `remaining` is 0 and the files are uploaded, commit.',
  codes: [...batch, 'schema_violation', 'unexpected_record'],
}
