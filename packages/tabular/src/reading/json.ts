/** JSON and NDJSON as tables: the members of all objects are columns. */
import { ItemScanner } from './json-items.ts'
import { parseJson } from './json-numbers.ts'
import type { FileSource } from './source.ts'
import { Batch, ColumnNames, columnsMax, rowCharactersMax, type Table } from './table.ts'
import { errorAt, shown } from './table-error.ts'
import { textsOf } from './texts.ts'

export function openJson(source: FileSource, format: 'json' | 'ndjson'): Table {
  const columns = new ColumnNames()
  const unit = format === 'json' ? 'item' : 'line'
  const texts = format === 'json' ? itemsOf : linesOf
  return {
    name: source.name,
    format,
    unit,
    isText: false,
    columns: columns.names,
    async *batches() {
      const batch = new Batch()
      for await (const { number, text } of texts(source)) {
        const values = valuesOf(source.name, unit, number, text, columns)
        if (batch.add({ line: number, values }, text.length)) yield batch.take()
      }
      const rest = batch.take()
      if (rest.length > 0) yield rest
    },
    close: async () => {},
  }
}

interface Numbered {
  readonly number: number
  readonly text: string
}

async function* itemsOf(source: FileSource): AsyncGenerator<Numbered, void> {
  const scanner = new ItemScanner(rowCharactersMax)
  const check = () => {
    if (scanner.fault !== undefined) throw errorAt(source.name, scanner.fault)
  }
  for await (const text of textsOf(source)) {
    yield* scanner.push(text)
    check()
  }
  scanner.end()
  check()
}

async function* linesOf(source: FileSource): AsyncGenerator<Numbered, void> {
  let rest = ''
  let number = 0
  for await (const text of textsOf(source)) {
    const [first = '', ...others] = text.split('\n')
    // A long line is not searched again with each piece of it.
    rest += first
    const lines = others.length === 0 ? [] : [rest, ...others.slice(0, -1)]
    rest = others.at(-1) ?? rest
    for (const line of lines) {
      number++
      if (line.trim() !== '') yield { number, text: line }
    }
    if (rest.length > rowCharactersMax) {
      const sentence = `The line is longer than ${rowCharactersMax} characters. No record may be that long; for a list of objects, call the file .json.`
      throw errorAt(source.name, sentence, { line: number + 1 })
    }
  }
  if (rest.trim() !== '') yield { number: number + 1, text: rest }
}

function valuesOf(
  file: string,
  unit: 'item' | 'line',
  line: number,
  text: string,
  columns: ColumnNames,
): unknown[] {
  let row: unknown
  try {
    row = parseJson(text)
  } catch (error) {
    throw errorAt(file, `This is no JSON: ${(error as Error).message}.`, { line }, unit)
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw errorAt(file, `This is no object in braces, but ${shown(row)}.`, { line }, unit)
  const values: unknown[] = []
  for (const [name, value] of Object.entries(row)) {
    const place = columns.placeOf(name)
    if (place === undefined) {
      const sentence = `The objects have more than ${columnsMax} different members. Put those that are data, such as ids, into one member that is a list.`
      throw errorAt(file, sentence, { line, column: name }, unit)
    }
    // No holes: they would make the list a slow one.
    while (values.length < place) values.push(undefined)
    values[place] = value
  }
  return values
}
