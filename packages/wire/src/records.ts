/**
 * Shapes for reading records: pages, streams, and single records with a proof. Always ordered by type, then id, both by UTF-8 bytes, on
 * which cursors rely. docs/design/http-api.md §7.
 */
import { z } from 'zod'
import { examplePlace, exampleRecord } from './examples.ts'
import { AnyJson } from './json.ts'
import { queryLimit, querySwitch } from './lists.ts'
import { Count, HashText } from './text.ts'

/** A record of a version. `hash` is that of its canonical form (docs/design/content-model.md §3). */
export const CollectionRecord = z
  .object({ id: z.string(), type: z.string(), data: AnyJson, hash: HashText })
  .meta({
    id: 'Record',
    description: 'A record, with the hash of its canonical form.',
    examples: [exampleRecord],
  })
export type CollectionRecord = z.infer<typeof CollectionRecord>

/** Records per page. */
export const recordsLimitUsual = 100
/** Greater limits are treated like this one. */
export const recordsLimitMax = 2_000

const after = z
  .string()
  .min(1)
  .optional()
  .meta({
    description:
      'Start after this record: `nextCursor` of the previous page, base64url of the JCS of `[type, id]` or, with `type`, the id of a record.',
    examples: [examplePlace],
  })
const type = z
  .string()
  .optional()
  .meta({ description: 'Only records of this type.', examples: ['Country'] })

/** `GET …/versions/:v/records` */
export const RecordsQuery = z.strictObject({
  type,
  id: z
    .string()
    .optional()
    .meta({ description: 'Only records with this id.', examples: ['NOR'] }),
  limit: queryLimit(recordsLimitUsual, recordsLimitMax),
  after,
})
export type RecordsQuery = z.infer<typeof RecordsQuery>

export const RecordsPage = z
  .object({
    records: z.array(CollectionRecord),
    pagination: z.object({
      limit: z.int(),
      hasMore: z.boolean(),
      nextCursor: z.string().nullable(),
      total: Count,
    }),
  })
  .meta({
    id: 'RecordsPage',
    description: 'Records by type, then id, and the cursor of the next page.',
    examples: [
      {
        records: [exampleRecord],
        pagination: { limit: 1, hasMore: true, nextCursor: examplePlace, total: 2 },
      },
    ],
  })
export type RecordsPage = z.infer<typeof RecordsPage>

/** `GET …/versions/:v/records/:type/:id` */
export const RecordQuery = z.strictObject({
  proof: querySwitch("Add the proof that the record belongs to the version's digest."),
})
export type RecordQuery = z.infer<typeof RecordQuery>

/** Together with the version's digest, the input of `verifyProof` in the content package. */
export const RecordProof = z
  .object({
    canonical: z.string().meta({ description: 'Canonical form of the record.' }),
    nodes: z
      .array(z.string())
      .meta({ description: 'Encoded tree nodes, from the leaf to the root of the type.' }),
    document: z.string().meta({ description: 'Document of the view as JCS text; its hash is the digest.' }),
  })
  .meta({ id: 'RecordProof', description: 'Proof that a record belongs to the digest of a version.' })
export type RecordProof = z.infer<typeof RecordProof>

/** Answer of `GET …/versions/:v/records/:type/:id`. */
export const ProvenRecord = CollectionRecord.extend({ proof: RecordProof.optional() }).meta({
  id: 'ProvenRecord',
  description: 'A record, with its proof if requested.',
  examples: [exampleRecord],
})
export type ProvenRecord = z.infer<typeof ProvenRecord>

/** `GET …/versions/:v/records.ndjson`: one `CollectionRecord` per line; `X-Record-Count` is their number. */
export const RecordsStreamQuery = z.strictObject({ type, after })
export type RecordsStreamQuery = z.infer<typeof RecordsStreamQuery>
