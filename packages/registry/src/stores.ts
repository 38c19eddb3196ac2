/** The two stores that everything rests on, opened from configuration. */
import { join } from 'node:path'
import {
  type BlobStore,
  type Database,
  openDatabase,
  openDiskStore,
  openS3Store,
  type S3Settings,
} from '@ulmus/storage'
import type { Log } from './context.ts'

export interface StoresConfig {
  /** Folder of what is kept on disk: `objects/` unless `bucket` is given, and `database/` unless `databaseUrl` is. */
  dataFolder: string
  /** A PostgreSQL server; without it the embedded database. */
  databaseUrl?: string
  /** Where objects are kept; without it in a folder. */
  bucket?: S3Settings
  log: Log
}

/**
 * Opens both; `opened` closes them.
 * @throws FolderInUse when another process has the data folder; BucketUnusable; what the stores reject with when they cannot be reached.
 */
export async function openStores(
  config: StoresConfig,
  opened: AsyncDisposableStack,
): Promise<{ database: Database; blobs: BlobStore }> {
  const { log } = config
  const where =
    config.databaseUrl === undefined
      ? { folder: join(config.dataFolder, 'database') }
      : { url: config.databaseUrl }
  const database = await openDatabase({ ...where, log: (line) => log.info({}, line) })
  opened.defer(() => database.close())
  const blobs =
    config.bucket === undefined
      ? await openDiskStore(join(config.dataFolder, 'objects'))
      : await openS3Store(config.bucket)
  opened.defer(() => blobs.close())
  return { database, blobs }
}
