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
}

/** @throws TableError for what cannot be read as a table; what is wrong with single rows is told when they are read */
export async function openTable(source: FileSource, options: OpenOptions = {}): Promise<Table> {
  const format = options.format ?? (await formatOf(source))
  if (format === 'csv' || format === 'tsv') return openDelimited(source, format, options)
  if (format === 'json' || format === 'ndjson') return openJson(source, format)
  // It is large, and few need it: a page that reads CSV does not load it.
  if (format === 'parquet') return (await import('./parquet.ts')).openParquet(source)
  throw errorAt(source.name, 'A SQLite file is read by the command line alone: ulmus import.')
}
