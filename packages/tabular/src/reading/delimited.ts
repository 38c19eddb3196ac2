/** CSV and TSV as a table. The first line names the columns. */
import { DelimitedParser, type Line } from './delimited-parser.ts'
import type { FileSource } from './source.ts'
import { columnsMax, type Row, rowCharactersMax, type Table } from './table.ts'
import { errorAt, shown } from './table-error.ts'
import { textsOf } from './texts.ts'

export interface DelimitedOptions {
  /** Undefined: a comma, or a semicolon where the first line has more of them, as in countries whose numbers have commas. */
  readonly delimiter?: ',' | ';' | '\t' | undefined
}

/** @throws TableError for an empty file, for two columns of one name, and for too many columns */
export async function openDelimited(
  source: FileSource,
  format: 'csv' | 'tsv',
  { delimiter }: DelimitedOptions,
): Promise<Table> {
  const text = await headOf(source)
  const chosen = format === 'tsv' ? '\t' : (delimiter ?? delimiterOf(text))
  const first = (await linesOf(source, chosen).next()).value?.[0]
  if (first === undefined)
    throw errorAt(source.name, 'The file is empty. Its first line must name the columns.')
  const columns = namesIn(source.name, first)
  return {
    name: source.name,
    format,
    unit: 'line',
    isText: true,
    columns,
    async *batches() {
      let isHead = true
      for await (const lines of linesOf(source, chosen)) {
        const rows: Row[] = isHead ? lines.slice(1) : lines
        isHead = false
        for (const row of rows) {
          if (row.values.length > columns.length) checkLength(source.name, row, columns.length)
        }
        if (rows.length > 0) yield rows
      }
    },
    close: async () => {},
  }
}

async function headOf(source: FileSource): Promise<string> {
  for await (const text of textsOf(source)) if (text !== '') return text
  return ''
}

/** In files of some countries a semicolon stands where others have a comma. */
const delimiterOf = (text: string): ',' | ';' => {
  // What stands in quotes parts nothing. The text may be cut within them.
  const [line = ''] = text.replace(/"(?:[^"]|"")*"?/g, '').split(/[\r\n]/, 1)
  return line.split(';').length > line.split(',').length ? ';' : ','
}

/** Some lines at a time, never none. */
async function* linesOf(source: FileSource, delimiter: string): AsyncGenerator<Line[], void> {
  const parser = new DelimitedParser(delimiter.charCodeAt(0), rowCharactersMax)
  const checked = (lines: Line[]) => {
    if (parser.fault === undefined) return
    // What was read before it is handed on first.
    if (lines.length === 0) throw errorAt(source.name, parser.fault.sentence, { line: parser.fault.line })
  }
  for await (const text of textsOf(source)) {
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

/** Columns without a name are called by their place, as tables without a name for their index have one. */
function namesIn(file: string, { line, values }: Line): string[] {
  if (values.length > columnsMax)
    throw errorAt(file, `There are ${values.length} columns; at most ${columnsMax} can be read.`, { line })
  const names = values.map((value) => value?.trim() ?? '')
  const places = new Map<string, number>()
  for (const [place, name] of names.entries()) {
    const before = places.get(name)
    if (name !== '' && before !== undefined) {
      const sentence = `Columns ${before + 1} and ${place + 1} are both called ${shown(name)}. Rename one of them in the file.`
      throw errorAt(file, sentence, { line, column: name })
    }
    places.set(name, place)
  }
  return names.map((name, place) => (name === '' ? freeName(place + 1, places) : name))
}

function freeName(place: number, taken: Map<string, number>): string {
  let name = `column_${place}`
  while (taken.has(name)) name += '_'
  taken.set(name, place)
  return name
}

/** Delimiters at the end of a line are harmless; values without a column are not. */
function checkLength(file: string, { line, values }: Row, columns: number): void {
  const last = values.findLastIndex((value) => value !== undefined)
  if (last < columns) return
  const sentence = `The line has ${last + 1} values, but there are ${columns} columns. A value that holds the delimiter must stand in quotes.`
  throw errorAt(file, sentence, { line, value: shown(values[columns]) })
}
