/** Lines of records as files that the engine reads. Two are used by turns, so that one is written while the other is read. */
import { open } from 'node:fs/promises'

/** Bytes of a part, which may be exceeded by a chunk. The engine takes some twenty times as much for deeply structured JSON. */
const partBytes = 8_388_608
const newline = 0x0a

export const partEndings = ['.0.ndjson', '.1.ndjson'] as const

export interface Part {
  readonly path: string
  /** Number of lines. */
  readonly lines: number
}

/** @param path of the files, without their endings. @yields parts; a part must be read before the next but one is requested */
export async function* partsOf(lines: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Part> {
  let turn = 0
  const pathNow = () => `${path}${partEndings[turn % 2]}`
  let file = await open(pathNow(), 'w', 0o600)
  try {
    let [bytes, count] = [0, 0]
    for await (const chunk of lines) {
      await file.writeFile(chunk)
      bytes += chunk.length
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) count++
      if (bytes < partBytes) continue
      await file.close()
      yield { path: pathNow(), lines: count }
      ;[bytes, count] = [0, 0]
      turn++
      file = await open(pathNow(), 'w', 0o600)
    }
    await file.close()
    if (count > 0) yield { path: pathNow(), lines: count }
  } finally {
    await file.close().catch(() => undefined)
  }
}
