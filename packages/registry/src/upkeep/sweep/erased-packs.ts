/**
 * Packs that hold bytes of what is erased. The index tells of one place of an object; there may be copies: in packs of commits that made the
 * same at once, and in packs that a sweep wrote anew and set aside. Their footers tell.
 */
import {
  BlobMissing,
  copyObjects,
  moveRows,
  objectKey,
  PackCorrupt,
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
 * Writes packs that hold any of `doomed` anew without it; those that are set aside are removed. The rows stay.
 * @param removed is increased by the removed packs
 * @returns ids of the packs that were written anew
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

/** Moves what the index has in a pack to another, but for objects of these keys. */
export async function rewritePack(context: Stores, packId: number, but: ReadonlySet<string>): Promise<void> {
  const { database, blobs } = context
  const entries = (await rowsOfPack(database, packId)).filter((entry) => !but.has(objectKey(entry)))
  const name = (await packNames(database, [packId])).get(packId)
  if (entries.length === 0 || name === undefined) return
  const copy = await copyObjects(blobs, packsOf(context), [{ name, entries }])
  await database.transact((tx) => moveRows(tx, copy, [packId]))
}

/** Whether a pack holds an object of one of the keys. One that is gone, or whose footer is damaged, says nothing. */
async function holdsAny(context: Stores, name: string, keys: ReadonlySet<string>): Promise<boolean> {
  try {
    const { entries } = await readFooter(packsOf(context), name)
    return entries.some((entry) => keys.has(objectKey(entry)))
  } catch (error) {
    if (error instanceof PackCorrupt || error instanceof BlobMissing) return false
    throw error
  }
}
