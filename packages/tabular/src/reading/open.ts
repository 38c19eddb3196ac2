/** Opens a file of any format as a table. */
import { openDelimited } from './delimited.ts'
import { formatOf } from './formats.ts'
import type { ReadOptions } from './options.ts'
import type { FileSource } from './source.ts'
import { Numeral, Real, type Table } from './table.ts'
import { errorAt } from './table-error.ts'

/** @throws TableError if the file cannot be read as a table; faults of single rows are thrown when they are read */
export async function openTable(source: FileSource, options: ReadOptions = {}): Promise<Table> {
  return withoutMissing(await openAny(source, options), options.missing)
}

async function openAny(source: FileSource, options: ReadOptions): Promise<Table> {
  const format = options.format ?? (await formatOf(source, options.encoding))
  if (format === 'csv' || format === 'tsv') return openDelimited(source, format, options)
  // Imported on demand, so that a page that reads CSV does not load the other readers.
  if (format === 'json' || format === 'ndjson')
    return (await import('./json.ts')).openJson(source, format, options)
  if (format === 'parquet') return (await import('./parquet.ts')).openParquet(source)
  throw errorAt(source.name, 'A SQLite file is read by the command line alone: ulmus import.')
}

/** The same table, with the values that mean missing removed. */
export function withoutMissing(table: Table, missing: readonly string[] = []): Table {
  if (missing.length === 0) return table
  const none = new Set<unknown>(missing)
  const textOf = (value: unknown) => {
    if (value instanceof Numeral) return value.text
    return typeof value === 'number' || value instanceof Real ? String(value) : value
  }
  const present = (value: unknown) => (none.has(textOf(value)) ? undefined : value)
  return {
    ...table,
    async *batches() {
      for await (const rows of table.batches())
        yield rows.map(({ line, values }) => ({ line, values: values.map(present) }))
    },
  }
}
