/** A section of an account's export: rows of one table as JSON. */
import { type Column, getTableColumns, getTableName, type InferSelectModel, type Table } from 'drizzle-orm'

/** Rows of one table, `t`. In all texts `$1` is the id of the user. */
export interface Section {
  readonly table: string
  /** Columns that it exports or computes members from. */
  readonly columns: readonly string[]
  /** SQL of the members of an item, by name. */
  readonly members: Readonly<Record<string, string>>
  readonly from: string
  readonly where: string
  /** Columns that order the rows, with their types. No two rows have the same values. */
  readonly key: readonly (readonly [name: string, type: string])[]
}

type Row<T extends Table> = InferSelectModel<T>
type Name<T extends Table> = keyof Row<T> & string

interface Rows<T extends Table> {
  /** Exported as they are, under the names of the row. */
  readonly shown: readonly Name<T>[]
  /** Columns that `also` is computed from. */
  readonly used?: readonly Name<T>[]
  readonly also?: Readonly<Record<string, string>>
  readonly join?: string
  readonly where: string
  readonly key: readonly Name<T>[]
}

export function section<T extends Table>(table: T, rows: Rows<T>): Section {
  const { shown, used = [], also = {}, join = '', where, key } = rows
  const columns: Record<string, Column> = getTableColumns(table)
  const column = (name: Name<T>): Column => columns[name]!
  return {
    table: getTableName(table),
    columns: [...shown, ...used].map((name) => column(name).name),
    members: { ...Object.fromEntries(shown.map((name) => [name, plainOf(column(name))])), ...also },
    from: `"${getTableName(table)}" t ${join}`,
    where,
    key: key.map((name) => [column(name).name, column(name).getSQLType()]),
  }
}

/** Instants are written as in all answers. */
const plainOf = (column: Column): string =>
  column.getSQLType().startsWith('timestamp')
    ? `to_char(t."${column.name}" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : `t."${column.name}"`
