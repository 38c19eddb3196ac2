/**
 * Shapes for the difference between two versions, with the data of both sides: as pages, and as a stream. For the difference by hash alone,
 * see manifests.ts. docs/design/http-api.md §7.
 */
import { z } from 'zod'
import { exampleAdded } from './examples.ts'
import { AnyJson } from './json.ts'
import { queryLimit } from './lists.ts'
import { PlacePagination, placeCursor, RemovedRecord } from './manifests.ts'
import { CollectionRecord } from './records.ts'
import { Count, FileHash, HashText, SemverText } from './text.ts'

/** Records per page of a diff. */
export const diffLimitUsual = 500
/** Greater limits are treated like this one. */
export const diffLimitMax = 2_000

/** `GET …/versions/:v/diff` */
export const DiffQuery = z.strictObject({
  from: z
    .string()
    .optional()
    .meta({
      examples: ['v1.0.0'],
      description:
        'Version to compare from: `latest`, a number or a digest (default: the version before; for the first version nothing, so that all is added). It can be the newer one. Prefix `owner/slug@` to name a version of another collection, such as the source of a fork.',
    }),
  type: z
    .string()
    .optional()
    .meta({ examples: ['City'], description: 'Only records of this type. `meta` still covers all types.' }),
  change: z
    .enum(['added', 'updated', 'removed'])
    .optional()
    .meta({
      examples: ['added'],
      description:
        'Only records with this change. A page can be empty and have a `nextCursor` if few records match. `meta` still covers all changes.',
    }),
  cursor: placeCursor,
  limit: queryLimit(diffLimitUsual, diffLimitMax),
})
export type DiffQuery = z.infer<typeof DiffQuery>

/** An updated record within a page. */
export const UpdatedRecord = CollectionRecord.extend({ previousHash: HashText, previousData: AnyJson }).meta({
  id: 'UpdatedRecord',
  description: 'An updated record, with its data before and after.',
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
    data: AnyJson.optional().meta({ description: 'Absent for a removed record.' }),
    previousHash: HashText.optional().meta({ description: 'For an updated record only.' }),
    previousData: AnyJson.optional().meta({ description: 'For an updated record only.' }),
  })
  .meta({
    id: 'DiffLine',
    description: 'A record that differs.',
    examples: exampleAdded.map((record) => ({ change: 'added', ...record })),
  })
export type DiffLine = z.infer<typeof DiffLine>

/** Answer of `GET …/versions/:v/diff`: ordered by type, then id; `added`, `updated` and `removed` are paged together as one list. */
export const DiffPage = z
  .object({
    from: SemverText.nullable().meta({
      description:
        'With the prefix `owner/slug@` of the request if it belongs to another collection. Null: without `from` in the request, there is no version before.',
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
            'Number of differing records; only on the first page, the one without `cursor`. Null: more than 100,000 in types that both versions have.',
        }),
        schemasChanged: z.boolean().meta({ description: 'Whether the set of types or a schema differs.' }),
        metadataChanged: z.boolean(),
        filesAdded: z
          .array(FileHash)
          .optional()
          .meta({ description: 'Only on the first page, the one without `cursor`.' }),
        filesRemoved: z.array(FileHash).optional().meta({ description: 'Only on the first page.' }),
        schemaChanges: z
          .array(z.object({ type: z.string(), changes: z.array(z.string()) }))
          .optional()
          .meta({
            description:
              'Changes of types and schemas as phrases that follow the name of the type: `is new`, "`wings` became required". At most 200 types with 100 phrases each; only on the first page.',
          }),
        level: z.enum(['major', 'minor', 'patch', 'none']).optional().meta({
          description: 'Part of the version number that such a change raises. Only on the first page.',
        }),
        reason: z
          .string()
          .optional()
          .meta({ description: 'Reason for `level`, as a sentence. Only on the first page.' }),
      })
      .meta({ description: 'Facts about the whole difference, the same on every page.' }),
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
