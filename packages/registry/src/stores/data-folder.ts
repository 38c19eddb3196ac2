/** Permissions of the data folder, owner only: it contains private data and the hashes of keys and sessions. */
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { makeFolders } from '@ulmus/storage'
import type { Log } from '../log.ts'

/** Paths in the data folder; undefined for stores elsewhere. */
export interface Folders {
  database: string | undefined
  objects: string | undefined
}

const ownerOnly = 0o700
/** Permission bits of group and others. */
const othersBits = 0o077

/**
 * Restricts `folders` to their owner, and also the data folder above unless it has other content. Logs folders that stay open.
 * @param make creates a missing data folder
 */
export function makePrivate(dataFolder: string, folders: Folders, log: Log, make: boolean): void {
  const ours = [folders.database, folders.objects].filter((folder) => folder !== undefined)
  if (ours.length === 0 || process.platform === 'win32') return
  if (make) makeFolders(dataFolder)
  const names = new Set(['database', 'objects', 'tables', 'secrets.key', 'log.key', 'lost+found'])
  const holdsOurs = readdirSync(dataFolder).every((name) => names.has(name))
  for (const folder of holdsOurs ? [dataFolder, ...ours] : ours) close(folder, log)
  if (!holdsOurs && isOpen(dataFolder))
    log.warn(
      { folder: dataFolder },
      `Others may enter ${dataFolder}, which holds more than Ulmus keeps there; ${ours.map((folder) => basename(folder)).join('/ and ')}/ are closed to them.`,
    )
}

function close(folder: string, log: Log): void {
  if (!isOpen(folder)) return
  try {
    chmodSync(folder, ownerOnly)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPERM' && code !== 'EROFS') throw error
    log.warn(
      { folder },
      `Others than its owner may enter ${folder}, and this account may not change that. Set its mode to 0700.`,
    )
  }
}

function isOpen(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found !== undefined && (found.mode & othersBits) !== 0
}
