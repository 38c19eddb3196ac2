/** Operations that read records of a version, single or many, and a record's history. docs/design/http-api.md §7. */
import { z } from 'zod'
import { ErasedRecord, EraseRecord, RecordErasure } from '../erasures.ts'
import { HistoryItem } from '../histories.ts'
import { HistoryQuery } from '../lists.ts'
import { linesOf, operation } from '../operation.ts'
import { HistoryPath, RecordPath, VersionPath } from '../paths.ts'
import {
  CollectionRecord,
  ProvenRecord,
  RecordQuery,
  RecordsPage,
  RecordsQuery,
  RecordsStreamQuery,
} from '../records.ts'
import { reading } from './versions.ts'

/** Refusals of the removal of a record and of its preview. */

export const recordOperations = {
  'GET /api/collections/:owner/:slug/versions/:v/records': operation({
    id: 'listRecords',
    tag: 'records',
    summary: 'List records of a version',
    description:
      'Lists records with their data, by type, then id. Filter with `type`, which must exist in the version, and `id`. A page can be shorter than `limit` if the data is long; pass `pagination.nextCursor` as `after` to get the next page. To read a whole version in one request, use `records.ndjson`.',
    names: 'version',
    params: VersionPath,
    query: RecordsQuery,
    answers: { 200: RecordsPage },
    refusals: ['type_not_found', ...reading],
  }),
  'GET /api/collections/:owner/:slug/versions/:v/records/:type/:id': operation({
    id: 'getRecord',
    tag: 'records',
    summary: 'Get a record',
    description:
      'Returns one record of a version. Percent-encode type and id; find an id that no path can carry, such as `..`, with `…/records?type=…&id=…`. An empty id gets 404. With `proof=true` the answer proves that the record belongs to the digest of the version: [verifying](/docs/verifying) explains the check.',
    names: 'version',
    params: RecordPath,
    query: RecordQuery,
    answers: { 200: ProvenRecord },
    refusals: ['record_not_found', ...reading],
  }),
  'GET /api/collections/:owner/:slug/versions/:v/records.ndjson': operation({
    id: 'streamRecords',
    tag: 'records',
    summary: 'Stream all records as NDJSON',
    description:
      'Streams the records of a version, one JSON object per line, by type, then id. Filter with `type`. `X-Record-Count` is the number of lines, to detect a broken connection. To resume, pass as `after` the base64url of the JCS of `[type, id]` of the last record received.',
    names: 'version',
    params: VersionPath,
    query: RecordsStreamQuery,
    answers: {
      200: linesOf(CollectionRecord, 'One `Record` per line; `X-Record-Count` is the number of lines.'),
    },
    refusals: ['type_not_found', ...reading],
  }),
  'GET /api/collections/:owner/:slug/records/:type/:id/history': operation({
    id: 'getRecordHistory',
    tag: 'records',
    summary: 'List changes of a record',
    description:
      'Lists the versions in which a record was added, updated or removed, newest first, even if the latest version no longer has it. An answer searches at most 300 versions, so a page can be shorter than `limit` or empty: follow `next` in the `Link` header to the end. A type or id that no record can have, such as an empty one, gets 404.',
    params: HistoryPath,
    query: HistoryQuery,
    answers: { 200: z.array(HistoryItem) },
    answerWords: { 200: 'A page of changes.' },
    refusals: ['record_not_found', 'object_corrupt'],
  }),
  'GET /api/collections/:owner/:slug/records/:type/:id/erasure': operation({
    id: 'previewRecordErasure',
    tag: 'records',
    summary: 'Preview the removal of a record from all versions',
    description:
      'Lists the versions that have the record, also those that are withdrawn and still stored, and what the removal would do. Requires the permission to withdraw: the `admin` scope and, in an organization, the role admin or owner.',
    entrance: { scope: 'admin' },
    params: HistoryPath,
    answers: { 200: RecordErasure },
    refusals: ['record_not_found', 'object_corrupt'],
  }),
  'POST /api/collections/:owner/:slug/records/:type/:id/erase': operation({
    id: 'eraseRecord',
    tag: 'records',
    summary: 'Remove a record from all versions',
    description:
      'If the latest version has the record, publishes a version without it. Then withdraws and erases every version that has it, because a version is bound to its digest and cannot lose a single record. The next sweep deletes the record, and everything else that only these versions have. Forks, downloads and backups keep the record. This cannot be undone. If the answer is lost, repeat the request with the new `latest`: it continues, or gets 404 when nothing is left.',
    entrance: { scope: 'admin' },
    params: HistoryPath,
    body: EraseRecord,
    answers: { 200: ErasedRecord },
    answerWords: { 200: 'Removed.' },
    refusals: [
      'record_not_found',
      'version_conflict',
      'publishers_only',
      'quota_exceeded',
      'too_many_pushes',
      'object_corrupt',
    ],
  }),
}
