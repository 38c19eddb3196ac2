/** Opens a file of any format as a table. */
import { formatOf, packingOf } from './formats.ts'
import { withoutOddRows } from './odd-rows.ts'
import type { ReadOptions } from './options.ts'
import type { Platform } from './packed.ts'
import type { FileSource } from './source.ts'
import { Numeral, Real, type Table } from './table.ts'
import { errorAt } from './table-error.ts'

/**
 * @throws TableError if the file cannot be read as a table; faults of single rows are thrown when they are read
 */
export async function openTable(
  source: FileSource,
  options: ReadOptions = {},
  platform: Platform = {},
): Promise<Table> {
  const table = withoutOddRows(await openPacked(source, options, platform), options)
  return withoutMissing({ ...table, options }, options)
}

async function openPacked(
  source: FileSource,
  options: ReadOptions,
  { startWorkbook, gunzip }: Platform,
): Promise<Table> {
  const packing = await packingOf(source)
  if (packing === undefined) return openAny(source, options)
  const { gunzipped, openZip } = await import('./packed.ts')
  if (packing === 'gzip') return openAny(await gunzipped(source, gunzip), options)
  return openZip(source, options, (inside) => openAny(inside, options), startWorkbook)
}

async function openAny(source: FileSource, options: ReadOptions): Promise<Table> {
  const format = options.format ?? (await formatOf(source, options.encoding))
  // Imported on demand, so that a page loads the reader of the chosen file alone.
  if (format === 'csv' || format === 'tsv')
    return (await import('./delimited.ts')).openDelimited(source, format, options)
  if (format === 'json' || format === 'ndjson')
    return (await import('./json.ts')).openJson(source, format, options)
  if (format === 'parquet') return (await import('./parquet.ts')).openParquet(source, options)
  if (format === 'sqlite')
    throw errorAt(source.name, 'A SQLite file is read by the command line alone: ulmus import.')
  throw errorAt(source.name, `The file is no ${format.toUpperCase()} workbook.`)
}

/** The same table, without the values that mean missing. */
export function withoutMissing(table: Table, { missing = [], missingIn = {} }: ReadOptions): Table {
  if (missing.length === 0 && Object.keys(missingIn).length === 0) return table
  const inAll = new Set(missing)
  const inOne = new Map(Object.entries(missingIn).map(([column, marks]) => [column, new Set(marks)]))
  let removed = new Map<string, { column: string; mark: string; count: number; line: number }>()
  const isMissing = (value: unknown, place: number, line: number): boolean => {
    const mark = textOf(value)
    const column = table.columns[place]
    if (mark === undefined || column === undefined) return false
    if (!inAll.has(mark) && inOne.get(column)?.has(mark) !== true) return false
    const key = JSON.stringify([mark, place])
    const known = removed.get(key)
    if (known === undefined) removed.set(key, { column, mark, count: 1, line })
    else known.count++
    return true
  }
  return {
    ...table,
    removed: () => [...removed.values()],
    async *batches() {
      removed = new Map()
      for await (const rows of table.batches())
        yield rows.map(({ line, values }) => ({
          line,
          values: values.map((value, place) => (isMissing(value, place, line) ? undefined : value)),
        }))
    },
  }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value instanceof Numeral) return value.text
  return typeof value === 'number' || value instanceof Real ? String(value) : undefined
}
