/** Reads lines of NDJSON files in sequence, and writes files of lines. */
import { closeSync, readSync, writeSync } from 'node:fs'
import { CommandError } from '../../terminal/failure.ts'
import { createInside, openInside } from './inside.ts'

/** Bytes per read or write: 1 MiB. */
const chunkBytes = 1_048_576
/** Maximum length of a line, larger than any valid record in any notation: 64 MiB. */
const lineBytesMax = 67_108_864

export interface NumberedLine {
  readonly text: string
  /** From 1. */
  readonly number: number
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Lines of a file that are not blank, without line ends; skips a byte order mark at the start. Yields batches, because a generator is slow
 * for single lines.
 * @throws CommandError for bytes that are not UTF-8, and for a line over 64 MiB
 */
export function* lineBatches(root: string, path: string): Generator<NumberedLine[], void, undefined> {
  const descriptor = openInside(root, path)
  if (descriptor === undefined) throw new CommandError(`${path} no longer exists.`)
  try {
    let kept = Buffer.alloc(0)
    let number = 1
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes)
      const length = readSync(descriptor, chunk, 0, chunkBytes, null)
      const end = length === 0 ? kept.length : lastLineEnd(chunk.subarray(0, length))
      if (length > 0 && end === 0) {
        kept = Buffer.concat([kept, chunk.subarray(0, length)])
        if (kept.length > lineBytesMax)
          throw new CommandError(
            `${path}, line ${number}: the line is over 64 MiB. A record can have at most 8 MiB.`,
          )
        continue
      }
      const whole = length === 0 ? kept : Buffer.concat([kept, chunk.subarray(0, end)])
      kept = length === 0 ? Buffer.alloc(0) : Buffer.from(chunk.subarray(end, length))
      const lines = linesIn(textOf(whole, path, number), number)
      number = lines.next
      if (lines.lines.length > 0) yield lines.lines
      if (length === 0) return
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Number of lines of a file that are not blank. */
export function countLines(root: string, path: string): number {
  let count = 0
  for (const lines of lineBatches(root, path)) count += lines.length
  return count
}

const lastLineEnd = (bytes: Buffer): number => bytes.lastIndexOf(0x0a) + 1

function textOf(bytes: Buffer, shownAs: string, number: number): string {
  try {
    const text = decoder.decode(bytes)
    return number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text
  } catch (cause) {
    throw new CommandError(`${shownAs}, after line ${number}: the bytes are not UTF-8.`, { cause })
  }
}

function linesIn(text: string, first: number): { lines: NumberedLine[]; next: number } {
  const lines: NumberedLine[] = []
  const parts = text.split('\n')
  // The last part is empty, except at the end of a file without a final line end.
  const count = text.endsWith('\n') ? parts.length - 1 : parts.length
  for (let index = 0; index < count; index++) {
    const part = parts[index]!
    const line = part.endsWith('\r') ? part.slice(0, -1) : part
    if (line.trim() !== '') lines.push({ text: line, number: first + index })
  }
  return { lines, next: first + count }
}

/** Writes a file of lines. Buffers 1 MiB. */
export class LineWriter {
  readonly #descriptor: number
  #waiting: string[] = []
  #waitingLength = 0
  /** Number of lines written. */
  count = 0

  constructor(root: string, path: string) {
    this.#descriptor = createInside(root, path)
  }

  write(line: string): void {
    this.#waiting.push(line)
    this.#waitingLength += line.length + 1
    this.count++
    if (this.#waitingLength >= chunkBytes) this.#flush()
  }

  close(): void {
    this.#flush()
    closeSync(this.#descriptor)
  }

  #flush(): void {
    if (this.#waiting.length === 0) return
    writeAll(this.#descriptor, Buffer.from(`${this.#waiting.join('\n')}\n`))
    this.#waiting = []
    this.#waitingLength = 0
  }
}

/** Writes all bytes: one `write(2)` may write only some of them. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
}
