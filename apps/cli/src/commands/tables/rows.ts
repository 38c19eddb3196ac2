/** Records that match words and filters, and whole tables as Parquet: parts of `ulmus get`. */
import { resolve } from 'node:path'
import type { Client, TableSelection } from '@ulmus/client'
import { sizeText } from '@ulmus/content/quantities'
import type { Call, CommonFlags } from '../../context.ts'
import { pathOf, type Reference } from '../../reference.ts'
import { usageError } from '../../terminal/failure.ts'
import { jsonText } from '../../terminal/harmless.ts'
import { openProgress } from '../../terminal/progress.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { chunksOf, saveResponse } from '../save-response.ts'
import { typeOf, whileBuilding } from './building.ts'

export type SelectionFlags = {
  readonly where?: readonly string[]
  readonly search?: string
  readonly sort?: string
  readonly columns?: string
  readonly limit?: number
}
type RowsFlags = SelectionFlags & CommonFlags & { readonly csv: boolean }
type ParquetFlags = CommonFlags & { readonly output?: string }

export const selects = ({ where, search, sort, columns, limit }: SelectionFlags): boolean =>
  [where, search, sort, columns, limit].some((flag) => flag !== undefined)

/** Rows per request. */
const pageSize = 1_000

/** Writes the matching records of one type: `{"id", "data"}` lines, or CSV. */
export async function writeRows(
  call: Call,
  client: Client,
  reference: Reference,
  flags: RowsFlags,
): Promise<void> {
  const table = await tableOf(client, reference, 'Filters work on one type at a time.', wordsOf(flags))
  const { where: filter, search: q, sort, columns, limit = Number.POSITIVE_INFINITY } = flags
  const selection: TableSelection = { filter, q, sort, columns }
  if (flags.csv) {
    const csv = await whileBuilding(call, flags, (options) =>
      client.tables.csv(...table, { ...selection, ...options }),
    )
    await writeBody(call, csv, { isCsv: true, rowsMax: limit })
    return
  }
  for (let offset = 0, left = limit; left > 0; ) {
    const { rows, next } = await whileBuilding(call, flags, (options) =>
      client.tables.rows(...table, { ...selection, ...options, limit: Math.min(left, pageSize), offset }),
    )
    if (rows.length > 0) await call.terminal.write(`${rows.map((row) => jsonText(row)).join('\n')}\n`)
    if (next === null) return
    left -= rows.length
    offset = next
  }
}

/** Writes the table of a type as a Parquet file. */
export async function writeParquet(
  call: Call,
  client: Client,
  reference: Reference,
  flags: ParquetFlags,
): Promise<void> {
  demandTarget(call, flags)
  const table = await tableOf(client, reference, '--parquet writes one type at a time.', ['--parquet'])
  const parquet = await whileBuilding(call, flags, (options) => client.tables.parquet(...table, options))
  const [collection, semver, type] = table
  await saveParquet(call, flags, parquet, { facts: { semver, type }, of: `${collection}@${semver}#${type}` })
}

/** @throws usageError */
export function demandTarget(call: Call, { output }: ParquetFlags): void {
  if (output === undefined && call.terminal.columns !== undefined)
    throw usageError(
      'Refusing to write Parquet to the terminal. Pipe it into a program, or name a file with -o.',
    )
}

/** Writes a Parquet file where the flags say. @param facts for `--json`. @param of what the file has, in words */
export async function saveParquet(
  call: Call,
  flags: ParquetFlags,
  parquet: Response,
  { facts, of }: { facts: object; of: string },
): Promise<void> {
  if (flags.output === undefined) {
    await writeBody(call, parquet)
    return
  }
  const file = resolve(call.terminal.cwd, flags.output)
  const progress = openProgress(call, flags.quiet)
  const bytes = await saveResponse(call.terminal, parquet, file, (count) => progress.show(sizeText(count)))
  progress.end()
  if (flags.json) return call.json({ file, bytes, ...facts })
  await call.line(file)
  call.say(`${sizeText(bytes)}, ${of}`)
}

/** Arguments of a call about a table: of a fixed version, so that all pages are from the same. */
async function tableOf(
  client: Client,
  reference: Reference,
  fault: string,
  words: readonly string[],
): Promise<[collection: string, semver: string, type: string]> {
  const version = await client.versions.get(pathOf(reference), reference.version ?? 'latest')
  const type = typeOf(reference, version, fault, (one) => ['ulmus get', shellWord(one), ...words].join(' '))
  return [pathOf(reference), version.semver, type]
}

/** The flags as words of a shell. */
function wordsOf({ where = [], search, sort, columns, limit, csv }: RowsFlags): string[] {
  const named = Object.entries({ search, sort, columns, limit }).filter(([, value]) => value !== undefined)
  return [
    ...where.map((filter) => `--where ${shellWord(filter)}`),
    ...named.map(([name, value]) => `--${name} ${shellWord(String(value))}`),
    ...(csv ? ['--csv'] : []),
  ]
}

/** Writes a body to standard output. @param rowsMax lines after the first. @returns the number of lines; in CSV, a line feed in quotes ends none */
export async function writeBody(
  call: Call,
  response: Response,
  { isCsv = false, rowsMax = Number.POSITIVE_INFINITY } = {},
): Promise<number> {
  const head = firstLines(rowsMax, isCsv)
  for await (const chunk of chunksOf(response, call.signal)) {
    const bytes = head.partOf(chunk)
    await call.terminal.write(bytes)
    if (bytes.length < chunk.length) break
  }
  return head.lines
}

const quote = 0x22
const lineFeed = 0x0a

/** Returns the part of each chunk that belongs to the first line or the next `rowsMax`. In CSV, a line feed in quotes ends none. */
export function firstLines(rowsMax: number, isCsv: boolean) {
  let isQuoted = false
  return {
    lines: 0,
    partOf(chunk: Uint8Array): Uint8Array {
      if (this.lines > rowsMax) return chunk.subarray(0, 0)
      for (let at = 0; at < chunk.length; at++) {
        if (isCsv && chunk[at] === quote) isQuoted = !isQuoted
        else if (chunk[at] === lineFeed && !isQuoted && ++this.lines > rowsMax)
          return chunk.subarray(0, at + 1)
      }
      return chunk
    },
  }
}
