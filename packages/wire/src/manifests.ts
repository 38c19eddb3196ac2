/** Manifests: what a version holds, by hash. http-api §7. */
import { z } from 'zod'
import { exampleDigest, exampleFile, examplePlace, exampleRecord } from './examples.ts'
import { queryLimit } from './lists.ts'
import { DigestText, FileHash, HashText, SemverText } from './text.ts'

export const manifestLimitUsual = 1_000
export const manifestLimitMax = 10_000

/** Start of a page of records or of differences. */
export const placeCursor = z
  .string()
  .min(1)
  .optional()
  .meta({
    description: '`nextCursor` of a page, or base64url of the JCS of [type, id]: begin after this record.',
    examples: [examplePlace],
  })

/** How a page of records or of differences ends. A page may hold fewer than `limit` and still have more after it. */
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
        'A version that you have (`latest`, a semver or a digest): answer what has changed since, as `delta`.',
    }),
  cursor: placeCursor,
  limit: queryLimit(manifestLimitUsual, manifestLimitMax),
})
export type ManifestQuery = z.infer<typeof ManifestQuery>

const listed = { id: exampleRecord.id, type: exampleRecord.type, hash: exampleRecord.hash }

/** A record by its hash. A snapshot push takes it as it is, as a `ManifestEntry`. */
export const ListedRecord = z
  .object({
    id: z.string(),
    type: z.string(),
    hash: HashText,
    private: z
      .literal(true)
      .optional()
      .meta({ description: 'The record was pushed as private. Told to members only.' }),
  })
  .meta({ id: 'ListedRecord', description: 'A record by its hash.', examples: [listed] })
export type ListedRecord = z.infer<typeof ListedRecord>

/** A record that is no more, with the hash it had. */
export const RemovedRecord = z
  .object({ id: z.string(), type: z.string(), hash: HashText })
  .meta({ id: 'RemovedRecord', description: 'A record that is no more, with the hash it had.' })
export type RemovedRecord = z.infer<typeof RemovedRecord>

/** Records by type, then id; `added`, `updated` and `removed` together are paged as one list. */
export const Manifest = z
  .object({
    semver: SemverText,
    hash: DigestText,
    schemas: z
      .custom<Record<string, string>>((value) => typeof value === 'object' && value !== null)
      .meta({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'The hash of the schema of each type.',
      }),
    records: z.array(ListedRecord).optional().meta({ description: 'Without `since`.' }),
    delta: z
      .object({
        added: z.array(ListedRecord),
        updated: z
          .array(ListedRecord)
          .meta({ description: 'With another hash, or private and not so before, or the other way round.' }),
        removed: z.array(RemovedRecord),
      })
      .optional()
      .meta({ description: 'With `since`: what turns its manifest into this one.' }),
    files: z
      .array(FileHash)
      .optional()
      .meta({ description: 'All files of the version. On the first page only, the one without `cursor`.' }),
    pagination: PlacePagination,
  })
  .meta({
    id: 'Manifest',
    description: 'What a version holds, by hash, or how it differs from another.',
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
