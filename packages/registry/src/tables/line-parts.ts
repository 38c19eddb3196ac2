/** Lines of records as a file that the engine reads, part by part. */
import { open } from 'node:fs/promises'

/** Bytes of a part. */
const partBytes = 33_554_432
const newline = 0x0a

/** Writes whole lines to a file, part by part, each anew. @yields the number of lines of a part, which is read before the next */
export async function* partsOf(lines: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<number> {
  let file = await open(path, 'w', 0o600)
  try {
    let [bytes, count] = [0, 0]
    for await (const chunk of lines) {
      await file.writeFile(chunk)
      bytes += chunk.length
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) count++
      if (bytes < partBytes) continue
      await file.close()
      yield count
      ;[bytes, count] = [0, 0]
      file = await open(path, 'w', 0o600)
    }
    await file.close()
    if (count > 0) yield count
  } finally {
    await file.close().catch(() => undefined)
  }
}
