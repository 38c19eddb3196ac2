/** Versions and what is in them, in words. */
import type { Description } from '../../openapi/routes.ts'

const reading = [
  'collection_not_found',
  'version_not_found',
  'version_withdrawn',
  'object_corrupt',
  'busy',
] as const

export const listVersions: Description = {
  operationId: 'listVersions',
  summary: 'Versions of a collection, newest first',
  description:
    'Lists the versions of a collection, the newest first. A public collection needs no credential. Counts and digests are those of what the caller may read: members read all, others the public view. A page has 50 versions unless `limit` says otherwise, and 100 at most.',
  answers: { 200: 'A page of versions. It is empty before the first version.' },
  codes: ['collection_not_found'],
}

export const version: Description = {
  operationId: 'getVersion',
  summary: 'A version with its metadata and schemas',
  description:
    'Answers a version with its whole metadata, the schema of each type and the number of records of each. A version is named by `latest`, its number or its digest. Unless it is withdrawn, a version named by number or digest never changes, so it can be cached. The records are at `…/records` and `…/records.ndjson`.',
  codes: reading,
}

export const withdraw: Description = {
  operationId: 'withdrawVersion',
  summary: 'Withdraw a version, so that it can no longer be read',
  description:
    'Withdraws a version. It needs the scope `write` and, in an organization, the role admin or owner. Its number is not reused, every call that reads it answers 410 with the reason, and `latest` is the newest version that is not withdrawn. With `erase`, the next sweep, which the operator can also run at once, deletes records, schemas, metadata and files that no other version of any collection uses; forks keep their data. A withdrawal cannot be undone. Repeating the request changes nothing, except that it can add `erase`.',
  answers: { 200: 'The version is withdrawn.' },
  codes: ['collection_not_found', 'version_not_found', 'not_a_member', 'key_limited', 'insufficient_role'],
}

export const deprecate: Description = {
  operationId: 'deprecateVersion',
  summary: 'Warn the readers of a version',
  description:
    'Sets a message why a version should no longer be used; `null` removes it. It needs the scope `write` and, in an organization, the role admin or owner. Nothing else changes: lists and details have `deprecated`, pages a line, and every answer that reads the version a `Deprecation` header with the instant (RFC 9745).',
  codes: [
    'collection_not_found',
    'version_not_found',
    'version_withdrawn',
    'not_a_member',
    'key_limited',
    'insufficient_role',
  ],
}

export const versionFiles: Description = {
  operationId: 'listVersionFiles',
  summary: 'Files of a version and the records that refer to them',
  description:
    'Lists all files of a version by hash, each with the records that refer to it. Only files that the caller may read are in it. The bytes are at `GET …/files/{hash}`.',
  answers: { 200: 'All files of the version. It is empty for a version without files.' },
  codes: reading,
}

export const manifest: Description = {
  operationId: 'getManifest',
  summary: 'Contents of a version by hash, or changes since another',
  description:
    'Answers the records of a version as type, id and hash, without their data. With `since` it returns as `delta` the changes since a version that the caller has. A page has 1,000 entries unless `limit` says otherwise, and 10,000 at most; `pagination.nextCursor` is the `cursor` of the next. A snapshot push takes the entries as they are.',
  codes: reading,
}

export const diff: Description = {
  operationId: 'getDiff',
  summary: 'A page of differences between two versions',
  description:
    'Answers the records that were added, updated and removed from the version `from` to the one in the path, with their data on both sides; the first page has the totals, the changes of schemas in words, and the part of the version number that such a change raises. `from` may be the newer one, and a version of another collection, `owner/slug@v1.0.0`: both are then read as members of both read them, or else as the public does. A page has 500 differences unless `limit` says otherwise, 2,000 at most, and fewer where the data is long; `pagination.nextCursor` is the `cursor` of the next. The cost depends on the differences, not on the size of the versions.',
  codes: reading,
}

export const diffStream: Description = {
  operationId: 'streamDiff',
  summary: 'All records that differ between two versions, as NDJSON',
  description:
    'Streams the records that were added, updated and removed from the version `from` to the one in the path, a JSON object a line, by type, then id. `type` and `change` filter the list. Changes of schemas, metadata and files are on the first page of `…/diff`.',
  codes: reading,
}

export const exported: Description = {
  operationId: 'exportVersion',
  summary: 'A whole version as a .tar.gz',
  description:
    'Streams a version as a tar archive compressed with gzip, the same bytes every time. It has `records/<Type>.ndjson`, in which each line is a canonical form that hashes to the hash of its record, `schemas/<Type>.json`, `files/<hex>` and, last, `manifest.json`. The manifest has the document of the version, whose hash is its digest. If an answer breaks off, its connection closes early.',
  codes: reading,
}

export const recordsPage: Description = {
  operationId: 'listRecords',
  summary: 'A page of records, by type and id',
  description:
    'Answers records with their data, by type, then id. `type`, one of those that the version has, and `id` filter the list. A page has 100 records unless `limit` says otherwise, 2,000 at most, and fewer where the data is long; `pagination.nextCursor` is the `after` of the next. To read a whole version, use `records.ndjson`: one request.',
  codes: ['type_not_found', ...reading],
}

export const oneRecord: Description = {
  operationId: 'getRecord',
  summary: 'One record, with its proof on request',
  description:
    'Answers one record of a version. Type and id are percent-encoded; an id that no path can carry, such as `..`, is found by `…/records?type=…&id=…`. An empty one is no id, and answered with 404. With `proof=true` the answer proves that the record belongs to the digest of the version: [verifying](/docs/verifying) explains the check.',
  codes: ['record_not_found', ...reading],
}

export const recordsStream: Description = {
  operationId: 'streamRecords',
  summary: 'All records, streamed as NDJSON',
  description:
    'Streams the records of a version, a JSON object a line, by type, then id. `type` filters them. `X-Record-Count` says how many lines follow, so that a broken connection is noticed. To resume, give as `after` the base64url of the JCS of `[type, id]` of the last record received.',
  codes: ['type_not_found', ...reading],
}

export const history: Description = {
  operationId: 'getRecordHistory',
  summary: 'The versions in which a record changed, newest first',
  description:
    'Lists the versions in which a record was added, updated or removed, the newest first. It is found also if the latest version no longer has it. One answer searches 300 versions at most, so a page may have fewer items than `limit`, perhaps none: follow `next` of the `Link` header to the end. An id or a type that no record can have, such as an empty one, is answered with 404 on every page.',
  answers: { 200: 'A page of changes.' },
  codes: ['collection_not_found', 'record_not_found', 'object_corrupt'],
}
