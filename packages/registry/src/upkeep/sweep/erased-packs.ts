/**
 * Packs with bytes of erased objects. The index has one location of an object, but copies may exist: in packs of commits that
 * made the same object concurrently, and in packs that a sweep rewrote and set aside. Their footers list them.
 */
import {
  BlobMissingError,
  copyObjects,
  moveRows,
  objectKey,
  PackCorruptError,
  packNames,
  packsAside,
  packsOf,
  packsWithUnindexed,
  readFooter,
  rowsOfPack,
  type SweptRow,
  takeBack,
} from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { addTo, type Tally } from './unreferenced.ts'

type Stores = Pick<Context, 'database' | 'blobs'>

/**
 * Rewrites packs that have any of `doomed` without it; removes such packs that are set aside. The rows stay.
 * @param removed tally to which the removed packs are added
 * @returns ids of the rewritten packs
 */
export async function takeOutOfPacks(
  context: Stores,
  doomed: readonly SweptRow[],
  removed: Tally,
): Promise<Set<number>> {
  if (doomed.length === 0) return new Set()
  const { database, blobs } = context
  const gone = new Set(doomed.map(objectKey))
  const ids = new Set(doomed.map(({ packId }) => packId))
  for (const { id, name } of await packsWithUnindexed(database))
    if (!ids.has(id) && (await holdsAny(context, name, gone))) ids.add(id)
  for (const id of ids) await rewritePack(context, id, gone)
  for (const blob of await packsAside(database)) {
    if (!(await holdsAny(context, blob.name, gone))) continue
    await blobs.remove(blob.name)
    await database.transact((tx) => takeBack(tx, [blob.name]))
    addTo(removed, [blob])
  }
  return ids
}

/** Moves the indexed objects of a pack to another pack, except for those with the keys `but`. */
export async function rewritePack(context: Stores, packId: number, but: ReadonlySet<string>): Promise<void> {
  const { database, blobs } = context
  const entries = (await rowsOfPack(database, packId)).filter((entry) => !but.has(objectKey(entry)))
  const name = (await packNames(database, [packId])).get(packId)
  if (entries.length === 0 || name === undefined) return
  const copy = await copyObjects(blobs, packsOf(context), [{ name, entries }])
  await database.transact((tx) => moveRows(tx, copy, [packId]))
}

/** True if a pack has an object with one of the keys; false if the pack is gone or its footer is damaged. */
async function holdsAny(context: Stores, name: string, keys: ReadonlySet<string>): Promise<boolean> {
  try {
    const { entries } = await readFooter(packsOf(context), name)
    return entries.some((entry) => keys.has(objectKey(entry)))
  } catch (error) {
    if (error instanceof PackCorruptError || error instanceof BlobMissingError) return false
    throw error
  }
}
