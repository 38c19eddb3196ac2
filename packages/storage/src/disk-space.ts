/**
 * Watches the free space of the file systems with data. Writes are refused while less than a reserve is free, so that the database can
 * still write its log, and deletions still work.
 */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sizeText } from '@ulmus/content/quantities'
import { StorageFullError } from './errors/storage-full.ts'

/** Free space, as stores and services query it before they write. */
export interface DiskSpace {
  /** True if less than the reserve is free. Queries the file systems at most once a second. */
  isFull(): Promise<boolean>
  /**
   * Queries the file systems at once if `bytes` is given.
   * @param bytes Size of the next write, if it is known.
   * @throws StorageFullError if the write would leave less than the reserve.
   */
  demand(bytes?: number): Promise<void>
  /** Free bytes; Infinity if unknown. Queries the file systems at most once a second. */
  free(): Promise<number>
}

/** Lifetime of a cached answer of the file systems. Milliseconds. */
const answerMilliseconds = 1_000
/** A file system with free inodes for fewer files counts as full: the database's log keeps creating files. */
const filesMin = 256

/** For remote stores, which report themselves when they are full. */
export const unlimitedSpace: DiskSpace = {
  isFull: async () => false,
  demand: async () => undefined,
  free: async () => Number.POSITIVE_INFINITY,
}

export interface ReservedFolders {
  /** Existing folders, possibly on different file systems. If empty, nothing is ever full. */
  readonly folders: readonly string[]
  /** If 0, only the file systems themselves refuse writes. */
  readonly reserveBytes: number
}

export function watchSpace(options: ReservedFolders): DiskSpace {
  const { folders, reserveBytes } = options
  if (folders.length === 0) return unlimitedSpace
  let asked: { at: number; free: Promise<number> } | undefined

  function askAnew(): Promise<number> {
    const free = freeBytesOf(folders)
    asked = { at: performance.now(), free }
    return free
  }
  const lately = () =>
    asked !== undefined && performance.now() - asked.at < answerMilliseconds ? asked.free : askAnew()

  if (reserveBytes === 0) return { ...unlimitedSpace, free: lately }

  return {
    free: lately,
    isFull: async () => (await lately()) < reserveBytes,
    async demand(bytes) {
      const free = bytes === undefined ? await lately() : await askAnew()
      if (free - (bytes ?? 0) >= reserveBytes) return
      throw new StorageFullError(
        `The disk of ${folders.join(' and ')} has ${sizeText(free)} free${bytes === undefined ? '' : `, for a write of ${sizeText(bytes)}`}, and DISK_RESERVE_BYTES keeps ${sizeText(reserveBytes)} free. Free space on it, move DATA_DIR to a larger disk, or lower DISK_RESERVE_BYTES (default 256MiB).`,
      )
    },
  }
}

/**
 * @param options.folders may be still to make
 * @throws StorageFullError if a whole file system is smaller than the reserve, so that every write would be refused
 */
export async function demandReserveFits({ folders, reserveBytes }: ReservedFolders): Promise<void> {
  for (const folder of folders) {
    const bytes = await sizeOf(folder)
    if (bytes < reserveBytes)
      throw new StorageFullError(
        `The disk of ${folder} has ${sizeText(bytes)} in all, and DISK_RESERVE_BYTES keeps ${sizeText(reserveBytes)} free: every write would be refused. Lower DISK_RESERVE_BYTES (default 256MiB), or move DATA_DIR to a larger disk.`,
      )
  }
}

/** Size of the file system of a folder, in bytes; Infinity if it is not reported. A missing folder will be made on the file system of its parent. */
async function sizeOf(folder: string): Promise<number> {
  if (!existsSync(folder) && dirname(folder) !== folder) return sizeOf(dirname(folder))
  try {
    const { bsize, blocks } = await statfs(folder)
    return blocks > 0 ? blocks * bsize : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Free bytes of the fullest file system. One that does not report its space counts as empty: it refuses writes itself. */
async function freeBytesOf(folders: readonly string[]): Promise<number> {
  const free = await Promise.all(folders.map(freeBytes))
  return Math.min(...free)
}

/** Bytes that this account may still write to the folder's file system. */
export async function freeBytes(folder: string): Promise<number> {
  try {
    const { bsize, bavail, files, ffree } = await statfs(folder)
    return files > 0 && ffree < filesMin ? 0 : bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
