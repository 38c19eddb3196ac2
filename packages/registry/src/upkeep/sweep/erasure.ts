/**
 * Erases data that only withdrawn versions have (http-api §11), before the rest of a sweep, whatever its age, without setting it
 * aside.
 *
 *     files of the versions that no other version of the collection has
 *       ─▶ forgotten there; removed if no other collection has them
 *     objects of the versions that no other version has
 *       ─▶ deltas to them are rewritten without a base
 *       ─▶ condemned; objects needed by commits meanwhile are pardoned (storage sql/objects/sweeps.ts explains why)
 *       ─▶ packs with any of the rest are rewritten without it, also copies that the index does not list (erased-packs.ts)
 *       ─▶ the rest leaves the index, and packs that are empty then are removed
 *
 * A version is erased when all of that is done; until then each sweep continues it. References go last: files before the trees
 * that name them, bytes before the rows with their location. Objects that a commit began to need meanwhile wait for the next
 * sweep, and erasures blocked by damage for the first sweep after the repair (held-up.ts).
 */
import {
  condemn,
  doomedPacks,
  doomPacks,
  emptyPacks,
  endErasure,
  endPeriodicTask,
  ObjectMissingError,
  type ObjectName,
  type ObjectReader,
  objectKey,
  oldRows,
  openObjectReader,
  openObjectWriter,
  packNames,
  pardon,
  recordPacks,
  removeCondemned,
  rootsToKeep,
  type SweptRow,
  takeBack,
  type VersionToErase,
  versionsToErase,
} from '@ulmus/storage'
import type { Context } from '../../context.ts'
import type { Damage } from '../fsck/damage.ts'
import { eraseFiles, filesOf } from './erased-files.ts'
import { rewritePack, takeOutOfPacks } from './erased-packs.ts'
import { blockedAmong, named } from './held-up.ts'
import { Marks } from './marks.ts'
import { addTo, noBlobs, type Tally } from './unreferenced.ts'

/** Name of the last end of an erasure, for all servers. */
export const erasures = 'erasures'

type SweepContext = Pick<Context, 'database' | 'blobs'>

export interface Erased {
  versions: number
  /** Objects removed from the index. */
  objects: number
  /** Packs and files removed from the store. */
  removed: Tally
  /** Erasures blocked by damage, and the damage. */
  heldUp: Damage[]
}

/** Cache of decoded objects while marking. Bytes. */
const cacheBytes = 33_554_432
/** Rows that one transaction condemns, pardons or removes. */
const rowsAtOnce = 5_000
/** Objects rewritten in one transaction. */
const detachedAtOnce = 500

/**
 * Erases all requested versions together. If damage blocks that, erases each version alone, so that only those with damage are
 * left: their data stays in place, and they stay queued.
 * @param sweep id of the current sweep
 * @param condemned called when all doomed objects are condemned, for tests
 */
export async function eraseWithdrawn(
  context: SweepContext,
  sweep: string,
  condemned: () => Promise<void>,
): Promise<Erased> {
  const erased: Erased = { versions: 0, objects: 0, removed: noBlobs(), heldUp: [] }
  const requested = await versionsToErase(context.database)
  if (requested.length === 0) return erased
  const erase = (some: readonly VersionToErase[]) =>
    eraseVersions(context, { sweep, requested: some, erased, condemned })
  const blocked = await blockedAmong(requested, erase)
  erased.heldUp = await named(context.database, blocked)
  await removeWithoutRows(context, erased)
  return erased
}

interface Erasing {
  sweep: string
  requested: readonly VersionToErase[]
  erased: Erased
  condemned: () => Promise<void>
}

async function eraseVersions(context: SweepContext, erasing: Erasing): Promise<void> {
  const { requested, erased } = erasing
  const objects = readerOf(context)
  const files = await filesOf(objects, requested)
  const waitingFor = await eraseFiles({ ...context, objects }, files, erased.removed)
  const ready = requested.filter(({ id }) => !waitingFor.has(id))
  if (await eraseObjects(context, { ...erasing, requested: ready })) return
  await removeWithoutRows(context, erased)
  const ids = ready.map(({ id }) => id)
  erased.versions += await context.database.transact(async (tx) => {
    // All servers delete their tables then (table-sweep.ts).
    await endPeriodicTask(tx, erasures, true)
    return endErasure(tx, ids)
  })
}

const readerOf = ({ database, blobs }: SweepContext): ObjectReader =>
  openObjectReader({ database, blobs, cacheBytesMax: cacheBytes })

/** @returns true if something stays: an object that a commit began to need, or that another sweep is about to remove */
async function eraseObjects(
  context: SweepContext,
  { sweep, requested, erased, condemned }: Erasing,
): Promise<boolean> {
  const { database } = context
  const living = new Marks(database, readerOf(context))
  const ids = new Set(requested.map(({ id }) => id))
  const mark = async () => living.mark((await rootsToKeep(database)).filter(({ id }) => !ids.has(id)))
  await mark()
  const had = new Marks(database, readerOf(context), { mayLack: true })
  await had.mark(requested)
  const going = new Map<string, number>()
  for (const name of had.names()) if (!living.lives(name)) going.set(objectKey(name), going.size)
  const found = await rowsAbout(context, going)
  await detach(context, found.dependants)
  // Referenced objects go before those that refer to them, so that a sweep after an interruption finds the rest.
  const order = (row: ObjectName) => going.get(objectKey(row))!
  const rows = found.going.sort((a, b) => order(a) - order(b))
  // Condemn young rows, too: deltas to them were rewritten, and the next mark finds new ones.
  await inSlices(rows, (some) => database.transact((tx) => condemn(tx, sweep, some, farAhead())))
  await condemned()
  await mark()
  const since = (await rowsAbout(context, going)).dependants
  const kept = new Set(since.flatMap(({ kind, bases }) => bases.map((hash) => objectKey({ kind, hash }))))
  const stays = (row: ObjectName) => living.lives(row) || kept.has(objectKey(row))
  await inSlices(rows.filter(stays), (some) => database.transact((tx) => pardon(tx, sweep, some)))
  const doomed = rows.filter((row) => !stays(row))
  const packs = await takeOutOfPacks(context, doomed, erased.removed)
  let removed = 0
  await inSlices(doomed, async (some) => {
    removed += await database.transact((tx) => removeCondemned(tx, sweep, some))
  })
  erased.objects += removed
  // Move rows that were pardoned meanwhile.
  for (const id of packs) await rewritePack(context, id, new Set())
  if (kept.size > 0 || removed === doomed.length) return kept.size > 0
  return (await rowsAbout(context, going)).going.some((row) => !stays(row))
}

const farAhead = () => new Date(Date.now() + 365 * 86_400_000)

/** Rows of doomed objects, and rows of other objects that are deltas to them. */
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

/** Rewrites objects without bases. */
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
            // The object was swept meanwhile.
            if (!(error instanceof ObjectMissingError)) throw error
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

/**
 * Removes packs without rows in the index, and packs left by an earlier sweep. Forgets and dooms them in one transaction, so that
 * recorded packs always exist, and no existing pack is lost track of.
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
