/**
 * Shapes for manifests: the records of a version, or the changes since another, by hash and without data. A client that keeps copies of
 * records downloads only those it lacks. Also the cursors of pages of records, which diffs.ts uses. docs/design/http-api.md §7.
 */
import { z } from 'zod'
import { exampleDigest, exampleFile, examplePlace, exampleRecord } from './examples.ts'
import { queryLimit } from './lists.ts'
import { DigestText, FileHash, HashText, SemverText } from './text.ts'

/** Records per page of a manifest. */
export const manifestLimitUsual = 1_000
/** Greater limits are treated like this one. */
export const manifestLimitMax = 10_000

/** Start of a page of records or of differences. */
export const placeCursor = z
  .string()
  .min(1)
  .optional()
  .meta({
    description:
      '`nextCursor` of the previous page, or base64url of the JCS of `[type, id]`: start after this record.',
    examples: [examplePlace],
  })

/** End of a page of records or of differences. A page may have fewer than `limit` items although more follow. */
export const PlacePagination = z.object({
  limit: z.int(),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
})

/** `GET …/versions/:v/manifest` */
export const ManifestQuery = z.strictObject({
  since: z
    .string()
    .optional()
    .meta({
      examples: ['v1.0.0'],
      description:
        'Version that you have (`latest`, a number or a digest): return the changes since then as `delta`.',
    }),
  cursor: placeCursor,
  limit: queryLimit(manifestLimitUsual, manifestLimitMax),
})
export type ManifestQuery = z.infer<typeof ManifestQuery>

const listed = { id: exampleRecord.id, type: exampleRecord.type, hash: exampleRecord.hash }

/** A record by its hash. A snapshot push accepts it as a `ManifestEntry`. */
export const ListedRecord = z
  .object({
    id: z.string(),
    type: z.string(),
    hash: HashText,
    private: z
      .literal(true)
      .optional()
      .meta({ description: 'The record was pushed as private. Only for members and collaborators.' }),
  })
  .meta({ id: 'ListedRecord', description: 'Type, id and hash of a record.', examples: [listed] })
export type ListedRecord = z.infer<typeof ListedRecord>

/** A removed record, with its last hash. */
export const RemovedRecord = z
  .object({ id: z.string(), type: z.string(), hash: HashText })
  .meta({ id: 'RemovedRecord', description: 'A removed record, with its last hash.' })
export type RemovedRecord = z.infer<typeof RemovedRecord>

/** Answer of `GET …/versions/:v/manifest`, by type, then id; `added`, `updated` and `removed` are paged together as one list. */
export const Manifest = z
  .object({
    semver: SemverText,
    hash: DigestText,
    schemas: z
      .custom<Record<string, string>>((value) => typeof value === 'object' && value !== null)
      .meta({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Hash of the schema of each type.',
      }),
    since: SemverText.optional().meta({ description: 'Number of the version of `since`, if requested.' }),
    records: z.array(ListedRecord).optional().meta({ description: 'Present without `since`.' }),
    delta: z
      .object({
        added: z.array(ListedRecord),
        updated: z.array(ListedRecord).meta({ description: 'Records whose hash or privacy changed.' }),
        removed: z.array(RemovedRecord),
      })
      .optional()
      .meta({ description: 'Present with `since`: changes from that version to this one.' }),
    files: z
      .array(FileHash)
      .optional()
      .meta({ description: 'All files of the version; only on the first page, the one without `cursor`.' }),
    pagination: PlacePagination,
  })
  .meta({
    id: 'Manifest',
    description: 'Records of a version by hash, or the changes since another.',
    examples: [
      {
        semver: 'v1.0.0',
        hash: exampleDigest,
        schemas: { City: listed.hash, Country: listed.hash },
        records: [listed],
        files: [exampleFile.hash],
        pagination: { limit: 1, hasMore: true, nextCursor: examplePlace },
      },
    ],
  })
export type Manifest = z.infer<typeof Manifest>
