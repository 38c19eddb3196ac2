/** Shapes for the warnings before a private collection becomes public. */
import { z } from 'zod'
import { querySwitch } from './lists.ts'
import { Count, SemverText } from './text.ts'

/** Query of `PATCH /api/collections/:owner/:slug`. */
export const UpdateCollectionQuery = z.strictObject({
  dry_run: querySwitch('Check the change and return its warnings, without making it.'),
})

/** Part of older versions that readers see once the collection is public, and that the latest version does not show. */
export const OpeningWarning = z
  .object({
    code: z.enum(['public_before', 'not_compared']).meta({
      description:
        '`public_before`: the latest version keeps this private, or no longer has it, and the public view of older versions has it. `not_compared`: the number of older versions that were not compared.',
    }),
    message: z.string(),
    type: z.string().optional(),
    field: z.string().optional().meta({ description: 'Column. Absent: the type, or records of it.' }),
    records: Count.optional().meta({ description: 'Number of records. Absent: a type or a column.' }),
    ids: z.array(z.string()).optional().meta({ description: 'The first ids of these records: up to 5.' }),
    versions: z.array(SemverText).meta({
      description: 'Versions whose public view has it, the newest first: the first 100.',
    }),
    versionCount: Count.meta({ description: 'Number of these versions.' }),
  })
  .meta({ id: 'OpeningWarning', description: 'Something that older versions of the collection show.' })
export type OpeningWarning = z.infer<typeof OpeningWarning>

/** Answer to a change of a collection. */
export const UpdatedCollection = z
  .object({
    ok: z.literal(true),
    warnings: z.array(OpeningWarning).optional().meta({
      description: 'With `public: true` for a private collection: what older versions show. Absent: nothing.',
    }),
  })
  .meta({ id: 'UpdatedCollection', description: 'The collection is changed.', examples: [{ ok: true }] })
export type UpdatedCollection = z.infer<typeof UpdatedCollection>
