/**
 * Fills empty stores with a registry's contents: the blobs first, then the rows in one transaction, and last the id that joins
 * the two. A server does not start on half-filled stores. A mark in the object store identifies the contents, so that the same
 * filling can resume after an interruption.
 */
import {
  type BlobStore,
  countSealedMails,
  type Database,
  findInstallation,
  holdsNoRows,
  installationName,
  loadDump,
  migrationTimes,
  readDump,
  setMovedTo,
} from '@ulmus/storage'
import { makePrivate } from '../stores/data-folder.ts'
import { capital, fillingName, fillingOf, holdsBlobs, StoresUnfitError } from '../stores/installation.ts'
import { foldersOf, openObjectStore, openRows, placesOf, type StoresConfig } from '../stores/stores.ts'
import { type BlobToCopy, forEachBlob, listed } from './copy.ts'
import { blobPrefixes } from './shelf.ts'

/** Contents to fill the stores with: a backup, or the stores of another place. */
export interface Filling {
  /** Text of the mark; equal for equal contents. */
  readonly mark: string
  readonly installation: string
  /** The last migration of the dumped database. */
  readonly migration: number
  /** Undefined: the database stays in its place. */
  readonly dump: (() => AsyncIterable<Uint8Array>) | undefined
  /** Undefined: the objects stay in their place. */
  readonly objects:
    | {
        readonly blobs: readonly BlobToCopy[]
        copy(to: BlobStore, blob: BlobToCopy): Promise<unknown>
      }
    | undefined
  /** Runs once the rows are loaded and migrated. A resumed filling runs it again. */
  readonly settle?: (database: Database) => Promise<void>
  /** Push sessions to delete, because data that they received is missing. */
  readonly endedPushes: Iterable<string>
}

export interface FillingReport {
  /** Rows of all tables. */
  readonly rows: number
  /** Webhooks among them, whose secrets are encrypted with a key that no backup has. */
  readonly webhooks: number
  /** Mails among them whose link is encrypted with that key and still to be sent. */
  readonly mails: number
  readonly blobs: { readonly count: number; readonly bytes: number }
  /** Those of `blobs` that an interrupted filling had not copied yet. */
  readonly copied: { readonly count: number; readonly bytes: number }
}

/**
 * Fills the stores of `config`. The installation id is written after all contents, since servers start only on stores that have it.
 * @throws StoresUnfitError for stores that are not empty; BlobMissingError, BlobDamagedError, DumpUnreadableError, and the errors of opening the
 * stores.
 */
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
    await store.remove(fillingName)
  }
  return report
}

/**
 * Copies the blobs and loads the rows into tables of the dump's release. Closes the database at the end; `migrateOn` opens it
 * again to migrate.
 */
async function fill(
  config: StoresConfig,
  store: BlobStore | undefined,
  filling: Filling,
  isAgain: boolean,
): Promise<FillingReport> {
  await using opened = new AsyncDisposableStack()
  const database = filling.dump && (await openRows(config, opened, { last: filling.migration }))
  const isLoaded = database !== undefined && (await demandNoRows(database, config, filling, isAgain))
  if (!isAgain) await store?.put(fillingName, Buffer.from(filling.mark))
  const copied = await copyAll(store, filling)
  const loaded = database === undefined || isLoaded ? none : await load(database, filling)
  return { ...loaded, ...copied }
}

type Loaded = Pick<FillingReport, 'rows' | 'webhooks' | 'mails'>
const none: Loaded = { rows: 0, webhooks: 0, mails: 0 }

/** @throws StoresUnfitError for a dump of a newer or an unreleased version */
function demandKnown(migration: number): void {
  if (migrationTimes().includes(migration)) return
  throw new StoresUnfitError(
    migration > migrationTimes().at(-1)!
      ? 'The database in it is of a newer release than this program. Use that release or a newer one, or name an older backup with --backup.'
      : 'The database in it was made by a version of this program that was never released. Use the version that made it.',
  )
}

/** Option that chooses the backup of an interrupted restore, also if there are newer ones. */
const againBy = (mark: string): string =>
  mark.startsWith('restore ') ? `, with --backup ${mark.slice('restore '.length, 120)}` : ''

/** True if the same filling was interrupted here. @throws StoresUnfitError for a store with other contents */
async function hasBegun(store: BlobStore, config: StoresConfig, mark: string): Promise<boolean> {
  const found = await fillingOf(store)
  if (found === mark) return true
  const { objects } = placesOf(config)
  if (found !== undefined)
    throw new StoresUnfitError(
      `There are ${objects}, of another restore or move (${found}) that was interrupted. Run that one again${againBy(found)}, empty the place, or name another one (OBJECT_STORE, DATA_DIR).`,
    )
  if (await holdsBlobs(store))
    throw new StoresUnfitError(
      `There are ${objects}, and nothing is put over them. Name another place (OBJECT_STORE, DATA_DIR), or move them away.`,
    )
  return false
}

/** @returns true if an earlier attempt loaded the rows, which happens in one transaction */
async function demandNoRows(
  database: Database,
  config: StoresConfig,
  { installation }: Filling,
  isAgain: boolean,
): Promise<boolean> {
  if (await holdsNoRows(database)) return false
  if (isAgain && (await findInstallation(database)) === installation) return true
  throw new StoresUnfitError(
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
    await objects.copy(store, blob)
    add(copied, blob)
  })
  return { blobs, copied }
}

function add(to: { count: number; bytes: number }, { bytes }: BlobToCopy): void {
  to.count++
  to.bytes += bytes
}

async function load(database: Database, { dump, endedPushes, installation }: Filling): Promise<Loaded> {
  const counts = await database.transact(async (tx) => {
    const loaded = await loadDump(tx, readDump(dump!()))
    await tx.query('delete from pushes where id = any($1::uuid[])', [[...endedPushes]])
    await setMovedTo(tx, null)
    return loaded
  })
  if ((await findInstallation(database)) !== installation)
    throw new StoresUnfitError('The dump is of another installation than its backup says.')
  await database.query('analyze')
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return { rows, webhooks: counts['webhooks'] ?? 0, mails: await countSealedMails(database) }
}

/** Migrates data of an older release, as a start does. */
async function migrateOn(config: StoresConfig, { dump, migration, settle }: Filling): Promise<void> {
  if (dump === undefined || (migration === migrationTimes().at(-1) && settle === undefined)) return
  await using opened = new AsyncDisposableStack()
  const database = await openRows(config, opened)
  await settle?.(database)
}
