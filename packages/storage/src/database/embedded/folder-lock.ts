/**
 * The lock on an embedded database's folder: PGlite must be the only process on its files.
 *
 * Node has no `flock`, but SQLite takes a real file lock (`fcntl`, `LockFileEx` on Windows) that the kernel releases when the
 * process ends, even after a crash. So there are no stale locks to detect, and no process ids to confuse if two
 * containers, each numbering processes from 1, share the folder. Network file systems without locks are not covered.
 * That SQLite file never stores anything; the holder's name is in a file beside it, for the error message only.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isStorageFull } from '../../errors/storage-full.ts'

/** Another process, or this one, has the folder open. The message names the holder. */
export class FolderInUseError extends Error {
  override name = 'FolderInUseError'
  readonly folder: string
  /** Such as "process 1234 on lagoon since 2026-01-31T12:00:00.000Z". */
  readonly holder: string

  constructor(folder: string, holder: string) {
    super(
      `The data folder ${folder} is in use by ${holder}. Stop it first, or give this one a folder of its own.`,
    )
    this.folder = folder
    this.holder = holder
  }
}

/** A taken lock. */
export interface FolderLock {
  release(): void
}

/** SQLite's result code for a lock that another connection has (SQLITE_BUSY). */
const sqliteBusy = 5

/**
 * Locks a folder without waiting; creates it if absent.
 * @throws FolderInUseError if the lock is taken.
 */
export function lockFolder(folder: string): FolderLock {
  makeFolders(folder)
  const holderFile = join(folder, 'lock-holder')
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
  try {
    // A journal on disk would need space, which the disk may not have.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy)
      throw new FolderInUseError(folder, readHolder(holderFile))
    throw error
  }
  try {
    writeHolder(holderFile)
  } catch (error) {
    // The lock works without the holder's file, so a full disk does not prevent the start.
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

/** Writer of the holder's file. Just after a crash and restart, this may still be the crashed process. */
function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8') || 'another process'
  } catch {
    return 'another process'
  }
}

const ownerOnly = 0o700

/**
 * Creates a folder and its absent parents, for this account alone. Synchronous. Creates them one by one, because Node's recursive `mkdir`
 * never returns on a file system without folders, such as `/proc`.
 * @throws errors of the file system, such as EACCES, ENOSPC and ENOENT
 */
export function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolders(parent)
  try {
    mkdirSync(folder, { mode: ownerOnly })
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) throw error
  }
}
