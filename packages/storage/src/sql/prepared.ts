/** Statements that nearly every request makes: their SQL is built once a database, and a server plans them once a connection. */
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
