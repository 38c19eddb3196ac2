/** Reading a dump. Rows come some at a time, so that memory is bounded whatever the size. */
import { createZstdDecompress } from 'node:zlib'
import { dumpFormat } from './write.ts'

/** A row's values as PostgreSQL's text of them, in the order of the table's columns. */
export type DumpedRow = readonly (string | null)[]

export interface DumpedRows {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly DumpedRow[]
}

/** The dump is not what was written, or another format. The sentence says which. */
export class DumpUnreadable extends Error {
  override name = 'DumpUnreadable'
}

const rowsAtOnce = 1_000
/** Rows are handed on before they are more. Bytes of their lines. */
const bytesAtOnce = 4_194_304

/**
 * Every row of a dump, tables in the order in which they can be inserted; each table at least once, without rows where it has none.
 * @throws DumpUnreadable
 */
export async function* readDump(source: AsyncIterable<Uint8Array>): AsyncGenerator<DumpedRows> {
  const lines = linesOf(source)
  const { value: head } = await lines.next()
  if (head === undefined) throw cutOff()
  demandFormat(headOf(head))
  for await (const text of lines) {
    const part = parsed(text) as { end?: true; table?: string; columns?: string[] }
    if (part.end === true) return
    if (part.table === undefined || part.columns === undefined) throw new DumpUnreadable(notWritten)
    yield* rowsOf(lines, part.table, part.columns)
  }
  throw cutOff()
}

async function* rowsOf(
  lines: AsyncGenerator<Buffer>,
  table: string,
  columns: readonly string[],
): AsyncGenerator<DumpedRows> {
  let rows: DumpedRow[] = []
  let [bytes, count] = [0, 0]
  for (;;) {
    const { value: text } = await lines.next()
    if (text === undefined) throw cutOff()
    const value = parsed(text)
    if (!Array.isArray(value)) {
      yield { table, columns, rows }
      if ((value as { rows?: number }).rows !== count) throw new DumpUnreadable(notWritten)
      return
    }
    rows.push(value as DumpedRow)
    count++
    bytes += text.length
    if (rows.length < rowsAtOnce && bytes < bytesAtOnce) continue
    yield { table, columns, rows }
    rows = []
    bytes = 0
  }
}

/** The last migration of the database that was dumped. @throws DumpUnreadable */
export async function dumpedMigration(source: AsyncIterable<Uint8Array>): Promise<number> {
  const lines = linesOf(source)
  try {
    const { value: head } = await lines.next()
    if (head === undefined) throw cutOff()
    return demandFormat(headOf(head))
  } finally {
    await lines.return(undefined)
  }
}

interface Head {
  format?: unknown
  migration?: unknown
}

const headOf = (text: Buffer): Head => parsed(text) as Head

function demandFormat({ format, migration }: Head): number {
  if (format === dumpFormat && typeof migration === 'number') return migration
  throw new DumpUnreadable(
    `The dump of the database has the format ${String(format)}, and this program reads ${dumpFormat}. Use the release that wrote it, or a newer one.`,
  )
}

const notWritten = 'The dump of the database is damaged.'
const cutOff = () => new DumpUnreadable('The dump of the database ends too early.')

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString())
  } catch (error) {
    throw new DumpUnreadable(notWritten, { cause: error })
  }
}

/** Decompresses. @throws DumpUnreadable for what is not compressed so. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  for await (const chunk of decompressed(source)) {
    let from = 0
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, to)])
      parts = []
      from = to + 1
    }
    parts.push(chunk.subarray(from))
  }
  if (parts.some(({ length }) => length > 0)) throw cutOff()
}

async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const decompress = createZstdDecompress()
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
    throw new DumpUnreadable(notWritten, { cause: error })
  } finally {
    decompress.destroy()
  }
}
