/**
 * Statements that nearly every request makes: their SQL is built once a database, and a server plans them once a connection. Outside
 * of transactions they share one connection to it (look-ups.ts), so there they read, by a key, and wait for no lock.
 */
import { getTableColumns, type InferInsertModel, type Placeholder, sql, type Table } from 'drizzle-orm'
import type { Queries } from './database.ts'
import type { Orm } from './orm.ts'

interface Statement<Rows> {
  execute(values: Record<string, unknown>): Promise<Rows>
}

/** @param build the statement, with `sql.placeholder(name)` where the values belong that it is later run with */
export function prepared<Rows>(build: (orm: Orm) => Statement<Rows>) {
  const built = new WeakMap<Orm, Statement<Rows>>()
  return ({ orm }: Queries, values: Record<string, unknown>): Promise<Rows> => {
    let statement = built.get(orm)
    if (statement === undefined) {
      statement = build(orm)
      built.set(orm, statement)
    }
    return statement.execute(values)
  }
}

/** The values of an `insert` that is later run with a whole row. */
export const placeholdersFor = <T extends Table>(table: T): InferInsertModel<T> =>
  Object.fromEntries(
    Object.keys(getTableColumns(table)).map((name): [string, Placeholder] => [name, sql.placeholder(name)]),
  ) as InferInsertModel<T>
