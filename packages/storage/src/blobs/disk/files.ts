/** Cache of open file descriptors, evicted by least recent use: each object read is one positioned read of a pack. */
import { type FileHandle, open } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'

/** Files kept open. A file that a reader has taken stays open beyond this. */
const openFilesMax = 128

/** A file that a reader has taken from the cache. */
export interface OpenFile {
  /** File size at opening. A blob is never modified in place, only replaced. */
  readonly bytes: number
  /** Reads exactly `length` bytes; rejects with ENOENT if the file is shorter. */
  read(start: number, length: number): Promise<Uint8Array>
  /** Releases the file. Must be called exactly once, also after a failed read. */
  giveBack(): void
}

/** The cache. One per store: a path that the store replaces or removes must be forgotten. */
export interface OpenFiles {
  /** Opens a file, or reuses the descriptor. Rejects with the errors of `open`. The caller must call `giveBack`. */
  take(path: string): Promise<OpenFile>
  /** Call when the path was replaced or removed: later `take` calls reopen it, current readers continue with the old file. */
  forget(path: string): void
  close(): void
}

interface Kept {
  handle: FileHandle
  bytes: number
  takers: number
  dropped: boolean
}

export function openFiles(): OpenFiles {
  const closeIdle = (kept: Kept) => {
    if (kept.dropped && kept.takers === 0) kept.handle.close().catch(() => undefined)
  }
  const drop = (opening: Promise<Kept>) => {
    opening.then(
      (kept) => {
        kept.dropped = true
        closeIdle(kept)
      },
      () => undefined,
    )
  }
  const files = new LRUCache<string, Promise<Kept>>({ max: openFilesMax, dispose: drop })

  async function take(path: string): Promise<OpenFile> {
    let opening = files.get(path)
    if (opening === undefined) {
      opening = openKept(path)
      files.set(path, opening)
      opening.catch(() => {
        if (files.peek(path) === opening) files.delete(path)
      })
    }
    const kept = await opening
    if (kept.dropped && kept.takers === 0) return take(path)
    kept.takers++
    return {
      bytes: kept.bytes,
      read: (start, length) => readExactly(kept.handle, start, length),
      giveBack() {
        kept.takers--
        closeIdle(kept)
      },
    }
  }

  return {
    take,
    forget: (path) => void files.delete(path),
    close: () => files.clear(),
  }
}

async function openKept(path: string): Promise<Kept> {
  const handle = await open(path, 'r')
  try {
    const found = await handle.stat()
    return { handle, bytes: found.size, takers: 0, dropped: false }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function readExactly(handle: FileHandle, start: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, start + done)
    if (bytesRead === 0) throw Object.assign(new Error('The file ended early.'), { code: 'ENOENT' })
    done += bytesRead
  }
  return bytes
}
