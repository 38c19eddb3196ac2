/** Opens a file as a table, whatever its format. */
import { type DelimitedOptions, openDelimited } from './delimited.ts'
import { type Format, formatOf } from './formats.ts'
import { openJson } from './json.ts'
import type { FileSource } from './source.ts'
import type { Table } from './table.ts'
import { errorAt } from './table-error.ts'

export interface OpenOptions extends DelimitedOptions {
  /** Undefined: as the file looks. */
  readonly format?: Format | undefined
  /** Values that stand for none, such as `n/a`; a number is one as it is written: `-999`. */
  readonly missing?: readonly string[] | undefined
}

/** @throws TableError for what cannot be read as a table; what is wrong with single rows is told when they are read */
export async function openTable(source: FileSource, options: OpenOptions = {}): Promise<Table> {
  return withoutMissing(await openAny(source, options), options.missing)
}

async function openAny(source: FileSource, options: OpenOptions): Promise<Table> {
  const format = options.format ?? (await formatOf(source))
  if (format === 'csv' || format === 'tsv') return openDelimited(source, format, options)
  if (format === 'json' || format === 'ndjson') return openJson(source, format)
  // It is large, and few need it: a page that reads CSV does not load it.
  if (format === 'parquet') return (await import('./parquet.ts')).openParquet(source)
  throw errorAt(source.name, 'A SQLite file is read by the command line alone: ulmus import.')
}

/** The same table, where values that stand for none are none. */
export function withoutMissing(table: Table, missing: readonly string[] = []): Table {
  if (missing.length === 0) return table
  const none = new Set<unknown>(missing)
  const isNone = (value: unknown) => none.has(typeof value === 'number' ? String(value) : value)
  const present = (value: unknown) => (isNone(value) ? undefined : value)
  return {
    ...table,
    async *batches() {
      for await (const rows of table.batches())
        yield rows.map(({ line, values }) => ({ line, values: values.map(present) }))
    },
  }
}
