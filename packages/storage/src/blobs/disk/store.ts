/**
 * Blobs as files in a folder. A blob is written to a temporary name in `tmp/`, synced and renamed, then its folder is synced. A
 * crash at any point leaves the old blob or the new one, and at worst a leftover in `tmp/`.
 */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, mkdir, open, opendir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type DiskSpace, unlimitedSpace } from '../../disk-space.ts'
import { BlobMissingError, StoreUnavailableError } from '../../errors/stores.ts'
import type { BlobStore, ByteRange, ListedBlob } from '../blob-store.ts'
import { checkedName } from '../names.ts'
import { openFiles } from './files.ts'
import { durableFolders, isAbsence, unlessAbsent } from './folders.ts'

/** Size of the pieces that `stream` reads. Bytes. */
const streamChunkBytes = 262_144
/**
 * Flush after this many bytes: on a journalling file system an fsync, such as that of the database's log, waits for all dirty data:
 * 190 ms for 128 MiB at once, 15 ms in steps.
 */
const unflushedBytesMax = 8_388_608
/** Age of abandoned temporary files: no write takes this long. Milliseconds. */
const abandonedMillisecondsMin = 86_400_000
/** Beside the blobs, so that a rename stays within one file system. No blob has this name. */
const temporaryFolder = 'tmp'

/**
 * Opens the store, creates its folder if absent, and removes files in `tmp/` that crashes left there more than a day ago.
 * @param space checked when `put` begins and while it writes; it rejects with StorageFullError if there is no room.
 */
export async function openDiskStore(folder: string, space: DiskSpace = unlimitedSpace): Promise<BlobStore> {
  const temporary = join(folder, temporaryFolder)
  await mkdir(temporary, { recursive: true })
  await removeTemporaryFiles(temporary)
  const files = openFiles()
  const folders = durableFolders(folder)
  const path = (name: string) => {
    if (checkedName(name).startsWith(`${temporaryFolder}/`))
      throw new RangeError(`"${name}" is no name of a blob.`)
    return join(folder, name)
  }

  async function write(name: string, source: Uint8Array | AsyncIterable<Uint8Array>): Promise<number> {
    const final = path(name)
    await space.demand()
    const unfinished = join(temporary, randomUUID())
    const opening = folders.open(dirname(final))
    // A rejection is reported when the file has been written.
    opening.catch(() => undefined)
    try {
      const bytes = await writeDurably(unfinished, source, space)
      await (await opening).receive(unfinished, final)
      files.forget(final)
      return bytes
    } catch (error) {
      await Promise.allSettled([rm(unfinished, { force: true }), opening])
      await folders.removeEmptied(dirname(final))
      throw error
    } finally {
      opening.then(
        (home) => home.close(),
        () => undefined,
      )
    }
  }

  async function* stream(name: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const file = await orMissing(name, files.take(path(name)))
    try {
      let at = range?.start ?? 0
      const end = at + (range?.length ?? file.bytes)
      if (end > file.bytes) throw new BlobMissingError(name)
      while (at < end) {
        const chunk = await orMissing(name, file.read(at, Math.min(streamChunkBytes, end - at)))
        at += chunk.length
        yield chunk
      }
    } finally {
      file.giveBack()
    }
  }

  return {
    put: (name, source) => orUnwritable(folder, write(name, source)),
    stream,
    async read(name, range) {
      const file = await orMissing(name, files.take(path(name)))
      try {
        const { start, length } = range ?? { start: 0, length: file.bytes }
        if (start + length > file.bytes) throw new BlobMissingError(name)
        return await orMissing(name, file.read(start, length))
      } finally {
        file.giveBack()
      }
    },
    async size(name) {
      const found = await stat(path(name)).catch(unlessAbsent)
      return found?.size
    },
    async remove(name) {
      const gone = path(name)
      await orUnwritable(folder, rm(gone, { force: true }))
      files.forget(gone)
      await folders.removeEmptied(dirname(gone))
    },
    list: (prefix) => listFolder(folder, prefix),
    ping: () => access(temporary, constants.W_OK),
    close: async () => files.close(),
  }
}

async function writeDurably(
  to: string,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  space: DiskSpace,
): Promise<number> {
  const file = await open(to, 'wx')
  try {
    let bytes = 0
    let flushed = 0
    for await (const chunk of source instanceof Uint8Array ? pieces(source) : source) {
      await file.writeFile(chunk)
      bytes += chunk.length
      if (bytes - flushed < unflushedBytesMax) continue
      await file.datasync()
      await space.demand(0)
      flushed = bytes
    }
    await file.sync()
    return bytes
  } finally {
    // No need to wait: synced data can no longer be lost.
    file.close().catch(() => undefined)
  }
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += unflushedBytesMax)
    yield bytes.subarray(at, at + unflushedBytesMax)
}

async function removeTemporaryFiles(temporary: string): Promise<void> {
  const youngest = Date.now() - abandonedMillisecondsMin
  for (const name of await readdir(temporary)) {
    const found = await stat(join(temporary, name)).catch(unlessAbsent)
    if (found !== undefined && found.mtimeMs < youngest) await rm(join(temporary, name), { force: true })
  }
}

async function* listFolder(root: string, prefix: string): AsyncGenerator<ListedBlob> {
  const from = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  if (from.split('/').includes('..')) throw new RangeError(`"${prefix}" is no prefix of a blob's name.`)
  const waiting = [from]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await opendir(join(root, folder)).catch(unlessAbsent)
    if (entries === undefined) continue
    for await (const entry of entries) {
      const name = `${folder}${entry.name}`
      if (name === temporaryFolder || !name.startsWith(prefix)) continue
      if (entry.isDirectory()) waiting.push(`${name}/`)
      if (!entry.isFile()) continue
      const found = await stat(join(root, name)).catch(unlessAbsent)
      if (found !== undefined) yield { name, bytes: found.size, modifiedAt: found.mtime }
    }
  }
}

/** The folder is read-only, or its permissions changed. An operator can fix this without a restart. */
const unwritableCodes = new Set<unknown>(['EROFS', 'EACCES', 'EPERM'])

/** @throws StoreUnavailableError if the folder cannot be written to */
async function orUnwritable<T>(folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!unwritableCodes.has(code)) throw error
    // Commands recognise a disk error by this code.
    throw Object.assign(
      new StoreUnavailableError(`${folder} cannot be written to (${code}).`, { cause: error }),
      {
        code,
      },
    )
  }
}

async function orMissing<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isAbsence(error)) throw new BlobMissingError(name, { cause: error })
    throw error
  }
}
