/** Shape of a record's history: an item for each version that changed the record. docs/design/http-api.md §7. */
import { z } from 'zod'
import { exampleInstant, exampleRecord } from './examples.ts'
import { HashText, Instant, SemverText } from './text.ts'

/** A version in which the record changed. */
export const HistoryItem = z
  .object({
    semver: SemverText,
    change: z.enum(['added', 'updated', 'removed']),
    hash: HashText.meta({ description: 'Hash of the record in this version, or before its removal.' }),
    createdAt: Instant.meta({ description: 'Creation time of the version.' }),
  })
  .meta({
    id: 'HistoryItem',
    description: 'A version in which the record changed, and how.',
    examples: [{ semver: 'v1.0.0', change: 'added', hash: exampleRecord.hash, createdAt: exampleInstant }],
  })
export type HistoryItem = z.infer<typeof HistoryItem>
