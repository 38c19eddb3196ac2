/** Rows as records of one type, by a plan. */
import { idBytesMax, idOf } from '../inference/column.ts'
import { HashSet } from '../inference/hash-set.ts'
import type { Row, Table } from '../reading/table.ts'
import { errorAt, shown, type TableError } from '../reading/table-error.ts'
import type { Plan, PlannedColumn } from './plan.ts'
import { type ReadValue, readerOf, unfit } from './values.ts'

export interface TableRecord {
  readonly id: string
  readonly type: string
  readonly data: Record<string, unknown>
}

export interface RecordsOptions {
  /** Is told what is wrong with a row, which is passed over then. Without it the first fault is thrown. */
  readonly onFault?: ((fault: TableError) => void) | undefined
}

/**
 * A record a row, in the order of the file. No two have one id: 16 to 32 bytes a row are kept to know that, up to 16 million rows.
 * @throws TableError for a value that is not of its column's kind, a row without its id, and an id that comes twice
 */
export async function* recordsOf(
  table: Table,
  plan: Plan,
  { onFault }: RecordsOptions = {},
): AsyncGenerator<TableRecord, void> {
  const maker = new RecordMaker(table, plan)
  for await (const batch of table.batches()) {
    maker.findPlaces()
    for (const row of batch) {
      const made = maker.recordOf(row)
      if (!(made instanceof Error)) yield made
      else if (onFault === undefined) throw made
      else onFault(made)
    }
  }
}

interface PlacedColumn extends PlannedColumn {
  readonly field: string
  readonly read: ReadValue
  /** Undefined: no row has had it so far. */
  place: number | undefined
}

class RecordMaker {
  readonly #table: Table
  readonly #plan: Plan
  readonly #columns: PlacedColumn[]
  readonly #ids = new HashSet()
  #idPlace: number | undefined
  #known = -1
  #number = 0

  constructor(table: Table, plan: Plan) {
    this.#table = table
    this.#plan = plan
    this.#columns = plan.columns.map((column) => ({
      ...column,
      field: column.field ?? column.name,
      read: readerOf(column.kind, table.isText),
      place: undefined,
    }))
  }

  /** Of JSON, columns come while rows are read. */
  findPlaces(): void {
    const names = this.#table.columns
    if (names.length === this.#known) return
    this.#known = names.length
    const places = new Map(names.map((name, place) => [name, place]))
    for (const column of this.#columns) column.place = places.get(column.name)
    this.#idPlace = this.#plan.id === undefined ? undefined : places.get(this.#plan.id)
  }

  recordOf({ line, values }: Row): TableRecord | TableError {
    this.#number++
    const id = this.#plan.id === undefined ? String(this.#number) : idOf(this.#valueAt(values, this.#idPlace))
    if (id === undefined) return this.#idFault(line, this.#valueAt(values, this.#idPlace))
    if (this.#plan.id !== undefined && !this.#ids.add(id)) return this.#repeated(line, id)
    const data: Record<string, unknown> = {}
    for (const column of this.#columns) {
      const given = this.#valueAt(values, column.place)
      let value = given
      if (given === null) value = column.isNullable === true ? null : undefined
      else if (given !== undefined) value = column.read(given)
      if (value === unfit) return this.#kindFault(line, column, given)
      if (value !== undefined) setMember(data, column.field, value)
      else if (column.isRequired) return this.#missing(line, column)
    }
    return { id, type: this.#plan.type, data }
  }

  #valueAt(values: readonly unknown[], place: number | undefined): unknown {
    return place === undefined ? undefined : values[place]
  }

  #idFault(line: number, value: unknown): TableError {
    const column = this.#plan.id!
    if (value === undefined || value === null || value === '')
      return this.#fault(`\`${column}\` has no value, and it is the id.`, { line, column })
    const sentence =
      typeof value === 'string'
        ? `\`${column}\` is the id, and longer than ${idBytesMax} bytes.`
        : `\`${column}\` is the id, which must be a text or an integer, and not ${shown(value)}.`
    return this.#fault(sentence, { line, column, value: shown(value) })
  }

  #repeated(line: number, id: string): TableError {
    const column = this.#plan.id!
    const sentence = this.#ids.isFull
      ? `There are more than ${this.#ids.size} rows, too many to know whether an id comes twice. Divide the file.`
      : `\`${column}\` is ${shown(id)} in a row before, too, and it is the id. Make another column the id, or take one of the rows out.`
    return this.#fault(sentence, { line, column, value: shown(id) })
  }

  #missing(line: number, { name: column }: PlannedColumn): TableError {
    return this.#fault(`\`${column}\` has no value, and it is required. Fill it in, or let it be missing.`, {
      line,
      column,
    })
  }

  #kindFault(line: number, { name: column, kind }: PlannedColumn, given: unknown): TableError {
    const value = shown(given)
    const called = kind === 'any' ? 'value that nests at most 63 levels' : kindNames[kind]
    const way =
      kind === 'any' || kind === 'array' || kind === 'object'
        ? 'Correct it, or leave the column out.'
        : `Say that ${value} stands for no value, or make the column a string.`
    return this.#fault(`\`${column}\` is ${value}, no ${called}. ${way}`, { line, column, value })
  }

  #fault(sentence: string, fault: { line: number; column: string; value?: string }): TableError {
    return errorAt(this.#table.name, sentence, fault, this.#table.unit)
  }
}

const kindNames = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean (true or false)',
  date: 'date (2026-01-31)',
  'date-time': 'date and time with a zone (2026-01-31T12:00:00Z)',
  array: 'list of at most 63 levels',
  object: 'object of at most 63 levels',
} as const

/** A member of whatever name: assigning to `__proto__` would do something else. */
function setMember(data: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') data[name] = value
  else Object.defineProperty(data, name, { value, enumerable: true, configurable: true, writable: true })
}
