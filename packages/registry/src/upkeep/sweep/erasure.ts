/**
 * Erasing what withdrawn versions alone have (http-api §11), before the rest of a sweep: whatever its age, without setting it aside.
 *
 *     files of the versions that no other version of the collection has
 *       ─▶ forgotten there; removed when no other collection knows them
 *     objects of the versions that no other version has
 *       ─▶ deltas to them are written anew, to stand alone
 *       ─▶ condemned; what was committed meanwhile is pardoned
 *       ─▶ what else is in their packs is written anew, in others
 *       ─▶ the rest leaves the index (storage sql/objects/sweeps.ts says why so), and packs of which that has nothing are removed
 *
 * A version is erased when all of that is done; until then each sweep goes on with it. A sweep may end anywhere between: each step leaves
 * in place what the next sweep finds the rest by, so files go before the trees that name them, and rows go when nothing else is in their
 * packs. What a commit began to need meanwhile waits for the next one.
 */
import {
  allVersionRoots,
  condemn,
  copyObjects,
  doomedPacks,
  doomPacks,
  emptyPacks,
  endErasure,
  moveRows,
  ObjectMissing,
  type ObjectName,
  objectKey,
  oldRows,
  openObjectWriter,
  packNames,
  packsOf,
  pardon,
  recordPacks,
  removeCondemned,
  rowsOfPack,
  type SweptRow,
  takeBack,
  type VersionToErase,
  versionsToErase,
} from '@ulmus/storage'
import { eraseFiles, readerOf, type SweepContext } from './erasure-of-files.ts'
import { Marks } from './marks.ts'
import { addTo, noBlobs, type Tally } from './unreferenced.ts'

export interface Erased {
  versions: number
  /** Objects taken out of the index. */
  objects: number
  /** Packs and files removed from the store. */
  removed: Tally
}

const rowsAtOnce = 5_000
/** Objects that one transaction puts in another place. */
const detachedAtOnce = 500

/**
 * @param sweep id of the sweep that erases
 * @param condemned called once, when all that is to go is condemned; for tests that let something happen there
 */
export async function eraseWithdrawn(
  context: SweepContext,
  sweep: string,
  condemned: () => Promise<void>,
): Promise<Erased> {
  const erased: Erased = { versions: 0, objects: 0, removed: noBlobs() }
  const asked = await versionsToErase(context.database)
  if (asked.length === 0) return erased
  const waitingFor = await eraseFiles(context, asked, erased.removed)
  const now = asked.filter(({ id }) => !waitingFor.has(id))
  const later = asked.filter(({ id }) => waitingFor.has(id))
  const waiting = await eraseObjects(context, { sweep, asked: now, later, erased, condemned })
  await removeWithoutRows(context, erased)
  const done = waiting ? [] : now.map(({ id }) => id)
  await context.database.transact((tx) => endErasure(tx, done))
  erased.versions = done.length
  return erased
}

/** @returns whether something stays that a commit began to need. */
async function eraseObjects(
  context: SweepContext,
  {
    sweep,
    asked,
    later,
    erased,
    condemned,
  }: {
    sweep: string
    asked: readonly VersionToErase[]
    /** The trees of these name files that are still to go. */
    later: readonly VersionToErase[]
    erased: Erased
    condemned: () => Promise<void>
  },
): Promise<boolean> {
  const { database } = context
  const living = new Marks(database, readerOf(context))
  await living.mark([...(await allVersionRoots(database)), ...later])
  const had = new Marks(database, readerOf(context), { mayLack: true })
  await had.mark(asked)
  const going = new Map<string, number>()
  for (const name of had.names()) if (!living.lives(name)) going.set(objectKey(name), going.size)
  const found = await rowsAbout(context, going)
  await detach(context, found.dependants)
  // What needs an object goes after it: an erasure that is interrupted finds the rest.
  const order = (row: ObjectName) => going.get(objectKey(row))!
  const rows = found.going.sort((a, b) => order(a) - order(b))
  // Young rows, too: those that go on from them were written anew, and who does so from now on is seen below.
  await inSlices(rows, (some) => database.transact((tx) => condemn(tx, sweep, some, farAhead())))
  await condemned()
  await living.mark(await allVersionRoots(database))
  const since = (await rowsAbout(context, going)).dependants
  const kept = new Set(since.flatMap(({ kind, bases }) => bases.map((hash) => objectKey({ kind, hash }))))
  const stays = (row: ObjectName) => living.lives(row) || kept.has(objectKey(row))
  await inSlices(rows.filter(stays), (some) => database.transact((tx) => pardon(tx, sweep, some)))
  const doomed = rows.filter((row) => !stays(row))
  const packs = new Set(doomed.map(({ packId }) => packId))
  const leaves = new Set(doomed.map(objectKey))
  for (const id of packs) await rewrite(context, id, leaves)
  await inSlices(doomed, async (some) => {
    erased.objects += await database.transact((tx) => removeCondemned(tx, sweep, some))
  })
  // What a commit has begun to need since.
  for (const id of packs) await rewrite(context, id)
  return kept.size > 0
}

const farAhead = () => new Date(Date.now() + 365 * 86_400_000)

/** Rows of what is to go, and rows of others that are stored as what differs from it. */
async function rowsAbout(
  { database }: SweepContext,
  going: ReadonlyMap<string, number>,
): Promise<{ going: SweptRow[]; dependants: SweptRow[] }> {
  const found: { going: SweptRow[]; dependants: SweptRow[] } = { going: [], dependants: [] }
  for await (const page of oldRows(database, farAhead())) {
    for (const row of page) {
      if (going.has(objectKey(row))) found.going.push(row)
      else if (row.bases.some((hash) => going.has(objectKey({ kind: row.kind, hash }))))
        found.dependants.push(row)
    }
  }
  return found
}

/** Writes objects anew, each to stand alone. */
async function detach(context: SweepContext, rows: readonly SweptRow[]): Promise<void> {
  const { database, blobs } = context
  const reader = readerOf(context)
  await inSlices(
    rows,
    async (some) => {
      const names = await packNames(database, [...new Set(some.map(({ packId }) => packId))])
      const writer = openObjectWriter({ database, blobs, lookUp: false })
      try {
        for (const { kind, hash } of some) {
          try {
            await writer.add(kind, hash, await reader.raw(kind, hash))
          } catch (error) {
            // Swept meanwhile.
            if (!(error instanceof ObjectMissing)) throw error
          }
        }
        const { packs } = await writer.finish()
        const replaced = some.map(({ kind, hash, packId }) => ({ kind, hash, pack: names.get(packId) ?? '' }))
        await database.transact((tx) => recordPacks(tx, { packs, reliedOn: [], replaced }))
      } catch (error) {
        await writer.abort()
        throw error
      }
    },
    detachedAtOnce,
  )
}

/** A pack without what left the index and what is about to, in another place; nothing else is left in its own. */
async function rewrite(
  context: SweepContext,
  packId: number,
  leaves: ReadonlySet<string> = new Set(),
): Promise<void> {
  const { database, blobs } = context
  const entries = (await rowsOfPack(database, packId)).filter((row) => !leaves.has(objectKey(row)))
  const name = (await packNames(database, [packId])).get(packId)
  if (entries.length === 0 || name === undefined) return
  const copy = await copyObjects(blobs, packsOf(context), [{ name, entries }])
  await database.transact((tx) => moveRows(tx, copy, [packId]))
}

/**
 * Removes packs of which the index has nothing, and those that an earlier sweep no longer came to remove. They are forgotten and doomed at
 * once, so that whatever is recorded is there, and nobody forgets where they are while they are there.
 */
async function removeWithoutRows({ database, blobs }: SweepContext, erased: Erased): Promise<void> {
  const empty = await emptyPacks(database)
  await inSlices(empty, (some) => database.transact((tx) => doomPacks(tx, some)))
  for (;;) {
    const doomed = await doomedPacks(database, rowsAtOnce)
    if (doomed.length === 0) return
    for (const { name } of doomed) await blobs.remove(name)
    await database.transact((tx) =>
      takeBack(
        tx,
        doomed.map(({ name }) => name),
      ),
    )
    addTo(erased.removed, doomed)
  }
}

async function inSlices<T>(
  all: readonly T[],
  work: (some: readonly T[]) => Promise<void>,
  atOnce = rowsAtOnce,
): Promise<void> {
  for (let i = 0; i < all.length; i += atOnce) await work(all.slice(i, i + atOnce))
}
