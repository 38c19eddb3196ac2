/** Free space of the file systems on which data is kept, held against a reserve. */
import { statfs } from 'node:fs/promises'
import { StorageFull } from './errors/storage-full.ts'

export interface DiskSpace {
  /** Whether less than the reserve is free. Asks the file systems once a second at most. */
  isFull(): Promise<boolean>
  /**
   * Asks the file systems at once when `bytes` are given.
   * @param bytes What is about to be written, as far as that is known.
   * @throws StorageFull when that would leave less than the reserve.
   */
  demand(bytes?: number): Promise<void>
  /** Bytes that are free. Infinity: unknown. Asks the file systems once a second at most. */
  free(): Promise<number>
}

/** How long an answer of the file systems is used. Milliseconds. */
const answerMilliseconds = 1_000
/** A file system that counts its files and has room for fewer is full, too: the database's log is one file after another. */
const filesMin = 256

/** For stores that are not on disks of ours: they say themselves when they are full. */
export const unlimitedSpace: DiskSpace = {
  isFull: async () => false,
  demand: async () => undefined,
  free: async () => Number.POSITIVE_INFINITY,
}

/**
 * @param options.folders Existing folders, perhaps on different file systems. None: nothing is ever full.
 * @param options.reserveBytes 0: only what the file systems refuse themselves is refused.
 */
export function watchSpace(options: { folders: readonly string[]; reserveBytes: number }): DiskSpace {
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
      throw new StorageFull(
        `${free} bytes are free on the disk of ${folders.join(' and ')}, of which ${reserveBytes} are the reserve.`,
      )
    },
  }
}

/** Of the fullest. A file system that does not tell counts as empty: what it refuses is refused then. */
async function freeBytesOf(folders: readonly string[]): Promise<number> {
  const free = await Promise.all(folders.map(freeBytes))
  return Math.min(...free)
}

/** Bytes that this account may still write into the folder's file system. */
export async function freeBytes(folder: string): Promise<number> {
  try {
    const { bsize, bavail, files, ffree } = await statfs(folder)
    return files > 0 && ffree < filesMin ? 0 : bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
