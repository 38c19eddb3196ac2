/** Input records of a size in the formats of all contenders, written to files once per run, before measuring. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { recordAt, textOf } from './records.ts'

/** Lines of a batch: the maximum of a push session. */
export const batchLines = 10_000

export interface Batch {
  readonly offset: number
  readonly bytes: number
  readonly lines: number
}

export interface Input {
  readonly size: number
  /** NDJSON file with one record per line. */
  readonly path: string
  readonly bytes: number
  readonly batches: readonly Batch[]
}

/** @param first number of the first record; inputs with common records would share stored data */
export async function writeInput(folder: string, size: number, first: number): Promise<Input> {
  const path = join(folder, `records-${first}-${size}.ndjson`)
  const batches = await writeBatches(path, batchesOf(size, first))
  return { size, path, bytes: batches.reduce((sum, { bytes }) => sum + bytes, 0), batches }
}

/** Writes NDJSON and returns where its batches are. */
export async function writeBatches(
  path: string,
  chunks: Iterable<{ text: string; lines: number }>,
): Promise<Batch[]> {
  const batches: Batch[] = []
  let offset = 0
  await writeLines(path, chunks, (text, lines) => {
    const bytes = Buffer.byteLength(text)
    batches.push({ offset, bytes, lines })
    offset += bytes
  })
  return batches
}

function* batchesOf(size: number, first: number): Generator<{ text: string; lines: number }> {
  for (let from = first; from < first + size; from += batchLines) {
    const lines = Math.min(batchLines, first + size - from)
    let text = ''
    for (let n = from; n < from + lines; n++) text += `${JSON.stringify(recordAt(n))}\n`
    yield { text, lines }
  }
}

/** Yields batches one at a time, read on demand. */
export async function* bodiesOf(input: Pick<Input, 'path' | 'batches'>): AsyncGenerator<Buffer<ArrayBuffer>> {
  const file = await open(input.path)
  try {
    for (const batch of input.batches) yield await readBatch(file, batch)
  } finally {
    await file.close()
  }
}

async function readBatch(file: FileHandle, { offset, bytes }: Batch): Promise<Buffer<ArrayBuffer>> {
  const body = Buffer.alloc(bytes)
  await file.read(body, 0, bytes, offset)
  return body
}

/** Request bodies of a push that changes some records to `revision`. */
export function bodiesOfChanges(numbers: Iterable<number>, revision: number): Buffer<ArrayBuffer>[] {
  const bodies: Buffer<ArrayBuffer>[] = []
  let lines: string[] = []
  const flush = () => {
    if (lines.length > 0) bodies.push(Buffer.from(lines.join('')))
    lines = []
  }
  for (const number of numbers) {
    lines.push(`${JSON.stringify(recordAt(number, revision))}\n`)
    if (lines.length === batchLines) flush()
  }
  flush()
  return bodies
}

/** Writes rows for `COPY`: hash, type, id, body. In the text format, where only the backslash would need escaping here. */
export async function writeCopyFile(
  path: string,
  numbers: Iterable<number>,
  revision: number,
): Promise<void> {
  await writeLines(
    path,
    chunksOf(numbers, (number) => {
      const { hash, type, id, canonical } = textOf(recordAt(number, revision))
      return `${hash}\t${type}\t${id}\t${canonical.replaceAll('\\', '\\\\')}\n`
    }),
  )
}

/** Joins texts in chunks of some thousands. */
export function* chunksOf<T>(
  values: Iterable<T>,
  render: (value: T) => string,
): Generator<{ text: string; lines: number }> {
  let text = ''
  let lines = 0
  for (const value of values) {
    text += render(value)
    if (++lines < batchLines) continue
    yield { text, lines }
    text = ''
    lines = 0
  }
  if (lines > 0) yield { text, lines }
}

export async function writeLines(
  path: string,
  chunks: Iterable<{ text: string; lines: number }>,
  told: (text: string, lines: number) => void = () => undefined,
): Promise<void> {
  const file = createWriteStream(path, { mode: 0o644 })
  for (const { text, lines } of chunks) {
    told(text, lines)
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}
