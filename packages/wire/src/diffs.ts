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
      'The version that the differences are from: `latest`, a semver or a digest. It may be the newer one.',
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

/** By type, then id; `added`, `updated` and `removed` together are paged as one list. */
export const DiffPage = z
  .object({
    from: SemverText,
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
        },
      },
    ],
  })
export type DiffPage = z.infer<typeof DiffPage>
