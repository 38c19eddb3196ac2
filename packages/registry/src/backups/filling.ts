/**
 * Filling empty stores with what a registry has: its blobs first, then its rows in one transaction, and last the id that joins the two.
 * A server does not start on what was half filled. A mark in the object store says of what it is being filled, so that the same may go on
 * where it broke off.
 */
import {
  BlobMissing,
  type BlobStore,
  type Database,
  findInstallation,
  holdsNoRows,
  installationName,
  loadDump,
  migrationTimes,
  readDump,
} from '@ulmus/storage'
import { makePrivate } from '../stores/data-folder.ts'
import { capital, holdsBlobs, StoresUnfit } from '../stores/installation.ts'
import { foldersOf, openObjectStore, openRows, placesOf, type StoresConfig } from '../stores/stores.ts'
import { type BlobToCopy, copyBlob, forEachBlob, listed } from './copy.ts'
import { blobPrefixes } from './shelf.ts'

export interface Filling {
  /** Text of the mark: equal for equal contents. */
  readonly mark: string
  readonly installation: string
  /** The last migration of the database that the dump is of. */
  readonly migration: number
  /** Undefined: the database stays where it is. */
  readonly dump: (() => AsyncIterable<Uint8Array>) | undefined
  /** Undefined: the objects stay where they are. */
  readonly objects:
    | { readonly from: Pick<BlobStore, 'stream'>; readonly blobs: readonly BlobToCopy[] }
    | undefined
  /** Push sessions that go, because something is not there that they had received. */
  readonly endedPushes: Iterable<string>
}

export interface FillingReport {
  /** Rows of all tables. */
  readonly rows: number
  readonly blobs: { readonly count: number; readonly bytes: number }
  /** Those of them that were not there yet, from a time before. */
  readonly copied: { readonly count: number; readonly bytes: number }
}

const markName = 'installation/filling'

/** @throws StoresUnfit for stores that are not empty; BlobMissing, BlobDamaged, DumpUnreadable, and what opening the stores throws. */
export async function fillStores(config: StoresConfig, filling: Filling): Promise<FillingReport> {
  demandKnown(filling.migration)
  await using opened = new AsyncDisposableStack()
  const folders = foldersOf(config)
  makePrivate(config.dataFolder, folders, config.log, true)
  const store = filling.objects && (await openObjectStore(config, opened))
  const isAgain = store !== undefined && (await hasBegun(store, config, filling.mark))
  const report = await fill(config, store, filling, isAgain)
  await migrateOn(config, filling)
  if (store !== undefined) {
    await store.put(installationName, Buffer.from(`${filling.installation}\n`))
    await store.remove(markName)
  }
  return report
}

/** The database is closed again: the rows go into tables as they were when the dump was made, which are migrated then. */
async function fill(
  config: StoresConfig,
  store: BlobStore | undefined,
  filling: Filling,
  isAgain: boolean,
): Promise<FillingReport> {
  await using opened = new AsyncDisposableStack()
  const database = filling.dump && (await openRows(config, opened, filling.migration))
  const isLoaded = database !== undefined && (await demandNoRows(database, config, filling, isAgain))
  if (!isAgain) await store?.put(markName, Buffer.from(filling.mark))
  const copied = await copyAll(store, filling)
  const rows = database === undefined || isLoaded ? 0 : await load(database, filling)
  return { rows, ...copied }
}

/** @throws StoresUnfit for what a newer release wrote */
function demandKnown(migration: number): void {
  if (migrationTimes().includes(migration)) return
  throw new StoresUnfit(
    migration > migrationTimes().at(-1)!
      ? 'The database in it is of a newer release than this program. Use that release, or a newer one.'
      : 'The database in it was made by a version of this program that was never released. Use the version that made it.',
  )
}

/** Whether the same has been put there in part. @throws StoresUnfit for a store that holds anything else */
async function hasBegun(store: BlobStore, config: StoresConfig, mark: string): Promise<boolean> {
  const found = await markIn(store)
  if (found === mark) return true
  const { objects } = placesOf(config)
  if (found !== undefined)
    throw new StoresUnfit(
      `There are ${objects}, which something else began to be put into and did not come to its end. Empty it, or name another place (OBJECT_STORE, DATA_DIR).`,
    )
  if (await holdsBlobs(store))
    throw new StoresUnfit(
      `There are ${objects}, and nothing is put over them. Name another place (OBJECT_STORE, DATA_DIR), or move them away.`,
    )
  return false
}

async function markIn(store: BlobStore): Promise<string | undefined> {
  try {
    return Buffer.from(await store.read(markName)).toString()
  } catch (error) {
    if (error instanceof BlobMissing) return undefined
    throw error
  }
}

/** @returns whether its rows have been loaded before, as all of them are at once */
async function demandNoRows(
  database: Database,
  config: StoresConfig,
  { installation }: Filling,
  isAgain: boolean,
): Promise<boolean> {
  if (await holdsNoRows(database)) return false
  if (isAgain && (await findInstallation(database)) === installation) return true
  throw new StoresUnfit(
    `${capital(placesOf(config).database)} is not empty, and nothing is put over what it has. Name an empty one (DATABASE_URL, DATA_DIR), or move it away.`,
  )
}

async function copyAll(
  store: BlobStore | undefined,
  { objects }: Filling,
): Promise<Pick<FillingReport, 'blobs' | 'copied'>> {
  const [blobs, copied] = [
    { count: 0, bytes: 0 },
    { count: 0, bytes: 0 },
  ]
  if (store === undefined || objects === undefined) return { blobs, copied }
  const stored = await listed(store, blobPrefixes)
  await forEachBlob(objects.blobs, async (blob) => {
    add(blobs, blob)
    if (stored.get(blob.name) === blob.bytes) return
    await copyBlob(objects.from, store, blob)
    add(copied, blob)
  })
  return { blobs, copied }
}

function add(to: { count: number; bytes: number }, { bytes }: BlobToCopy): void {
  to.count++
  to.bytes += bytes
}

async function load(database: Database, { dump, endedPushes, installation }: Filling): Promise<number> {
  const counts = await database.transact(async (tx) => {
    const loaded = await loadDump(tx, readDump(dump!()))
    await tx.query('delete from pushes where id = any($1::uuid[])', [[...endedPushes]])
    return loaded
  })
  if ((await findInstallation(database)) !== installation)
    throw new StoresUnfit('The dump is of another installation than its backup says.')
  await database.query('analyze')
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** Migrates data of an older release, as a start does. */
async function migrateOn(config: StoresConfig, { dump, migration }: Filling): Promise<void> {
  if (dump === undefined || migration === migrationTimes().at(-1)) return
  await using opened = new AsyncDisposableStack()
  await openRows(config, opened)
}
