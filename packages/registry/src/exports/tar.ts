/** Tar archives as streams (POSIX.1-2017): regular files only, readable by all and without an owner. */
import { pipeline } from 'node:stream/promises'
import { type Pack, pack } from 'tar-stream'

export interface TarEntry {
  /** Relative path, with `/` between folders. */
  name: string
  /** Exact length of `content`, in bytes. */
  size: number
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/**
 * Archives the entries; the same entries give the same bytes.
 * @param modifiedAt time of every entry, cut to whole seconds
 * @throws Error from the iterator if an entry's content differs from its size.
 */
export async function* tarOf(entries: AsyncIterable<TarEntry>, modifiedAt: Date): AsyncGenerator<Uint8Array> {
  const archive = pack()
  // An error here also fails the iteration below.
  const written = write(archive, entries, modifiedAt).catch((error: Error) => void archive.destroy(error))
  try {
    yield* archive as AsyncIterable<Uint8Array>
  } finally {
    archive.destroy()
    await written
  }
}

async function write(archive: Pack, entries: AsyncIterable<TarEntry>, mtime: Date): Promise<void> {
  for await (const { name, size, content } of entries)
    await pipeline(content, archive.entry({ name, size, mtime }))
  archive.finalize()
}
