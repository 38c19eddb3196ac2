/** Reads cells of a table by the columns of a plan. */
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
  // CSV writes null and a missing value alike: where a value is required, only null is possible.
  const none = table.isText && isNullable && column.isRequired ? null : undefined
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

function readerFor({ kind, conversion, isFile }: PlannedColumn, isText: boolean): ReadValue {
  const asItIs = readerOf(kind, isText)
  if (isFile && isText) return (value) => (fileHash.test(value as string) ? { $file: value } : asItIs(value))
  if (conversion === undefined) return asItIs
  const asText = readerOf(kind, true)
  return (value) => {
    if (typeof value !== 'string') return asItIs(value)
    if (value.trim() === '') return undefined
    const made = converted(conversion, value)
    return made === undefined ? unfit : asText(made.text)
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
