/** JSON and NDJSON as tables: the members of all objects are the columns. */
import { InputError, parseJson } from '@ulmus/content'
import { encodingOf } from './encodings.ts'
import { recordSeparator } from './formats.ts'
import { columnNames, detectHeader, numberedNames } from './header.ts'
import { parseExactly } from './json-numbers.ts'
import { findRows, type RowsLocation } from './json-outline.ts'
import { JsonWalker, type Taken, type Visitor } from './json-walker.ts'
import type { Choice, Note, ReadOptions } from './options.ts'
import type { FileSource } from './source.ts'
import { Batch, ColumnNames, columnsMax, rowCharactersMax, type Table } from './table.ts'
import { errorAt, shown, type Unit } from './table-error.ts'
import { textsOf } from './texts.ts'

/** Number of rows by which the header is detected. */
const headerRows = 200

/** @throws TableError if the file contains no rows, or several lists that may be the rows */
export async function openJson(
  source: FileSource,
  format: 'json' | 'ndjson',
  given: ReadOptions,
): Promise<Table> {
  const { encoding, notes: ofEncoding } = await encodingOf(source, given.encoding)
  const location = format === 'json' ? await findRows(source, encoding, given) : undefined
  const unit: Unit = format === 'json' ? 'item' : 'line'
  const texts = () =>
    location === undefined ? linesOf(source, encoding) : itemsOf(source, encoding, location)
  const first = await firstRows(texts())
  const shape = await shapeOf(source.name, unit, first, given)
  const rows = new RowReader(source.name, unit, shape, given, location?.keyName)
  const records =
    location === undefined || location.rows === 'one' ? undefined : location.path.join('.') || '.'
  return {
    name: source.name,
    format,
    unit,
    isText: false,
    columns: rows.columns.names,
    detected: { format, encoding, records, header: shape.header },
    notes: [...ofEncoding, ...(location?.notes ?? []), ...shape.notes],
    async *batches() {
      const batch = new Batch()
      let isHeader = shape.header === true
      for await (const item of texts()) {
        if (!isHeader && batch.add({ line: item.number, values: rows.valuesOf(item) }, item.text.length))
          yield batch.take()
        isHeader = false
      }
      const rest = batch.take()
      if (rest.length > 0) yield rest
    },
    close: async () => {},
  }
}

class ItemsVisitor implements Visitor {
  readonly #location: RowsLocation
  items: Taken[] = []

  constructor(location: RowsLocation) {
    this.#location = location
  }

  visit(path: readonly (string | undefined)[]): 'enter' | 'take' | 'pass' {
    const { rows, path: wanted } = this.#location
    if (rows === 'one') return 'take'
    if (path.length > wanted.length) return 'take'
    return path.every((name, level) => name === wanted[level]) ? 'enter' : 'pass'
  }

  take(item: Taken): void {
    this.items.push(item)
  }
}

async function* itemsOf(
  source: FileSource,
  encoding: string,
  location: RowsLocation,
): AsyncGenerator<Taken, void> {
  const visitor = new ItemsVisitor(location)
  const walker = new JsonWalker(visitor, rowCharactersMax)
  for await (const text of textsOf(source, encoding)) {
    walker.push(text)
    yield* visitor.items
    visitor.items = []
    if (walker.fault !== undefined) throw errorAt(source.name, walker.fault)
  }
  walker.end()
  if (walker.fault !== undefined) throw errorAt(source.name, walker.fault)
}

/** Lines of NDJSON, or the texts of a JSON text sequence, which may have several lines each. */
async function* linesOf(source: FileSource, encoding: string): AsyncGenerator<Taken, void> {
  let end: string | undefined
  let rest = ''
  let number = 0
  const taken = (line: string): Taken[] => {
    const at = number + 1
    number += end === '\n' ? 1 : line.split('\n').length - 1
    return line.trim() === '' ? [] : [{ name: undefined, number: at, text: line }]
  }
  for await (const text of textsOf(source, encoding)) {
    end ??= text.trimStart().startsWith(recordSeparator) ? recordSeparator : '\n'
    const [first = '', ...others] = text.split(end)
    // Only the new piece is split, so that a long line is not searched again with each piece.
    rest += first
    const lines = others.length === 0 ? [] : [rest, ...others.slice(0, -1)]
    rest = others.at(-1) ?? rest
    for (const line of lines) yield* taken(line)
    if (rest.length > rowCharactersMax) {
      const sentence = `The line is longer than ${rowCharactersMax} characters. No record may be that long; for a list of objects, call the file .json.`
      throw errorAt(source.name, sentence, { line: number + 1 })
    }
  }
  yield* taken(rest)
}

/** The rows that determine the shape of all: several only if they are lists. */
async function firstRows(texts: AsyncIterable<Taken>): Promise<Taken[]> {
  const rows: Taken[] = []
  for await (const item of texts) {
    rows.push(item)
    if (rows.length >= headerRows || !item.text.trimStart().startsWith('[')) break
  }
  return rows
}

interface RowShape {
  /** With `lists`, the columns are positions. */
  readonly of: 'objects' | 'lists' | 'features'
  readonly columns: readonly string[]
  readonly header: boolean | undefined
  readonly notes: readonly Note[]
}

async function shapeOf(
  file: string,
  unit: Unit,
  first: readonly Taken[],
  given: ReadOptions,
): Promise<RowShape> {
  const none = { columns: [], header: undefined, notes: [] }
  const values = first.map(({ text }) => {
    try {
      return parseJson(text) as unknown
    } catch {
      // It is refused with its position when the rows are read.
      return undefined
    }
  })
  const lists = values.filter(Array.isArray) as unknown[][]
  if (isFeature(values[0])) {
    const sentence =
      'Each GeoJSON feature is a row: its properties are columns, and its shape is the column "geometry".'
    return {
      ...none,
      of: 'features',
      notes: [{ option: 'records', sentence, isUncertain: false, choices: [] }],
    }
  }
  if (!Array.isArray(values[0])) return { ...none, of: 'objects' }
  const cells = lists.map((list) =>
    list.map((value) =>
      value === null ? undefined : typeof value === 'string' ? value : JSON.stringify(value),
    ),
  )
  const isNames = values[0].every((value) => typeof value === 'string' || value === null)
  const detected = isNames ? detectHeader(cells) : { header: false, notes: [] }
  const { header, notes } = given.header === undefined ? detected : { header: given.header, notes: [] }
  const width = Math.max(...cells.map((list) => list.length))
  const columns = header
    ? columnNames(file, { line: first[0]!.number, values: cells[0]! }, given.sameNames, unit)
    : numberedNames(file, width)
  return { of: 'lists', columns, header, notes }
}

interface Feature {
  readonly type: 'Feature'
  readonly properties: object | null
}

const isFeature = (value: unknown): value is Feature =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  value.type === 'Feature' &&
  'geometry' in value &&
  'properties' in value &&
  typeof value.properties === 'object' &&
  !Array.isArray(value.properties)

/** A feature's properties and other members: `feature_id` if there is also a property `id`. */
function flatFeature({ type: _, properties, ...others }: Feature): object {
  const own = properties ?? {}
  const rest = Object.entries(others).map(
    ([name, value]) => [Object.hasOwn(own, name) ? `feature_${name}` : name, value] as const,
  )
  return Object.fromEntries([
    ...rest.filter(([name]) => name === 'id'),
    ...Object.entries(own),
    ...rest.filter(([name]) => name !== 'id'),
  ])
}

const asMembers: Choice = { label: 'Read each member as a row', options: { records: '.' } }

class RowReader {
  readonly columns = new ColumnNames()
  readonly #file: string
  readonly #unit: Unit
  readonly #shape: RowShape
  readonly #missing: readonly string[]
  readonly #keyName: string | undefined

  constructor(
    file: string,
    unit: Unit,
    shape: RowShape,
    { missing = [] }: ReadOptions,
    keyName: string | undefined,
  ) {
    this.#file = file
    this.#unit = unit
    this.#shape = shape
    this.#missing = missing
    this.#keyName = keyName
    for (const name of shape.columns) this.columns.placeOf(name)
  }

  valuesOf({ name, number: line, text }: Taken): unknown[] {
    const row = this.#parse(line, text)
    if (this.#shape.of === 'lists' && Array.isArray(row)) return this.#valuesInList(line, row)
    if (name !== undefined) return this.#place(line, this.#withKey(line, name, row))
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      throw this.#fault(`This is no object in braces, but ${shown(row)}.`, { line })
    return this.#place(line, this.#shape.of === 'features' && isFeature(row) ? flatFeature(row) : row)
  }

  #parse(line: number, text: string): unknown {
    try {
      return parseExactly(text, this.#missing)
    } catch (error) {
      if (error instanceof InputError)
        throw this.#fault(`${error.message} Only one of both can be kept: remove or rename the other.`, {
          line,
        })
      const token = /(?:^|[[{:,\s])(-?(?:NaN|Infinity))(?=[\s,}\]]|$)/.exec(text)?.[1]
      if (token === undefined) throw this.#fault(`This is no JSON: ${(error as Error).message}.`, { line })
      const sentence = `${token} is no JSON, though Python writes it. Treat it as missing, or write the file again without it.`
      const missing = [...this.#missing, token]
      const choice = { label: `Treat ${token} as missing`, options: { missing } }
      throw this.#fault(sentence, { line, value: token }, [choice])
    }
  }

  #withKey(line: number, name: string, row: unknown): object {
    const key = this.#keyName ?? 'key'
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return { [key]: name, value: row }
    if (Object.hasOwn(row, key))
      throw this.#fault(`The object has a member ${shown(key)}, as the column of names is called.`, {
        line,
        column: key,
      })
    return { [key]: name, ...row }
  }

  #valuesInList(line: number, row: unknown[]): unknown[] {
    if (row.length <= this.columns.names.length) return row.map((value) => value ?? undefined)
    const sentence = `The list has ${row.length} values, but there are ${this.columns.names.length} columns.`
    throw this.#fault(sentence, { line })
  }

  #place(line: number, row: object): unknown[] {
    const values: unknown[] = []
    for (const [name, value] of Object.entries(row)) {
      const place = this.columns.placeOf(name)
      if (place === undefined) {
        const sentence = `The objects have more than ${columnsMax} different members. Put those that are data, such as ids, into one member that is a list.`
        throw this.#fault(sentence, { line, column: name }, this.#unit === 'item' ? [asMembers] : [])
      }
      // Fill gaps: holes would make the array slow.
      while (values.length < place) values.push(undefined)
      values[place] = value
    }
    return values
  }

  #fault(
    sentence: string,
    fault: { line: number; column?: string; value?: string },
    choices: readonly Choice[] = [],
  ) {
    return errorAt(this.#file, sentence, fault, this.#unit, choices)
  }
}
