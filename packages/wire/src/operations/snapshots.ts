/** Snapshot pushes. http-api §9. */
import { z } from 'zod'
import { exampleManifest, exampleSnapshotRecords } from '../examples.ts'
import { linesOf, operation } from '../operation.ts'
import { CollectionPath, PushPath } from '../paths.ts'
import { RecordLine } from '../pushes.ts'
import {
  ManifestEntry,
  ManifestReceived,
  Negotiate,
  Negotiated,
  NegotiatedInChunks,
  SnapshotReceived,
} from '../snapshots.ts'
import { batch, cancel, commit, opening, state } from './push-sessions.ts'

const snapshot = {
  tag: 'snapshots',
  what: 'snapshot push',
  before: 'after the manifest came whole and all records and files that it needs were sent',
}

export const snapshotOperations = {
  'POST /api/collections/:owner/:slug/versions/negotiate': operation({
    id: 'openSnapshot',
    tag: 'snapshots',
    summary: 'Open a snapshot by its manifest',
    description:
      'Step 1 of a snapshot push. `base_version` is the latest version, null before the first, and `schemas` the complete set; `confirm_public` names the private fields and types that it makes public. `manifest` names every record of the new version by its hash: those that it leaves out are removed. It may have 500,000 entries and the body 128 MiB; for more give `manifest_expected` instead, and send chunks to `…/{session_id}/manifest`. `private: true` is said anew in every snapshot. Next, send the records that `needed_records` names.',
    entrance: { scope: 'write' },
    params: CollectionPath,
    body: Negotiate,
    answers: { 200: z.union([Negotiated, NegotiatedInChunks]) },
    answerWords: { 200: 'The session: with the records to send, or with where to send the manifest.' },
    refusals: [...opening, 'manifest_conflict', 'invalid_records'],
  }),
  'POST /api/collections/:owner/:slug/versions/negotiate/:id/manifest': operation({
    id: 'sendManifest',
    tag: 'snapshots',
    summary: 'Send a chunk of the manifest',
    description:
      'Step 1, continued, of a snapshot that was opened with `manifest_expected`. Each line is an entry of the manifest: type, id, hash and, of a private record, `private`. A chunk has 50,000 lines and 64 MiB at most; to send one again is harmless. The answer names the records of the chunk that the base version lacks: send those before the commit.',
    entrance: { scope: 'write' },
    params: PushPath,
    body: linesOf(ManifestEntry, 'An entry of the manifest on each line.', exampleManifest.slice(2)),
    answers: { 200: ManifestReceived },
    refusals: [...batch, 'manifest_conflict'],
  }),
  'POST /api/collections/:owner/:slug/versions/negotiate/:id/records': operation({
    id: 'sendSnapshotRecords',
    tag: 'snapshots',
    summary: 'Send records that the base version lacks',
    description:
      'Step 2 of a snapshot push, after its manifest and before the commit. Each line is a record whose hash the manifest has. A request has 10,000 lines and 128 MiB at most; there may be any number of them, in any order. If one line is refused, none of the request is stored. When `remaining` is 0 and the files are uploaded, commit.',
    entrance: { scope: 'write' },
    params: PushPath,
    body: linesOf(RecordLine, 'A record that the manifest names on each line.', exampleSnapshotRecords),
    answers: { 200: SnapshotReceived },
    refusals: [...batch, 'schema_violation', 'unexpected_record'],
  }),
  'POST /api/collections/:owner/:slug/versions/negotiate/:id/commit': commit({
    ...snapshot,
    id: 'commitSnapshot',
    refusals: ['manifest_incomplete', 'manifest_conflict', 'records_missing'],
  }),
  'GET /api/collections/:owner/:slug/versions/negotiate/:id': state({ ...snapshot, id: 'getSnapshot' }),
  'DELETE /api/collections/:owner/:slug/versions/negotiate/:id': cancel({
    ...snapshot,
    id: 'cancelSnapshot',
  }),
}
