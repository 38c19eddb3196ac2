/** Random access to a file that is only a stream, such as one in an archive. It is unpacked as it is read, in bounded memory. */
import type { FileSource } from './source.ts'
import { errorAt } from './table-error.ts'

/** Maximum of bytes of an unpacked file. */
export const unpackedBytesMax = 4 * 1024 ** 3

const partsText =
  'It has several compressed parts, which browsers cannot unpack. Decompress it first, or publish it with the command line: ulmus import.'

/** Starts the stream from the beginning. */
export type OpenStream = () => ReadableStream<Uint8Array>

/**
 * Unpacks the file once to learn its size and to check it.
 * @param name of the file inside
 * @throws TableError about the archive if it is damaged or unpacks to too much
 */
export async function streamedSource(archive: string, name: string, open: OpenStream): Promise<FileSource> {
  let size = 0
  const reader = open().getReader()
  for (;;) {
    const { value } = await reader.read().catch((error: Error) => {
      // As Chromium and Node's `DecompressionStream` complain of a second part.
      if (/\bjunk\b/i.test(error.message)) throw errorAt(archive, partsText)
      throw errorAt(archive, `The file cannot be unpacked: ${error.message}. Is it complete?`)
    })
    if (value === undefined) break
    size += value.length
    if (size <= unpackedBytesMax) continue
    await reader.cancel()
    throw errorAt(archive, `It unpacks to more than ${unpackedBytesMax} bytes. Unpack it and split the file.`)
  }
  return new StreamedSource(name, size, open)
}

/** Goes back by starting again: readers go through a file from its beginning. */
class StreamedSource implements FileSource {
  readonly name: string
  readonly size: number
  readonly #open: OpenStream
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #at = 0
  /** Bytes at `#at` that the stream gave and no read took. */
  #rest = new Uint8Array()
  #last: Promise<unknown> = Promise.resolve()

  constructor(name: string, size: number, open: OpenStream) {
    this.name = name
    this.size = size
    this.#open = open
  }

  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    const reading = this.#last.then(() => this.#read(start, end))
    this.#last = reading.catch(() => undefined)
    return reading
  }

  async #read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#reader === undefined || start < this.#at) {
      await this.#reader?.cancel()
      this.#reader = this.#open().getReader()
      this.#at = 0
      this.#rest = new Uint8Array()
    }
    const bytes = new Uint8Array(end - start)
    let length = 0
    while (length < bytes.length) {
      const piece = this.#rest.length > 0 ? this.#rest : (await this.#reader.read()).value
      if (piece === undefined) break
      const from = Math.min(start + length - this.#at, piece.length)
      const taken = piece.subarray(from, from + bytes.length - length)
      bytes.set(taken, length)
      length += taken.length
      this.#rest = piece.slice(from + taken.length)
      this.#at += from + taken.length
    }
    return length === bytes.length ? bytes : bytes.slice(0, length)
  }
}
