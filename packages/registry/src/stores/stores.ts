/**
 * Opens the registry's two stores from configuration: the database, and the object store with packs, files and spills. Each may be
 * on disk or on a server. A server, a backup and an operator's command all open them here, so that none works on a wrong pair.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type BlobStore,
  type Database,
  type DiskSpace,
  demandReserveFits,
  hasEmbedded,
  keepBallast,
  type Migrations,
  openDatabase,
  openDiskStore,
  openS3Store,
  recordsBlobs,
  type S3Settings,
  watchSpace,
} from '@ulmus/storage'
import type { Log } from '../log.ts'
import { type Folders, makePrivate } from './data-folder.ts'
import {
  databaseMissing,
  demandFilled,
  holdsBlobs,
  joinStores,
  type Places,
  type Purpose,
  StoresUnfitError,
  storeLost,
} from './installation.ts'
import { demandUnmoved } from './moved.ts'
import { reportSlow } from './progress.ts'

/** Locations of the stores. `backups/move.ts` compares them, so a new kind of location must be compared there, too. */
export interface StoresConfig {
  /** Folder for data on disk: `objects/` unless `bucket` is given, and `database/` unless `databaseUrl` is. */
  dataFolder: string
  /** A PostgreSQL server; without it the embedded database. */
  databaseUrl?: string
  /** Bucket for objects. Default: a folder. */
  bucket?: S3Settings
  /** Free space of `dataFolder` to leave unused. Bytes. Default 0. */
  reserveBytes?: number
  /** This release, such as `0.1.0 (5852009b, 2026-11-29)`. Default: `unknown`. */
  release?: string
  /** True: migrate although servers of another release are alive. Default: refuse. */
  migratesBesideOthers?: boolean
  /** Folder of the migrations. Default: those of this release. Tests add some. */
  migrationsFolder?: string
  /** Receives errors of connections to the database; see `DatabaseConfig`. */
  lost?: (error: Error) => void
  log: Log
}

/** Both stores, known to belong together. */
export interface OpenStores {
  database: Database
  blobs: BlobStore
  space: DiskSpace
  /** @throws StoresUnfitError if one was exchanged or moved away under a running server. */
  demandSame(): Promise<void>
}

/**
 * Opens both; `opened` closes them. Only `serve` creates folders and migrates, and `rebuild` creates a missing database.
 * @param options.mayBeMoved true: accept stores that `move` left behind
 * @throws StoresUnfitError if they do not match, or one is missing or was moved; FolderInUseError if another process uses the data folder;
 * BucketUnusableError; DatabaseUnfitError; the errors of unreachable stores.
 */
export async function openStores(
  config: StoresConfig,
  opened: AsyncDisposableStack,
  purpose: Purpose,
  { mayBeMoved = false } = {},
): Promise<OpenStores> {
  const folders = foldersOf(config)
  const places = placesOf(config)
  demandFolders(config, folders, purpose)
  makePrivate(config.dataFolder, folders, config.log, purpose !== 'check')
  const reserveBytes = config.reserveBytes ?? 0
  const watched = Object.values(folders).filter((folder) => folder !== undefined)
  const space = watchSpace({ folders: watched, reserveBytes })
  let blobs: BlobStore | undefined
  const openBlobs = () => openObjectStore(config, opened, space)
  // Check before anything is created: a new database beside the objects would obstruct restoring the lost one.
  if (isMissing(folders.database, hasEmbedded) && !isMissing(folders.objects, existsSync)) {
    blobs = await openBlobs()
    await demandFilled(blobs, places)
    if (purpose !== 'rebuild' && (await holdsBlobs(blobs))) throw databaseMissing(places)
  }
  const database = await openRows(config, opened, { onlyNew: purpose !== 'serve' })
  if (folders.database !== undefined && reserveBytes > 0)
    opened.defer(ballastedAlways(folders.database, reserveBytes, config.log))
  if (isMissing(folders.objects, existsSync) && (await recordsBlobs(database))) throw storeLost(places)
  blobs ??= await openBlobs()
  const stores = { database, blobs }
  const demand = async (as: Purpose) => {
    await joinStores(stores, places, as)
    if (!mayBeMoved) await demandUnmoved(stores, places)
  }
  await demand(purpose)
  return { ...stores, space, demandSame: () => demand('check') }
}

/**
 * Opens only the database, and creates it if it is missing.
 * @param migrations default: all are run
 */
export async function openRows(
  config: StoresConfig,
  opened: AsyncDisposableStack,
  migrations: Pick<Migrations, 'last' | 'onlyNew'> = {},
): Promise<Database> {
  const { database: folder } = foldersOf(config)
  if (isMissing(folder, hasEmbedded))
    config.log.info({ folder }, 'There is no database yet: it is made, which may take a minute.')
  const doing =
    folder === undefined
      ? 'opening the database at DATABASE_URL (it may be recovering, or another server may be migrating it)'
      : `opening the database in ${folder} (it may be new, or recovering)`
  const database = await reportSlow(config.log, doing, () =>
    openDatabase({
      ...(folder === undefined ? { url: config.databaseUrl! } : { folder }),
      log: (line) => config.log.info({}, line),
      lost: config.lost,
      migrations: { ...migrations, folder: config.migrationsFolder, force: config.migratesBesideOthers },
      release: config.release ?? 'unknown',
    }),
  )
  opened.defer(() => database.close())
  return database
}

/** Opens only the objects, and creates their folder if it is missing. */
export async function openObjectStore(
  config: StoresConfig,
  opened: AsyncDisposableStack,
  space?: DiskSpace,
): Promise<BlobStore> {
  const { objects: folder } = foldersOf(config)
  const store =
    folder === undefined
      ? await reportSlow(config.log, 'checking the bucket of OBJECT_STORE', () => openS3Store(config.bucket!))
      : await openDiskStore(folder, space)
  opened.defer(() => store.close())
  return store
}

type Located = Pick<StoresConfig, 'dataFolder' | 'databaseUrl'> & { readonly bucket?: object | undefined }

/** Folders of the stores that are on disk. Their names are part of the data folder's format. */
export const foldersOf = ({ dataFolder, databaseUrl, bucket }: Located): Folders => ({
  database: databaseUrl === undefined ? join(dataFolder, 'database') : undefined,
  objects: bucket === undefined ? join(dataFolder, 'objects') : undefined,
})

/** Of stores that may be still to make. @throws StorageFullError if one of their disks is smaller than the reserve */
export function demandReserve(stores: Located, reserveBytes: number): Promise<void> {
  const folders = Object.values(foldersOf(stores)).filter((folder) => folder !== undefined)
  return demandReserveFits({ folders, reserveBytes })
}

const isMissing = (folder: string | undefined, isThere: (folder: string) => boolean): boolean =>
  folder !== undefined && !isThere(folder)

/** @throws StoresUnfitError if a command would have to create the stores that it inspects. */
function demandFolders({ dataFolder }: StoresConfig, folders: Folders, purpose: Purpose): void {
  if (purpose === 'serve') return
  const refuse = (what: string) => {
    throw new StoresUnfitError(
      `There is no ${what}. Set DATA_DIR to the data folder of the server; it is ${dataFolder} now.`,
    )
  }
  if (isMissing(folders.objects, existsSync)) refuse(`folder of objects ${folders.objects}`)
  if (purpose === 'check' && isMissing(folders.database, hasEmbedded))
    refuse(`database in ${folders.database}`)
}

/** Locations for messages, without credentials. */
export const placesOf = (config: StoresConfig): Places => placesIn(config, foldersOf(config))

const placesIn = ({ databaseUrl, bucket }: StoresConfig, folders: Folders): Places => ({
  database:
    databaseUrl === undefined
      ? `the database in ${folders.database}`
      : `the database at DATABASE_URL${hostOf(databaseUrl)}`,
  objects:
    bucket === undefined
      ? `objects in ${folders.objects}`
      : `objects in s3://${bucket.bucket}/${bucket.prefix}`,
})

/** Host and path of the URL, without credentials. */
function hostOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? '' : ` (${parsed.host}${parsed.pathname})`
}

/** Interval at which the ballast file of the database is checked. Milliseconds. */
const ballastMilliseconds = 10_000

/** @returns a function that stops the checks. */
function ballastedAlways(folder: string, reserveBytes: number, log: Log): () => void {
  const timer = setInterval(
    () =>
      void keepBallast(folder, reserveBytes).catch((error: unknown) =>
        log.warn({ err: error }, 'the ballast of the database could not be made'),
      ),
    ballastMilliseconds,
  )
  return () => clearInterval(timer)
}
