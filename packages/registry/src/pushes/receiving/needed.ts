/** Finds the records of a manifest that the base version lacks, so that the client must send them. */

import { emptyTree, type Hash } from '@ulmus/content'
import { LeafCursor } from '@ulmus/content/stored'
import { findVersionById, giveWay, type PushStanding } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { rootsOf } from '../../versions/content.ts'
import type { PushEntry } from '../spills/entries.ts'
import { encodeSpillStream, readSpill } from '../spills/spill.ts'

export interface MarkedManifest {
  /** The same spill with marked entries. */
  spill: Uint8Array
  /** Hashes, in the order of the entries. */
  needed: Hash[]
}

/** @param spill of a manifest, as the worker thread encoded it */
export async function markNeeded(
  context: Context,
  push: PushStanding,
  spill: Uint8Array,
): Promise<MarkedManifest> {
  const base = push.baseId === null ? undefined : await findVersionById(context.database, push.baseId)
  const types = base === undefined ? {} : (await rootsOf(context, base, 'full')).types
  const needed: Hash[] = []
  let cursor: { type: string; leaves: LeafCursor } | undefined
  async function* marked(): AsyncGenerator<PushEntry[]> {
    for await (const entries of readSpill([spill])) {
      const batch: PushEntry[] = []
      for (const entry of entries) {
        if (cursor?.type !== entry.type) {
          const tree = Object.hasOwn(types, entry.type) ? types[entry.type]! : emptyTree
          cursor = { type: entry.type, leaves: new LeafCursor(context.objects, tree) }
        }
        const put = entry.put!
        const isNeeded = (await cursor.leaves.find(entry.id))?.hash !== put.hash
        if (isNeeded) needed.push(put.hash)
        batch.push({ ...entry, put: { ...put, needed: isNeeded } })
      }
      yield batch
      await giveWay()
    }
  }
  return { spill: Buffer.concat(await Array.fromAsync(encodeSpillStream(marked()))), needed }
}
