/** Differences of versions, with the data on both sides. http-api §7. */
import { z } from 'zod'
import { exampleAdded } from './examples.ts'
import { AnyJson } from './json.ts'
import { queryLimit } from './lists.ts'
import { PlacePagination, placeCursor, RemovedRecord } from './manifests.ts'
import { CollectionRecord } from './records.ts'
import { Count, FileHash, HashText, SemverText } from './text.ts'

export const diffLimitUsual = 500
export const diffLimitMax = 2_000

/** `GET …/versions/:v/diff` */
export const DiffQuery = z.strictObject({
  from: z.string().meta({
    examples: ['v1.0.0'],
    description:
      'The version that the differences are from: `latest`, a semver or a digest. It may be the newer one. With `owner/slug@` before it, it is of another collection, such as the one that this is a fork of.',
  }),
  type: z
    .string()
    .optional()
    .meta({ examples: ['City'], description: 'Only records of this type. `meta` stays of the whole.' }),
  change: z
    .enum(['added', 'updated', 'removed'])
    .optional()
    .meta({
      examples: ['added'],
      description:
        'Only records to which this happened. Where these are few among many, a page may be empty and have a `nextCursor`. `meta` stays of the whole.',
    }),
  cursor: placeCursor,
  limit: queryLimit(diffLimitUsual, diffLimitMax),
})
export type DiffQuery = z.infer<typeof DiffQuery>

export const UpdatedRecord = CollectionRecord.extend({ previousHash: HashText, previousData: AnyJson }).meta({
  id: 'UpdatedRecord',
  description: 'A record as it is in the later version, and what it was before.',
})
export type UpdatedRecord = z.infer<typeof UpdatedRecord>

/** `GET …/versions/:v/diff.ndjson` */
export const DiffStreamQuery = DiffQuery.pick({ from: true, type: true, change: true })
export type DiffStreamQuery = z.infer<typeof DiffStreamQuery>

/** A line of `diff.ndjson`. */
export const DiffLine = z
  .object({
    change: z.enum(['added', 'updated', 'removed']),
    id: z.string(),
    type: z.string(),
    hash: HashText,
    data: AnyJson.optional().meta({ description: 'Absent if the record was removed.' }),
    previousHash: HashText.optional().meta({ description: 'Of an updated record.' }),
    previousData: AnyJson.optional().meta({ description: 'Of an updated record.' }),
  })
  .meta({
    id: 'DiffLine',
    description: 'A record that differs.',
    examples: exampleAdded.map((record) => ({ change: 'added', ...record })),
  })
export type DiffLine = z.infer<typeof DiffLine>

/** By type, then id; `added`, `updated` and `removed` together are paged as one list. */
export const DiffPage = z
  .object({
    from: SemverText.meta({
      description: 'Of another collection, it has `owner/slug@` before it, as it was asked for.',
    }),
    to: SemverText,
    added: z.array(CollectionRecord),
    updated: z.array(UpdatedRecord),
    removed: z.array(RemovedRecord),
    pagination: PlacePagination,
    meta: z
      .object({
        totals: z.object({ added: Count, updated: Count, removed: Count }).nullish().meta({
          description:
            'How many records differ, on the first page only, the one without `cursor`. Null: more than 100,000, in types that both versions have.',
        }),
        schemasChanged: z.boolean().meta({ description: 'The set of types, or the schema of one.' }),
        metadataChanged: z.boolean(),
        filesAdded: z
          .array(FileHash)
          .optional()
          .meta({ description: 'On the first page only, the one without `cursor`.' }),
        filesRemoved: z.array(FileHash).optional().meta({ description: 'Likewise.' }),
        schemaChanges: z
          .array(z.object({ type: z.string(), changes: z.array(z.string()) }))
          .optional()
          .meta({
            description:
              'What became of types and their schemas, in words, each sentence to be read after the name of the type: `is new`, "`wings` became required". 200 types and 100 sentences each at most. On the first page only.',
          }),
        level: z.enum(['major', 'minor', 'patch', 'none']).optional().meta({
          description: 'Which part of a version number such a change raises. On the first page only.',
        }),
        reason: z.string().optional().meta({ description: 'Why, in a sentence. On the first page only.' }),
      })
      .meta({ description: 'Of the whole difference, whatever the page.' }),
  })
  .meta({
    id: 'DiffPage',
    description: 'A page of differences, by type and id, with the data on both sides.',
    examples: [
      {
        from: 'v1.0.0',
        to: 'v1.1.0',
        added: exampleAdded,
        updated: [],
        removed: [],
        pagination: { limit: 500, hasMore: false, nextCursor: null },
        meta: {
          totals: { added: exampleAdded.length, updated: 0, removed: 0 },
          schemasChanged: false,
          metadataChanged: false,
          filesAdded: [],
          filesRemoved: [],
          schemaChanges: [],
          level: 'minor',
          reason: 'Records or files differ; types and schemas do not.',
        },
      },
    ],
  })
export type DiffPage = z.infer<typeof DiffPage>
