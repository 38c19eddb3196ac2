/**
 * Reads a dump, checks its form, and yields its rows in batches, so that memory is bounded. write.ts makes the format; change both, and
 * `dumpFormat`, together.
 */
import { parseJson } from '@ulmus/content'
import { type CompressedLines, linesOf } from './lines.ts'
import { dumpFormat } from './write.ts'

/** Values of a row in PostgreSQL's text form, in the order of the table's columns. */
export type DumpedRow = readonly (string | null)[]

/** A batch of rows of one table. */
export interface DumpedRows {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly DumpedRow[]
}

/** The dump is damaged or has another format. The message says which. */
export class DumpUnreadableError extends Error {
  override name = 'DumpUnreadableError'
}

/**
 * Longest line of a dump. The longest row is that of a push that declares as many files as one request can (128 MiB), with
 * its schemas (4 MiB) and metadata (2 MiB). A backup reads back each dump that it writes, so no backup exceeds what a restore accepts.
 */
export const dumpLineBytesMax = 268_435_456
/** Maximum number of rows in a batch. */
const rowsAtOnce = 1_000
/** Batches of rows stay below this. Bytes of their lines. */
const bytesAtOnce = 4_194_304

/**
 * Yields all rows of a dump, with tables in an order in which they can be inserted. Each table appears at least once, without rows if it
 * is empty.
 * @param lineBytesMax smaller in tests
 * @throws DumpUnreadableError
 */
export async function* readDump(
  source: AsyncIterable<Uint8Array>,
  lineBytesMax = dumpLineBytesMax,
): AsyncGenerator<DumpedRows> {
  const at: { table?: string } = {}
  const lines = linesOf(source, dumpLines(lineBytesMax, at))
  const { value: head } = await lines.next()
  if (head === undefined) throw cutOff()
  demandFormat(headOf(head))
  for await (const text of lines) {
    const part = parsed(text) as { end?: true; table?: string; columns?: string[] }
    if (part.end === true) return
    if (part.table === undefined || part.columns === undefined) throw new DumpUnreadableError(notWritten)
    at.table = part.table
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
      if ((value as { rows?: number }).rows !== count) throw new DumpUnreadableError(notWritten)
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

/** Last migration of the dumped database. @throws DumpUnreadableError */
export async function dumpedMigration(source: AsyncIterable<Uint8Array>): Promise<number> {
  const lines = linesOf(source, dumpLines(dumpLineBytesMax))
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
  throw new DumpUnreadableError(
    `The dump of the database has the format ${String(format)}, and this program reads ${dumpFormat}. Use the release that wrote it, or a newer one.`,
  )
}

const notWritten = 'The dump of the database is damaged.'
const cutOff = () => new DumpUnreadableError('The dump of the database ends too early.')

/** @param at the table being read, if it is known */
const dumpLines = (bytesMax: number, at: { readonly table?: string } = {}): CompressedLines => ({
  bytesMax,
  cutOff,
  damaged: (cause) => new DumpUnreadableError(notWritten, { cause }),
  tooLong(line) {
    const where = at.table === undefined ? `Line ${line}` : `Line ${line}, in the table ${at.table},`
    return new DumpUnreadableError(
      `${where} of the dump of the database is longer than ${bytesMax} bytes, which no backup writes. The dump is damaged, or was made to exhaust memory. Nothing of it was kept. Take another backup (\`--backup ID\`), and only from places that you trust.`,
    )
  },
})

function parsed(text: Buffer): unknown {
  try {
    return parseJson(text.toString())
  } catch (error) {
    throw new DumpUnreadableError(notWritten, { cause: error })
  }
}
