/** Records and their histories. http-api §7. */
import { z } from 'zod'
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

export const recordOperations = {
  'GET /api/collections/:owner/:slug/versions/:v/records': operation({
    id: 'listRecords',
    tag: 'records',
    summary: 'A page of records, by type and id',
    description:
      'Answers records with their data, by type, then id. `type`, one of those that the version has, and `id` filter the list. A page has 100 records unless `limit` says otherwise, 2,000 at most, and fewer where the data is long; `pagination.nextCursor` is the `after` of the next. To read a whole version, use `records.ndjson`: one request.',
    names: 'version',
    params: VersionPath,
    query: RecordsQuery,
    answers: { 200: RecordsPage },
    refusals: ['type_not_found', ...reading],
  }),
  'GET /api/collections/:owner/:slug/versions/:v/records/:type/:id': operation({
    id: 'getRecord',
    tag: 'records',
    summary: 'One record, with its proof on request',
    description:
      'Answers one record of a version. Type and id are percent-encoded; an id that no path can carry, such as `..`, is found by `…/records?type=…&id=…`. An empty one is no id, and answered with 404. With `proof=true` the answer proves that the record belongs to the digest of the version: [verifying](/docs/verifying) explains the check.',
    names: 'version',
    params: RecordPath,
    query: RecordQuery,
    answers: { 200: ProvenRecord },
    refusals: ['record_not_found', ...reading],
  }),
  'GET /api/collections/:owner/:slug/versions/:v/records.ndjson': operation({
    id: 'streamRecords',
    tag: 'records',
    summary: 'All records, streamed as NDJSON',
    description:
      'Streams the records of a version, a JSON object a line, by type, then id. `type` filters them. `X-Record-Count` says how many lines follow, so that a broken connection is noticed. To resume, give as `after` the base64url of the JCS of `[type, id]` of the last record received.',
    names: 'version',
    params: VersionPath,
    query: RecordsStreamQuery,
    answers: { 200: linesOf(CollectionRecord, 'A `Record` a line. `X-Record-Count` says how many follow.') },
    refusals: ['type_not_found', ...reading],
  }),
  'GET /api/collections/:owner/:slug/records/:type/:id/history': operation({
    id: 'getRecordHistory',
    tag: 'records',
    summary: 'The versions in which a record changed, newest first',
    description:
      'Lists the versions in which a record was added, updated or removed, the newest first. It is found also if the latest version no longer has it. One answer searches 300 versions at most, so a page may have fewer items than `limit`, perhaps none: follow `next` of the `Link` header to the end. An id or a type that no record can have, such as an empty one, is answered with 404 on every page.',
    params: HistoryPath,
    query: HistoryQuery,
    answers: { 200: z.array(HistoryItem) },
    answerWords: { 200: 'A page of changes.' },
    refusals: ['collection_not_found', 'record_not_found', 'object_corrupt'],
  }),
}
