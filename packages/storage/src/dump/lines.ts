/**
 * Lines of a compressed text. The input is untrusted and may expand to any size, so lines are bounded; beyond one line, memory is limited
 * to the 64 KiB that the decompressor returns at a time.
 */
import { constants, createZstdDecompress } from 'node:zlib'

/** Bound of the lines, and the errors to throw: each format has its own messages. */
export interface CompressedLines {
  /** Maximum length of a line, without its line feed. Bytes. */
  readonly bytesMax: number
  /** @param line counted from 1 */
  tooLong(line: number): Error
  /** The compressed data is damaged. */
  damaged(cause: unknown): Error
  /** The last line has no line feed. */
  cutOff(): Error
}

/** Largest window of the decompressor, as a power of two: 8 MiB. Our own dumps are written with 2 MiB; the format allows 2 GiB. */
const windowLogMax = 23

/** Decompresses the text and yields each line without its line feed. */
export async function* linesOf(
  source: AsyncIterable<Uint8Array>,
  { bytesMax, cutOff, damaged, tooLong }: CompressedLines,
): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let [bytes, line] = [0, 1]
  const take = (part: Buffer) => {
    bytes += part.length
    if (bytes > bytesMax) throw tooLong(line)
    parts.push(part)
  }
  for await (const chunk of decompressed(source, damaged)) {
    let from = 0
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, to))
      yield Buffer.concat(parts)
      parts = []
      bytes = 0
      line++
      from = to + 1
    }
    take(chunk.subarray(from))
  }
  if (bytes > 0) throw cutOff()
}

async function* decompressed(
  source: AsyncIterable<Uint8Array>,
  damaged: CompressedLines['damaged'],
): AsyncGenerator<Buffer> {
  const decompress = createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLogMax } })
  let lost: { why: unknown } | undefined
  const feed = async () => {
    for await (const chunk of source) {
      if (decompress.destroyed) return
      await new Promise<void>((resolve) => decompress.write(chunk, () => resolve()))
    }
    decompress.end()
  }
  feed().catch((why: unknown) => {
    lost = { why }
    decompress.destroy(new Error('The source failed.'))
  })
  try {
    yield* decompress as AsyncIterable<Buffer>
  } catch (error) {
    if (lost !== undefined) throw lost.why
    throw damaged(error)
  } finally {
    decompress.destroy()
  }
}
