/** Finds a record's hash in the manifest of a snapshot session, for the refusal of a record that was sent with another hash. */
import type { Hash } from '@ulmus/content'
import { BlobMissingError, listPushSpills, type PushStanding } from '@ulmus/storage'
import type { RecordPosition } from '../../answers/places.ts'
import type { Context } from '../../context.ts'
import { entriesOf } from '../spills/spills.ts'

/** Maximum entries that one refusal reads, in some 100 ms. */
const entriesMax = 500_000

/** Returns undefined if the manifest lacks the record, is too long to be searched, or was deleted with its session. */
export async function findManifestHash(
  context: Context,
  push: PushStanding,
  { type, id }: RecordPosition,
): Promise<Hash | undefined> {
  let left = entriesMax
  try {
    for (const spill of await listPushSpills(context.database, push.id)) {
      if (spill.role !== 'manifest') continue
      for await (const entries of entriesOf(context, spill)) {
        for (const entry of entries) {
          if (entry.id === id && entry.type === type) return entry.put?.hash
          if (--left === 0) return undefined
        }
      }
    }
  } catch (error) {
    if (!(error instanceof BlobMissingError)) throw error
  }
  return undefined
}
