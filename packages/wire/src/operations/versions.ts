/** Versions, their manifests and their differences. http-api §7. */
import { z } from 'zod'
import { DiffLine, DiffPage, DiffQuery, DiffStreamQuery } from '../diffs.ts'
import { VersionFile } from '../files.ts'
import { VersionListQuery } from '../lists.ts'
import { Manifest, ManifestQuery } from '../manifests.ts'
import { linesOf, operation } from '../operation.ts'
import { CollectionPath, VersionPath } from '../paths.ts'
import { Done } from '../text.ts'
import { DeprecateVersion, Version, VersionItem, WithdrawnVersion, WithdrawVersion } from '../versions.ts'

/** Refusals of every operation that reads a version. */
export const reading = [
  'collection_not_found',
  'version_not_found',
  'version_withdrawn',
  'object_corrupt',
  'busy',
] as const

export const versionOperations = {
  'GET /api/collections/:owner/:slug/versions': operation({
    id: 'listVersions',
    tag: 'versions',
    summary: 'Versions of a collection, newest first',
    description:
      'Lists the versions of a collection, the newest first. A public collection needs no credential. Counts and digests are those of what the caller may read: members read all, others the public view. A page has 50 versions unless `limit` says otherwise, and 100 at most.',
    params: CollectionPath,
    query: VersionListQuery,
    answers: { 200: z.array(VersionItem) },
    answerWords: { 200: 'A page of versions. It is empty before the first version.' },
    refusals: ['collection_not_found'],
  }),
  'GET /api/collections/:owner/:slug/versions/:v': operation({
    id: 'getVersion',
    tag: 'versions',
    summary: 'A version with its metadata and schemas',
    description:
      'Answers a version with its whole metadata, the schema of each type and the number of records of each. A version is named by `latest`, its number or its digest. Unless it is withdrawn, a version named by number or digest never changes, so it can be cached. The records are at `…/records` and `…/records.ndjson`.',
    names: 'version',
    params: VersionPath,
    answers: { 200: Version },
    refusals: reading,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/files': operation({
    id: 'listVersionFiles',
    tag: 'versions',
    summary: 'Files of a version and the records that refer to them',
    description:
      'Lists all files of a version by hash, each with the records that refer to it. Only files that the caller may read are in it. The bytes are at `GET …/files/{hash}`.',
    names: 'version',
    params: VersionPath,
    answers: { 200: z.array(VersionFile) },
    answerWords: { 200: 'All files of the version. It is empty for a version without files.' },
    refusals: reading,
  }),
  'POST /api/collections/:owner/:slug/versions/:v/withdraw': operation({
    id: 'withdrawVersion',
    tag: 'versions',
    summary: 'Withdraw a version, so that it can no longer be read',
    description:
      'Withdraws a version. It needs the scope `write` and, in an organization, the role admin or owner. Its number is not reused, every call that reads it answers 410 with the reason, and `latest` is the newest version that is not withdrawn. With `erase`, the next sweep, which the operator can also run at once, deletes records, schemas, metadata and files that no other version of any collection uses; forks keep their data. A withdrawal cannot be undone. Repeating the request changes nothing, except that it can add `erase`.',
    entrance: { scope: 'write' },
    params: VersionPath,
    body: WithdrawVersion,
    answers: { 200: WithdrawnVersion },
    answerWords: { 200: 'The version is withdrawn.' },
    refusals: [
      'collection_not_found',
      'version_not_found',
      'not_a_member',
      'key_limited',
      'insufficient_role',
    ],
  }),
  'POST /api/collections/:owner/:slug/versions/:v/deprecate': operation({
    id: 'deprecateVersion',
    tag: 'versions',
    summary: 'Warn the readers of a version',
    description:
      'Sets a message why a version should no longer be used; `null` removes it. It needs the scope `write` and, in an organization, the role admin or owner. Nothing else changes: lists and details have `deprecated`, pages a line, and every answer that reads the version a `Deprecation` header with the instant (RFC 9745).',
    entrance: { scope: 'write' },
    params: VersionPath,
    body: DeprecateVersion,
    answers: { 200: Done },
    refusals: [
      'collection_not_found',
      'version_not_found',
      'version_withdrawn',
      'not_a_member',
      'key_limited',
      'insufficient_role',
    ],
  }),
  'GET /api/collections/:owner/:slug/versions/:v/manifest': operation({
    id: 'getManifest',
    tag: 'versions',
    summary: 'Contents of a version by hash, or changes since another',
    description:
      'Answers the records of a version as type, id and hash, without their data. With `since` it returns as `delta` the changes since a version that the caller has. A page has 1,000 entries unless `limit` says otherwise, and 10,000 at most; `pagination.nextCursor` is the `cursor` of the next. A snapshot push takes the entries as they are.',
    names: 'version',
    params: VersionPath,
    query: ManifestQuery,
    answers: { 200: Manifest },
    refusals: reading,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/diff': operation({
    id: 'getDiff',
    tag: 'versions',
    summary: 'A page of differences between two versions',
    description:
      'Answers the records that were added, updated and removed from the version `from` to the one in the path, with their data on both sides; the first page has the totals, the changes of schemas in words, and the part of the version number that such a change raises. `from` may be the newer one, and a version of another collection, `owner/slug@v1.0.0`: both are then read as members of both read them, or else as the public does. A page has 500 differences unless `limit` says otherwise, 2,000 at most, and fewer where the data is long; `pagination.nextCursor` is the `cursor` of the next. The cost depends on the differences, not on the size of the versions.',
    names: 'version',
    params: VersionPath,
    query: DiffQuery,
    answers: { 200: DiffPage },
    refusals: reading,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/diff.ndjson': operation({
    id: 'streamDiff',
    tag: 'versions',
    summary: 'All records that differ between two versions, as NDJSON',
    description:
      'Streams the records that were added, updated and removed from the version `from` to the one in the path, a JSON object a line, by type, then id. `type` and `change` filter the list. Changes of schemas, metadata and files are on the first page of `…/diff`.',
    names: 'version',
    params: VersionPath,
    query: DiffStreamQuery,
    answers: { 200: linesOf(DiffLine, 'A `DiffLine` a line.') },
    refusals: reading,
  }),
}
