/** Reads cells of a table by the columns of a plan. */
import type { TableColumn } from '@ulmus/content'
import { converted } from '../inference/conversions.ts'
import type { Table } from '../reading/table.ts'
import type { PlannedColumn } from './plan.ts'
import { type ReadValue, readerOf, unfit } from './values.ts'

export interface CellColumn extends PlannedColumn {
  readonly field: string
  /** Returns undefined for a missing value, and `unfit` for a value of another kind than the column's. */
  readonly read: ReadValue
}

export function cellColumnOf(column: PlannedColumn, table: Table): CellColumn {
  const read = readerFor(column, table.isText)
  const isNullable = column.isNullable === true
  // Tables write null and a missing value alike: where a value is required, only null is possible.
  const isTable = table.isText || table.format === 'parquet'
  const none = isTable && isNullable && column.isRequired ? null : undefined
  return {
    ...column,
    field: column.field ?? column.name,
    read: (value) => {
      if (value === undefined) return none
      if (value === null) return isNullable ? null : undefined
      const made = read(value)
      return made === undefined ? none : made
    },
  }
}

const fileHash = /^sha256:[0-9a-f]{64}$/

/** A value of a downloaded table with its files, which the table has as `sha256:…`. */
function withFiles(column: Pick<TableColumn, 'type' | 'items' | 'members'>, value: unknown): unknown {
  const { type, items, members } = column
  if (type === 'file') return fileHash.test(value as string) ? { $file: value } : value
  if (type === 'list' && Array.isArray(value)) return value.map((item) => withFiles({ type: items! }, item))
  if (type !== 'object' || typeof value !== 'object' || value === null) return value
  const inner = new Map(members!.map((member) => [member.name, member]))
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      inner.has(name) ? withFiles(inner.get(name)!, one) : one,
    ]),
  )
}

const hasFiles = ({ type, items, members }: TableColumn): boolean =>
  type === 'file' || items === 'file' || members?.some(hasFiles) === true

function readerFor(column: PlannedColumn, isText: boolean): ReadValue {
  const read = plainReader(column, isText)
  const { stored } = column
  if (stored === undefined || !hasFiles(stored)) return read
  if (stored.type !== 'file') return (value) => withFiles(stored, read(value))
  return (value) => (fileHash.test(value as string) ? withFiles(stored, value) : read(value))
}

function plainReader({ kind, conversion, unit: known }: PlannedColumn, isText: boolean): ReadValue {
  const asItIs = readerOf(kind, isText)
  if (conversion === undefined) return asItIs
  const asText = readerOf(kind, true)
  // Amounts of several currencies are not numbers of one column.
  let unit = known
  return (value) => {
    if (typeof value !== 'string') return asItIs(value)
    if (value.trim() === '') return undefined
    const made = converted(conversion, value)
    if (made?.unit !== undefined) unit ??= made.unit
    return made === undefined || (made.unit ?? unit) !== unit ? unfit : asText(made.text)
  }
}

/** Positions of a plan's columns in the rows of a table. In JSON, columns appear while rows are read. */
export class Places {
  readonly #table: Table
  #known = -1
  #places = new Map<string, number>()

  constructor(table: Table) {
    this.#table = table
  }

  /** @returns true if new columns have appeared */
  update(): boolean {
    const names = this.#table.columns
    if (names.length === this.#known) return false
    this.#known = names.length
    this.#places = new Map(names.map((name, place) => [name, place]))
    return true
  }

  /** Undefined if no row has had the column so far. */
  of(name: string): number | undefined {
    return this.#places.get(name)
  }
}
