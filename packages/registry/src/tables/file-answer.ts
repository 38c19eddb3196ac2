/** Files of the table cache as answers. */
import { open } from 'node:fs/promises'

export interface FileAnswer {
  /** Bytes. */
  readonly size: number
  /** Identifies the content in an entity tag. */
  readonly hash: string
  /** `range`: default, the whole file. The reader may stop at any time. */
  stream(range?: { start: number; length: number }): AsyncIterable<Uint8Array>
}

/** A file that may be deleted while it is read. */
export async function openOnce(path: string, hash: string): Promise<FileAnswer> {
  const file = await open(path, 'r')
  const { size } = await file.stat()
  // A handle that is never read, as for HEAD, must be closed all the same.
  const unread = setTimeout(() => void file.close(), 60_000).unref()
  return {
    size,
    hash,
    async *stream(range = { start: 0, length: size }) {
      clearTimeout(unread)
      const { start, length } = range
      try {
        if (length > 0) yield* file.createReadStream({ start, end: start + length - 1, autoClose: false })
      } finally {
        await file.close()
      }
    },
  }
}
