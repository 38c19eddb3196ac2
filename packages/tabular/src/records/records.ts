/** Converts rows to records of one type, by a plan. */
import { idBytesMax, idOf } from '../inference/column.ts'
import { HashSet } from '../inference/hash-set.ts'
import { joinIds } from '../inference/ids.ts'
import type { Row, Table } from '../reading/table.ts'
import { errorAt, type Fault, shown, type TableError } from '../reading/table-error.ts'
import { type CellColumn, cellColumnOf, Places } from './cells.ts'
import type { Plan, PlannedColumn } from './plan.ts'
import { IdCopies, privateIdError } from './private-ids.ts'
import { setMember, setWithin } from './set-member.ts'
import { unfit } from './values.ts'

/** A record made from a row. */
export interface TableRecord {
  readonly id: string
  readonly type: string
  readonly data: Record<string, unknown>
}

export interface RecordsOptions {
  /** Called with the error of each invalid row, which is then skipped. Default: the first error is thrown. */
  readonly onFault?: ((fault: TableError) => void) | undefined
}

/**
 * Yields one record per row, in the order of the file. Ids are unique: to check this, 16 to 32 bytes per row are kept, up to 16 million
 * rows.
 * @throws TableError for a value of another kind than its column's, a row without an id, and a repeated id
 * @throws PrivateIdError for a private column in the id, and after the last row for one whose values are in most ids
 */
export async function* recordsOf(
  table: Table,
  plan: Plan,
  { onFault }: RecordsOptions = {},
): AsyncGenerator<TableRecord, void> {
  const refused = privateIdError(table.name, plan)
  if (refused !== undefined) throw refused
  const maker = new RecordMaker(table, plan)
  const copies = new IdCopies(plan)
  for await (const batch of table.batches()) {
    maker.findPlaces()
    for (const row of batch) {
      const made = maker.recordOf(row)
      if (made instanceof Error) {
        if (onFault === undefined) throw made
        onFault(made)
        continue
      }
      copies.count(made.id, made.data)
      yield made
    }
  }
  const copied = copies.error(table.name)
  if (copied !== undefined) throw copied
}

interface PlacedColumn extends CellColumn {
  place: number | undefined
}

class RecordMaker {
  readonly #table: Table
  readonly #plan: Plan
  readonly #columns: PlacedColumn[]
  readonly #choices: readonly (ReadonlySet<unknown> | undefined)[]
  readonly #ids = new HashSet()
  readonly #places: Places
  #idPlaces: readonly (number | undefined)[] = []
  #number = 0

  constructor(table: Table, plan: Plan) {
    this.#table = table
    this.#plan = plan
    this.#places = new Places(table)
    this.#columns = plan.columns.map((column) => ({ ...cellColumnOf(column, table), place: undefined }))
    this.#choices = plan.columns.map(({ choices }) => choices && new Set(choices))
  }

  findPlaces(): void {
    if (!this.#places.update()) return
    for (const column of this.#columns) column.place = this.#places.of(column.name)
    this.#idPlaces = this.#plan.id.map((name) => this.#places.of(name))
  }

  recordOf({ line, values }: Row): TableRecord | TableError {
    this.#number++
    const id = this.#plan.id.length === 0 ? String(this.#number) : this.#idOf(line, values)
    if (typeof id !== 'string') return id
    if (this.#plan.id.length > 0 && !this.#ids.add(id)) return this.#repeated(line, id)
    const data: Record<string, unknown> = {}
    for (const [at, column] of this.#columns.entries()) {
      const given = column.place === undefined ? undefined : values[column.place]
      const value = column.read(given)
      if (value === unfit) return this.#kindFault(line, column, given)
      if (value === undefined) {
        if (column.isRequired) return this.#missing(line, column)
        continue
      }
      if (value !== null && this.#choices[at]?.has(value) === false)
        return this.#unlisted(line, column, value)
      if (column.path === undefined) setMember(data, column.field, value)
      else setWithin(data, column.path, value)
    }
    return { id, type: this.#plan.type, data }
  }

  #idOf(line: number, values: readonly unknown[]): string | TableError {
    const parts: string[] = []
    for (const [at, column] of this.#plan.id.entries()) {
      const place = this.#idPlaces[at]
      const value = place === undefined ? undefined : values[place]
      const part = idOf(value)
      if (part === undefined) return this.#idFault(line, column, value)
      parts.push(part)
    }
    const id = joinIds(parts)
    if (id.length * 3 > idBytesMax && new TextEncoder().encode(id).length > idBytesMax)
      return this.#fault(`The id is longer than ${idBytesMax} bytes.`, { line, column: this.#plan.id[0]! })
    return id
  }

  #idFault(line: number, column: string, value: unknown): TableError {
    if (value === undefined || value === null || value === '')
      return this.#fault(
        `\`${column}\` has no value, and it is ${this.#plan.id.length > 1 ? 'part of ' : ''}the id. Fill it in, or take the row out.`,
        { line, column },
      )
    const sentence =
      typeof value === 'string'
        ? `\`${column}\` is the id, and longer than ${idBytesMax} bytes.`
        : `\`${column}\` is the id, which must be a text or an integer, and not ${shown(value)}.`
    return this.#fault(sentence, { line, column, value: shown(value) })
  }

  #repeated(line: number, id: string): TableError {
    const column = this.#plan.id[0]!
    const names = this.#plan.id.map((name) => `\`${name}\``).join(' and ')
    const { isFull } = this.#ids
    const sentence = isFull
      ? `There are more than ${this.#ids.size} rows, too many to know whether an id comes twice. Divide the file.`
      : `An earlier row has the id ${shown(id)} too (${names}). Make another column the id, or several together, or take one of the rows out.`
    const repeatedId = isFull ? undefined : id
    return this.#fault(sentence, { line, column, value: shown(id), repeatedId })
  }

  #missing(line: number, { name: column }: PlannedColumn): TableError {
    return this.#fault(`\`${column}\` has no value, and it is required. Fill it in, or let it be missing.`, {
      line,
      column,
    })
  }

  #unlisted(line: number, { name: column, choices = [] }: PlannedColumn, given: unknown): TableError {
    const value = shown(given)
    const sentence = `\`${column}\` is ${value}, which is none of its ${choices.length} values. Correct it, or allow new values.`
    return this.#fault(sentence, { line, column, value })
  }

  #kindFault(
    line: number,
    { name: column, kind, conversion, unit }: PlannedColumn,
    given: unknown,
  ): TableError {
    const value = shown(given)
    if (unit !== undefined)
      return this.#fault(
        `\`${column}\` is ${value}, no amount in ${unit}. Say that it stands for no value, or read the column without a conversion.`,
        { line, column, value },
      )
    if (conversion !== undefined)
      return this.#fault(
        `\`${column}\` is ${value}, which cannot be read as ${conversion}. Say that it stands for no value, or read the column without a conversion.`,
        { line, column, value },
      )
    const way =
      kind === 'any' || kind === 'array' || kind === 'object'
        ? 'Correct it, or leave the column out.'
        : `Say that ${value} stands for no value, or make the column a string.`
    return this.#fault(`\`${column}\` is ${value}, no ${kindNames[kind]}. ${way}`, { line, column, value })
  }

  #fault(sentence: string, fault: Fault): TableError {
    return errorAt(this.#table.name, sentence, fault, this.#table.unit)
  }
}

/** Names of kinds in messages. */
export const kindNames = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean (true or false)',
  date: 'date (2026-01-31)',
  'date-time': 'date and time with a zone (2026-01-31T12:00:00Z)',
  array: 'list of at most 63 levels',
  object: 'object of at most 63 levels',
  any: 'value of at most 63 levels',
} as const
