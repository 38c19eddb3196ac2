/** A file of the disk as a source. */
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { FileSource } from '../reading/source.ts'

/** The file stays open until it is closed. @throws the system's error, and for a pipe or the like, as a file is read twice */
export async function openSource(path: string): Promise<FileSource & { close(): Promise<void> }> {
  const name = basename(path)
  const kind = await stat(path)
  if (!kind.isFile())
    throw new Error(`${path} is no regular file. Save what it gives to one, and choose that.`)
  const handle = await open(path)
  return {
    name,
    size: kind.size,
    async read(start, end) {
      const bytes = new Uint8Array(end - start)
      let length = 0
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, start + length)
        if (bytesRead === 0) break
        length += bytesRead
      }
      return length === bytes.length ? bytes : bytes.slice(0, length)
    },
    close: () => handle.close(),
  }
}
