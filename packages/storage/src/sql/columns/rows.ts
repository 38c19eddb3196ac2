/**
 * Helpers for SQL statements on the tables: columns to read, values to write, parameters of a text that depends on the request. With them a
 * new column of a table reaches its statements without another change.
 */
import {
  type Column,
  getTableColumns,
  getTableName,
  type InferInsertModel,
  type InferSelectModel,
  type Table,
} from 'drizzle-orm'
import type { Tx } from '../../database/database.ts'

type Row<T extends Table> = InferSelectModel<T>
type NewRow<T extends Table> = InferInsertModel<T>

const columnsIn = (table: Table) => Object.entries<Column>(getTableColumns(table))
const nameOf = (table: Table, { name }: Column) => `"${getTableName(table)}"."${name}"`

/** For `select` and `returning`: the table's columns, named like the members of its row, except those in `without`. */
export const columnsOf = <T extends Table>(table: T, ...without: (keyof Row<T>)[]): string =>
  columnsIn(table)
    .filter(([member]) => !without.includes(member as keyof Row<T>))
    .map(([member, column]) => `${nameOf(table, column)} as "${member}"`)
    .join(', ')

/**
 * Selects a whole row as one column. The driver's work per column is most of the cost of a look-up in several wide tables:
 * for the 40 columns of a collection, a server needs 130 µs of CPU this way instead of 220.
 * @returns `text`: the column; `read`: converts its value to a row, or null if an outer join found none
 */
export function wholeRow<T extends Table>(table: T) {
  const columns = columnsIn(table)
  return {
    text: `json_build_array(${columns.map(([, column]) => nameOf(table, column)).join(', ')})`,
    read(value: unknown): Row<T> | null {
      const array = value as unknown[]
      if (array.every((member) => member === null)) return null
      const members = columns.map(([member, column], index) => {
        const stored = array[index]
        return [member, stored === null ? null : column.mapFromDriverValue(stored)]
      })
      return Object.fromEntries(members)
    },
  }
}

const stored = (column: Column, value: unknown) => (value === null ? null : column.mapToDriverValue(value))

/** Parameters of a statement whose text depends on the request. */
export class Values {
  readonly given: unknown[]

  /** @param first values of $1, $2 and so on in the text */
  constructor(...first: unknown[]) {
    this.given = first
  }

  /** @returns the placeholder for the value */
  of(value: unknown): string {
    return `$${this.given.push(value)}`
  }

  /** For `set`: assignments of the columns in `changes`. */
  changes<T extends Table>(table: T, changes: Partial<NewRow<T>>): string {
    const given = changes as Readonly<Record<string, unknown>>
    return columnsIn(table)
      .filter(([member]) => given[member] !== undefined)
      .map(([member, column]) => `"${column.name}" = ${this.of(stored(column, given[member]))}`)
      .join(', ')
  }
}

/**
 * Statement that inserts one row or several; a column absent from a row gets its default.
 * @param further clauses after the values, such as `returning`
 */
export function insertInto<T extends Table>(
  table: T,
  rows: NewRow<T> | readonly NewRow<T>[],
  further = '',
): [text: string, values: unknown[]] {
  const columns = columnsIn(table)
  const values = new Values()
  const tuples = (Array.isArray(rows) ? rows : [rows]).map((row: Readonly<Record<string, unknown>>) => {
    const members = columns.map(([member, column]) =>
      row[member] === undefined ? 'default' : values.of(stored(column, row[member])),
    )
    return `(${members.join(', ')})`
  })
  const names = columns.map(([, { name }]) => `"${name}"`).join(', ')
  const text = `insert into "${getTableName(table)}" (${names}) values ${tuples.join(', ')} ${further}`
  return [text, values.given]
}

/** Changes one row. Without changes it sends no statement. */
export async function updateById<T extends Table>(
  tx: Tx,
  table: T,
  id: string,
  changes: Partial<NewRow<T>>,
): Promise<void> {
  const values = new Values(id)
  const text = values.changes(table, changes)
  if (text !== '') await tx.query(`update "${getTableName(table)}" set ${text} where id = $1`, values.given)
}
