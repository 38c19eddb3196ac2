/** CSV and TSV as a table: detects what the options leave open, then reads the rows in batches. */
import { DelimitedParser, type Dialect, type Line } from './delimited-parser.ts'
import { detectDialect, isBlank } from './dialect.ts'
import { encodingOf } from './encodings.ts'
import { columnNames, detectHeader, numberedNames } from './header.ts'
import type { Note, ReadOptions } from './options.ts'
import type { FileSource } from './source.ts'
import { type Row, rowCharactersMax, type Table } from './table.ts'
import { errorAt, shown } from './table-error.ts'
import { headOf, textsOf } from './texts.ts'

/** Number of rows by which the header is detected. */
const headerRows = 200

/** @throws TableError for an empty file, for two columns of the same name, and for too many columns */
export async function openDelimited(
  source: FileSource,
  format: 'csv' | 'tsv',
  given: ReadOptions,
): Promise<Table> {
  checkOptions(source.name, given)
  const { encoding, notes: ofEncoding } = await encodingOf(source, given.encoding)
  const { text, isCut } = await headOf(source, encoding)
  const {
    dialect,
    lines,
    notes: ofDialect,
  } = detectDialect(text, isCut, format === 'tsv' ? '\t' : ',', given)
  const first = lines.find((line) => !isBlank(line)) ?? (await firstLine(source, encoding, dialect))
  if (first === undefined)
    throw errorAt(source.name, 'The file is empty. Its first line must name the columns.')
  const sample = lines.filter((line) => !isBlank(line)).slice(0, headerRows)
  const { header, notes: ofHeader } =
    given.header === undefined
      ? detectHeader(sample.map(({ values }) => values))
      : { header: given.header, notes: [] as Note[] }
  const columns = header
    ? columnNames(source.name, first, given.sameNames)
    : numberedNames(source.name, Math.max(first.values.length, ...sample.map(({ values }) => values.length)))
  return {
    name: source.name,
    format,
    unit: 'line',
    isText: true,
    columns,
    detected: { format, encoding, ...dialect, header },
    notes: [...ofEncoding, ...ofDialect, ...ofHeader],
    async *batches() {
      let isHeader = header
      for await (const lines of linesOf(source, encoding, dialect)) {
        // Skip rows with only delimiters, as spreadsheets write below a table. A table of one column has no such rows.
        const filled = columns.length === 1 ? lines : lines.filter((line) => !isBlank(line))
        const rows: Row[] = isHeader ? filled.slice(1) : filled
        isHeader &&= filled.length === 0
        for (const row of rows)
          if (row.values.length > columns.length) checkLength(source.name, row, columns.length)
        if (rows.length > 0) yield rows
      }
    },
    close: async () => {},
  }
}

function checkOptions(file: string, { delimiter, comment, skip }: ReadOptions): void {
  const isCharacter = (text: string) => text.length === 1 && !/["\r\n]/.test(text)
  if (delimiter !== undefined && !isCharacter(delimiter))
    throw errorAt(file, `The delimiter must be one character and no quote, not ${shown(delimiter)}.`)
  if (comment !== undefined && comment !== '' && !isCharacter(comment))
    throw errorAt(file, `Comments must begin with one character, not with ${shown(comment)}.`)
  if (skip !== undefined && !(Number.isSafeInteger(skip) && skip >= 0))
    throw errorAt(file, `The number of lines to skip must be a whole number, not ${skip}.`)
}

/** The first line that is not blank, for the case that it ends beyond the sample. */
async function firstLine(source: FileSource, encoding: string, dialect: Dialect): Promise<Line | undefined> {
  for await (const lines of linesOf(source, encoding, dialect)) {
    const first = lines.find((line) => !isBlank(line))
    if (first !== undefined) return first
  }
  return undefined
}

/** Yields batches of lines, never empty ones. */
async function* linesOf(
  source: FileSource,
  encoding: string,
  dialect: Dialect,
): AsyncGenerator<Line[], void> {
  const parser = new DelimitedParser(dialect, rowCharactersMax)
  const checked = (lines: Line[]) => {
    if (parser.fault === undefined) return
    // Yield the lines before the fault first.
    if (lines.length === 0) throw errorAt(source.name, parser.fault.sentence, { line: parser.fault.line })
  }
  for await (const text of textsOf(source, encoding)) {
    const lines = parser.push(text)
    checked(lines)
    if (lines.length > 0) yield lines
    checked([])
  }
  const lines = parser.end()
  checked(lines)
  if (lines.length > 0) yield lines
  checked([])
}

/** Refuses values beyond the last column; surplus delimiters at the end of a line are harmless. */
function checkLength(file: string, { line, values }: Row, columns: number): void {
  const last = values.findLastIndex((value) => value !== undefined)
  if (last < columns) return
  const sentence = `The line has ${last + 1} values, but there are ${columns} columns. A value that holds the delimiter must stand in quotes.`
  throw errorAt(file, sentence, { line, value: shown(values[columns]) })
}
