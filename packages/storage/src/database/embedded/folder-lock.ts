/**
 * The lock on an embedded database's folder: PGlite must be the only process on its files.
 *
 * Node has no `flock`, but SQLite takes a real file lock (`fcntl`, `LockFileEx` on Windows) that the kernel releases when the
 * process ends, however it ends. So there is no stale lock to judge and no process id to mistake for another's, also when two
 * containers, each with processes numbered from 1, share the folder. Network file systems without locks are not covered.
 * Nothing is ever stored in that SQLite file; who holds the lock is written beside it, for the message alone.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isStorageFull } from '../../errors/storage-full.ts'

/** Another process, or this one, has the folder open. The sentence names it. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
  readonly folder: string
  /** As in "process 1234 on lagoon since 2026-01-31T12:00:00.000Z". */
  readonly holder: string

  constructor(folder: string, holder: string) {
    super(
      `The data folder ${folder} is in use by ${holder}. Stop it first, or give this one a folder of its own.`,
    )
    this.folder = folder
    this.holder = holder
  }
}

export interface FolderLock {
  release(): void
}

const sqliteBusy = 5

/**
 * Takes the lock on a folder, which is made when it is absent, without waiting.
 * @throws FolderInUse when someone holds it.
 */
export function lockFolder(folder: string): FolderLock {
  makeFolders(folder)
  const holderFile = join(folder, 'lock-holder')
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
  try {
    // A journal on disk would need room, which the folder may not have.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy)
      throw new FolderInUse(folder, readHolder(holderFile))
    throw error
  }
  try {
    writeHolder(holderFile)
  } catch (error) {
    // The lock holds without it, and a full disk is no reason not to start.
    if (!isStorageFull(error)) {
      lock.close()
      throw error
    }
  }
  return {
    release() {
      if (!lock.isOpen) return
      rmSync(holderFile, { force: true })
      lock.close()
    },
  }
}

function writeHolder(file: string): void {
  const written = `${file}.new`
  writeFileSync(written, `process ${process.pid} on ${hostname()} since ${new Date().toISOString()}`)
  renameSync(written, file)
}

/** Writer of the holder's file; just after a crash and a new start, possibly still the crashed process. */
function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8') || 'another process'
  } catch {
    return 'another process'
  }
}

const ownerOnly = 0o700

/**
 * Makes a folder and those above it that are absent, for this account alone. Synchronous.
 * One by one, because Node's recursive `mkdir` never returns on a file system that takes no folders, such as `/proc`.
 * @throws what the file system answers, such as EACCES, ENOSPC and ENOENT
 */
export function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolders(parent)
  try {
    mkdirSync(folder, { mode: ownerOnly })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error
  }
}
