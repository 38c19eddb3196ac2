/**
 * Operations on versions: list, detail, files, manifest, difference, withdrawal, deprecation. docs/design/http-api.md §7.
 */
import { z } from 'zod'
import { DiffLine, DiffPage, DiffQuery, DiffStreamQuery } from '../diffs.ts'
import { VersionFile } from '../files.ts'
import { VersionListQuery } from '../lists.ts'
import { Manifest, ManifestQuery } from '../manifests.ts'
import { linesOf, operation } from '../operation.ts'
import { CollectionPath, VersionPath } from '../paths.ts'
import { Done } from '../text.ts'
import {
  DeprecateVersion,
  RestoredVersion,
  RestoreVersion,
  Strip,
  Version,
  VersionItem,
  WithdrawnVersion,
  WithdrawVersion,
} from '../versions.ts'

/** Refusals of every operation that reads a version, also of those in records.ts and files.ts. */
export const reading = ['version_not_found', 'version_withdrawn', 'object_corrupt', 'busy'] as const

export const versionOperations = {
  'GET /api/collections/:owner/:slug/versions': operation({
    id: 'listVersions',
    tag: 'versions',
    summary: 'List versions of a collection',
    description:
      'Lists versions, newest first. A public collection requires no credential. Counts and digests are those of the view that the caller reads: members and collaborators see all records, other callers the public view.',
    params: CollectionPath,
    query: VersionListQuery,
    answers: { 200: z.array(VersionItem) },
    answerWords: { 200: 'A page of versions; empty before the first version.' },
  }),
  'GET /api/collections/:owner/:slug/versions/strip': operation({
    id: 'getVersionStrip',
    tag: 'versions',
    summary: 'Get the strip of versions',
    description:
      'Returns how much each version changed of each column: the share of values that differ from the version before, in the view that the caller reads. Withdrawn versions are left out. Shares are computed soon after a version is published, those of old versions later. The values themselves are at `…/versions/{v}/diff`.',
    params: CollectionPath,
    answers: { 200: Strip },
    refusals: ['busy'],
  }),
  'GET /api/collections/:owner/:slug/versions/:v': operation({
    id: 'getVersion',
    tag: 'versions',
    summary: 'Get a version',
    description:
      'Returns a version with its metadata, the schema of each type and the number of records of each. Name the version by `latest`, number or digest. A version named by number or digest never changes unless it is withdrawn, so it can be cached. Its records are at `…/records` and `…/records.ndjson`. The `Link` header names its page, licence, data files and the documents that describe it (FAIR Signposting).',
    names: 'version',
    params: VersionPath,
    answers: { 200: Version },
    refusals: reading,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/files': operation({
    id: 'listVersionFiles',
    tag: 'versions',
    summary: 'List files of a version',
    description:
      'Lists all files of a version that the caller can read, by hash, each with the records that refer to it. Download the bytes from `GET …/files/{hash}`.',
    names: 'version',
    params: VersionPath,
    answers: { 200: z.array(VersionFile) },
    answerWords: { 200: 'All files of the version; empty if it has none.' },
    refusals: reading,
  }),
  'POST /api/collections/:owner/:slug/versions/:v/restore': operation({
    id: 'restoreVersion',
    tag: 'versions',
    summary: 'Publish an earlier version again',
    description:
      'Makes a new version with the records, files, schemas and metadata of an earlier one, which it shares: this takes no space for the records. Its number follows from the difference to the latest version, as for a push. If the latest version has this content already, no version is made and the answer has `unchanged: true`. Data that is public in that version and private now must be named in `confirm_public`.',
    entrance: { scope: 'write' },
    params: VersionPath,
    body: RestoreVersion,
    answers: { 201: RestoredVersion },
    answerWords: { 201: 'Published, or unchanged.' },
    refusals: [
      'publishers_only',
      'version_not_found',
      'version_withdrawn',
      'version_conflict',
      'private_field_made_public',
      'private_record_made_public',
      'quota_exceeded',
      'object_corrupt',
    ],
  }),
  'POST /api/collections/:owner/:slug/versions/:v/withdraw': operation({
    id: 'withdrawVersion',
    tag: 'versions',
    summary: 'Withdraw a version',
    description:
      'Makes a version unreadable: every call that reads it gets 410 with the reason, its number is not reused, and `latest` becomes the newest version that is not withdrawn. Requires the `admin` scope and, in an organization, the role admin or owner. With `erase: true` the next sweep deletes its records, schemas, metadata and files that no other version of any collection uses; the operator can run the sweep at once, and forks keep their data. A withdrawal cannot be undone. Repeating the request changes nothing, but can add `erase`.',
    entrance: { scope: 'admin' },
    params: VersionPath,
    body: WithdrawVersion,
    answers: { 200: WithdrawnVersion },
    answerWords: { 200: 'Withdrawn.' },
    refusals: ['version_not_found'],
  }),
  'POST /api/collections/:owner/:slug/versions/:v/deprecate': operation({
    id: 'deprecateVersion',
    tag: 'versions',
    summary: 'Deprecate a version',
    description:
      'Sets a message that explains why a version should no longer be used; `null` removes it. Requires the `write` scope and, in an organization, the role admin or owner; or the grant `write`. The version stays readable. Lists and details show `deprecated`, pages show the message, and answers that read the version have a `Deprecation` header with the time (RFC 9745).',
    entrance: { scope: 'write' },
    params: VersionPath,
    body: DeprecateVersion,
    answers: { 200: Done },
    refusals: ['version_not_found', 'version_withdrawn', 'insufficient_role'],
  }),
  'GET /api/collections/:owner/:slug/versions/:v/manifest': operation({
    id: 'getManifest',
    tag: 'versions',
    summary: 'Get the manifest of a version',
    description:
      'Returns the type, id and hash of every record, without data. With `since` it returns the changes since that version as `delta`. Pass `pagination.nextCursor` as `cursor` to get the next page. A snapshot push accepts the entries as they are.',
    names: 'version',
    params: VersionPath,
    query: ManifestQuery,
    answers: { 200: Manifest },
    refusals: reading,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/diff': operation({
    id: 'getDiff',
    tag: 'versions',
    summary: 'Compare two versions',
    description:
      'Returns the records added, updated and removed from the version `from` to the version in the path, with the data on both sides. The first page also has totals, changes of schemas in words, and the level (major, minor or patch) of such a change. `from` can be the newer version, or a version of another collection, `owner/slug@v1.0.0`: the caller then needs membership or a grant in both to compare more than the public views. A page can be shorter than `limit` if the data is long; pass `pagination.nextCursor` as `cursor` to get the next. The cost depends on the differences, not on the size of the versions.',
    names: 'version',
    params: VersionPath,
    query: DiffQuery,
    answers: { 200: DiffPage },
    refusals: reading,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/diff.ndjson': operation({
    id: 'streamDiff',
    tag: 'versions',
    summary: 'Stream the differences of two versions as NDJSON',
    description:
      'Streams the records added, updated and removed from the version `from` to the version in the path, one JSON object per line, by type, then id. Filter with `type` and `change`. Changes of schemas, metadata and files are on the first page of `…/diff`.',
    names: 'version',
    params: VersionPath,
    query: DiffStreamQuery,
    answers: { 200: linesOf(DiffLine, 'One `DiffLine` per line.') },
    refusals: reading,
  }),
}
