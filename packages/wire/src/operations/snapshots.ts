/** Operations of a snapshot push in the order of its steps: negotiate, send manifest and records, commit. docs/design/http-api.md §9. */
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
  before: 'after the whole manifest and all records and files that it needs are sent',
}

export const snapshotOperations = {
  'POST /api/collections/:owner/:slug/versions/negotiate': operation({
    id: 'openSnapshot',
    tag: 'snapshots',
    summary: 'Open a snapshot push',
    description:
      'Step 1 of a snapshot push. `base_version` is the latest version, or null before the first; `schemas` is the complete set, and `confirm_public` must name private fields and types that become public. `manifest` lists every record of the new version by hash; omitted records are removed, and `private: true` must be repeated in every snapshot. Limits: 500,000 entries in `manifest` and 128 MiB for the body. For more entries, set `manifest_expected` instead and send chunks to `…/{session_id}/manifest`. Next, send the records that `needed_records` lists.',
    entrance: { scope: 'write' },
    params: CollectionPath,
    body: Negotiate,
    answers: { 200: z.union([Negotiated, NegotiatedInChunks]) },
    answerWords: { 200: 'The session, with the records to send or the path for the manifest.' },
    refusals: [...opening, 'manifest_conflict', 'invalid_records'],
  }),
  'POST /api/collections/:owner/:slug/versions/negotiate/:id/manifest': operation({
    id: 'sendManifest',
    tag: 'snapshots',
    summary: 'Send a chunk of the manifest',
    description:
      'Step 1, continued, of a snapshot opened with `manifest_expected`. Each NDJSON line is an entry: type, id, hash and, for a private record, `private`. A chunk has at most 50,000 lines and 64 MiB; sending it again is harmless. Returns the records of the chunk that the base version lacks: send them before the commit.',
    entrance: { scope: 'write' },
    params: PushPath,
    body: linesOf(ManifestEntry, 'One entry of the manifest per line.', exampleManifest.slice(2)),
    answers: { 200: ManifestReceived },
    refusals: [...batch, 'manifest_conflict'],
  }),
  'POST /api/collections/:owner/:slug/versions/negotiate/:id/records': operation({
    id: 'sendSnapshotRecords',
    tag: 'snapshots',
    summary: 'Send missing records',
    description:
      'Step 2 of a snapshot push, after the manifest. Each NDJSON line is a record whose hash is in the manifest. Send up to 10,000 lines and 128 MiB in a request, and any number of requests in any order. If a line is refused, nothing of the request is stored. When `remaining` is 0 and the files are uploaded, commit.',
    entrance: { scope: 'write' },
    params: PushPath,
    body: linesOf(RecordLine, 'One record of the manifest per line.', exampleSnapshotRecords),
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
