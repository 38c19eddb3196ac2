/**
 * Opens both halves of a registry for a backup, also while a server runs: dumps the database, and opens the objects that belong to
 * the dump.
 */
import { join } from 'node:path'
import { type BlobStore, FolderInUseError, writeDump } from '@ulmus/storage'
import { demandInstallation } from '../stores/installation.ts'
import { openObjectStore, openStores, placesOf, type StoresConfig } from '../stores/stores.ts'
import { askForDump } from './channel.ts'

/** Wait this long for a server that starts or stops. Milliseconds. */
const waitMilliseconds = 20_000
/** Interval of attempts. */
const stepMilliseconds = 500

/**
 * Writes a dump of the database to a new file. If a server has an embedded database open, that server writes the dump.
 * @throws DumpRefusedError, and the errors of `openStores`
 */
export async function takeDump(config: StoresConfig, file: string): Promise<void> {
  if (config.databaseUrl !== undefined) return dumpHere(config, file)
  const folder = join(config.dataFolder, 'database')
  for (const until = performance.now() + waitMilliseconds; ; ) {
    if (await askForDump(folder, file)) return
    try {
      return await dumpHere(config, file)
    } catch (error) {
      // A server holds the lock before it listens and after it stopped listening.
      if (!(error instanceof FolderInUseError) || performance.now() > until) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, stepMilliseconds))
  }
}

async function dumpHere(config: StoresConfig, file: string): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const { database } = await openStores(config, opened, 'check')
  await writeDump(database, file)
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
