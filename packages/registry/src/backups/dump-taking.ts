/**
 * Opens both halves of a registry for a backup, also while a server runs: dumps the database, opens the objects that belong to the dump,
 * and records the complete backup.
 */
import { join } from 'node:path'
import { type BlobStore, FolderInUseError, type MadeBackup, noteBackup, writeDump } from '@ulmus/storage'
import { demandInstallation } from '../stores/installation.ts'
import { openObjectStore, openStores, placesOf, type StoresConfig } from '../stores/stores.ts'
import { askForDump, tellOfBackup } from './channel.ts'

/** Wait this long for a server that starts or stops. Milliseconds. */
const waitMilliseconds = 20_000
/** Interval of attempts. */
const stepMilliseconds = 500

/**
 * Writes a dump of the database to a new file. If a server has an embedded database open, that server writes the dump.
 * @throws DumpRefusedError, and the errors of `openStores`
 */
export const takeDump = (config: StoresConfig, file: string): Promise<void> =>
  byServerOrHere(
    config,
    (folder) => askForDump(folder, file),
    async (opened) => {
      const { database } = await openStores(config, opened, 'check')
      await writeDump(database, file)
    },
  )

/** Records a complete backup in the database, for the metrics. @throws DumpRefusedError, and the errors of `openStores` */
export const recordBackup = (config: StoresConfig, made: MadeBackup): Promise<void> =>
  byServerOrHere(
    config,
    (folder) => tellOfBackup(folder, made),
    async (opened) => {
      const { database } = await openStores(config, opened, 'check')
      await database.transactOnce((tx) => noteBackup(tx, made))
    },
  )

/** @param byServer asks the server that has an embedded database open; false: no server listens */
async function byServerOrHere(
  config: StoresConfig,
  byServer: (databaseFolder: string) => Promise<boolean>,
  here: (opened: AsyncDisposableStack) => Promise<void>,
): Promise<void> {
  const openHere = async () => {
    await using opened = new AsyncDisposableStack()
    await here(opened)
  }
  if (config.databaseUrl !== undefined) return openHere()
  const folder = join(config.dataFolder, 'database')
  for (const until = performance.now() + waitMilliseconds; ; ) {
    if (await byServer(folder)) return
    try {
      return await openHere()
    } catch (error) {
      // A server holds the lock before it listens and after it stopped listening.
      if (!(error instanceof FolderInUseError) || performance.now() > until) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, stepMilliseconds))
  }
}

/** Opens the objects that belong to a dump. @throws StoresUnfitError for those of another installation */
export async function openObjects(
  config: StoresConfig,
  installation: string,
  opened: AsyncDisposableStack,
): Promise<BlobStore> {
  const blobs = await openObjectStore(config, opened)
  await demandInstallation(blobs, installation, placesOf(config))
  return blobs
}
