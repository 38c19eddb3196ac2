/** The folder of a server for its tables. Servers with one `DATA_DIR` get a folder each: they would evict and lock files of each other. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderInUseError, type FolderLock, lockFolder } from '@ulmus/storage'
import { isFolderName } from './sweep-tables.ts'

/** Servers with one data folder. */
const serversMax = 64

export interface OwnFolder {
  readonly folder: string
  release(): void
}

/**
 * Takes the first folder below `base` that no other server has, and deletes those of servers that are gone, with all else below `base`:
 * erased data would stay there.
 */
export async function takeFolder(base: string): Promise<OwnFolder> {
  // A server with both stores elsewhere may have no data folder yet.
  await mkdir(base, { recursive: true, mode: 0o700 })
  for (let n = 1; ; n++) {
    const lock = lockOf(base, String(n))
    if (lock === undefined && n < serversMax) continue
    if (lock === undefined) throw new Error(`${serversMax} servers use the folder.`)
    const folder = join(base, String(n))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await deleteOthers(base, String(n))
    return { folder, release: () => lock.release() }
  }
}

async function deleteOthers(base: string, own: string): Promise<void> {
  for (const name of await readdir(base)) {
    if (name === own || name.endsWith(lockEnding)) continue
    const lock = isFolderName(name) ? lockOf(base, name) : undefined
    if (isFolderName(name) && lock === undefined) continue
    await rm(join(base, name), { recursive: true, force: true })
    lock?.release()
  }
}

const lockEnding = '.lock'

/** Undefined if another server has it. */
function lockOf(base: string, name: string): FolderLock | undefined {
  try {
    return lockFolder(join(base, `${name}${lockEnding}`))
  } catch (error) {
    if (error instanceof FolderInUseError) return undefined
    throw error
  }
}
