/** Files of the table cache as answers. */
import { open } from 'node:fs/promises'

/** A file of which no byte was read is closed after this time. Milliseconds. */
const unreadMilliseconds = 60_000

export interface FileAnswer {
  /** Bytes. */
  readonly size: number
  /** Identifies the content in an entity tag. */
  readonly hash: string
  /** `range`: default, the whole file. The reader may stop at any time. */
  stream(range?: { start: number; length: number }): AsyncIterable<Uint8Array>
}

/** A file that may be deleted while it is read. @param release called once, when it is closed */
export async function openOnce(path: string, hash: string, release = () => {}): Promise<FileAnswer> {
  const file = await open(path, 'r').catch((error: Error) => {
    release()
    throw error
  })
  const { size } = await file.stat()
  const close = async () => {
    release()
    await file.close()
  }
  // A file that is never read, as for HEAD, must be closed all the same.
  const unread = setTimeout(close, unreadMilliseconds).unref()
  return {
    size,
    hash,
    async *stream(range = { start: 0, length: size }) {
      clearTimeout(unread)
      const { start, length } = range
      try {
        if (length > 0) yield* file.createReadStream({ start, end: start + length - 1, autoClose: false })
      } finally {
        await close()
      }
    },
  }
}
