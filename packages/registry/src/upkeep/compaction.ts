/**
 * Compaction: moves the objects of inline packs, which the database stores at first, into one pack in the blob store, so that the
 * database stays small. The new pack is durable before its rows replace the inline ones.
 */
import {
  copyObjects,
  dropInlinePacks,
  foundPacks,
  type InlinePack,
  moveRows,
  ObjectCorruptError,
  oldestInlinePacks,
  putInlinePacks,
} from '@ulmus/storage'
import type { Context } from '../context.ts'
import { schedule } from '../schedule.ts'

/** Inline packs moved into one pack. Each has at most 64 KiB. */
const packsAtOnce = 256

type CompactionContext = Pick<Context, 'database' | 'blobs' | 'log'>

/** Runs on every server with background work; if two compact the same packs at once, one succeeds. */
export function scheduleCompaction(context: Context): void {
  context.jobs.repeat(schedule.compaction, () => compact(context))
}

/** Compacts until no pack is inline. */
export async function compact(context: CompactionContext): Promise<void> {
  for (;;) {
    const packs = await oldestInlinePacks(context.database, packsAtOnce)
    if (packs.length === 0) return
    try {
      await compactAll(context, packs)
    } catch (error) {
      if (!(error instanceof ObjectCorruptError)) throw error
      for (const pack of packs) await compactAlone(context, pack)
    }
  }
}

async function compactAll(
  { database, blobs }: CompactionContext,
  packs: readonly InlinePack[],
): Promise<void> {
  const ids = packs.map(({ id }) => id)
  const isEmpty = packs.every(({ entries }) => entries.length === 0)
  const copy = isEmpty ? undefined : await copyObjects(blobs, foundPacks(packs), packs)
  try {
    await database.transact(async (tx) => {
      if (copy !== undefined && (await moveRows(tx, copy, ids)) === 0) throw new OvertakenError()
      await dropInlinePacks(tx, ids)
    })
  } catch (error) {
    if (!(error instanceof OvertakenError)) throw error
    await blobs.remove(copy!.name)
  }
}

/** Another server has compacted all of these packs meanwhile. */
class OvertakenError extends Error {}

/** Compacts one pack. Stores a damaged one unchanged as a blob: its objects are still `object_corrupt`, and fsck names them. */
async function compactAlone(context: CompactionContext, pack: InlinePack): Promise<void> {
  try {
    await compactAll(context, [pack])
  } catch (error) {
    if (!(error instanceof ObjectCorruptError)) throw error
    context.log.error({ err: error, pack: pack.name }, 'a small pack is damaged and stays as it is')
    await putInlinePacks(context, [pack])
  }
}
