/** The two halves of a registry as a backup reads them: a dump of the database, and the objects beside it. */
import { join } from 'node:path'
import { type BlobStore, FolderInUse, writeDump } from '@ulmus/storage'
import { demandInstallation } from '../stores/installation.ts'
import { openObjectStore, openStores, placesOf, type StoresConfig } from '../stores/stores.ts'
import { askForDump } from './channel.ts'

/** How long a server that starts or ends is waited for. Milliseconds. */
const waitMilliseconds = 20_000
const stepMilliseconds = 500

/**
 * Writes a dump of the database to a new file. Of an embedded database that a server has open, that server writes it.
 * @throws DumpRefused, and what `openStores` throws
 */
export async function takeDump(config: StoresConfig, file: string): Promise<void> {
  if (config.databaseUrl !== undefined) return dumpHere(config, file)
  const folder = join(config.dataFolder, 'database')
  for (const until = performance.now() + waitMilliseconds; ; ) {
    if (await askForDump(folder, file)) return
    try {
      return await dumpHere(config, file)
    } catch (error) {
      // It has the lock before it listens, and after it has ceased to.
      if (!(error instanceof FolderInUse) || performance.now() > until) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, stepMilliseconds))
  }
}

async function dumpHere(config: StoresConfig, file: string): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const { database } = await openStores(config, opened, 'check')
  await writeDump(database, file)
}

/** The objects that belong to a dump. @throws StoresUnfit for those of another installation */
export async function openObjects(
  config: StoresConfig,
  installation: string,
  opened: AsyncDisposableStack,
): Promise<BlobStore> {
  const blobs = await openObjectStore(config, opened)
  await demandInstallation(blobs, installation, placesOf(config))
  return blobs
}
