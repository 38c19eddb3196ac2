/** Histories of records. http-api §7. */
import { z } from 'zod'
import { CollectionPath } from './paths.ts'
import { HashText, Instant, SemverText } from './text.ts'

/** `/api/collections/:owner/:slug/records/:type/:id/history` */
export const HistoryPath = CollectionPath.extend({ type: z.string(), id: z.string() })
export type HistoryPath = z.infer<typeof HistoryPath>

/** A version in which the record changed. */
export const HistoryItem = z
  .object({
    semver: SemverText,
    change: z.enum(['added', 'updated', 'removed']),
    hash: HashText.meta({ description: 'Of the record in this version; of one removed, the hash it had.' }),
    createdAt: Instant.meta({ description: 'When the version was made.' }),
  })
  .meta({ id: 'HistoryItem' })
export type HistoryItem = z.infer<typeof HistoryItem>
