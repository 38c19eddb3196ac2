/** Drizzle over either driver, without its relational queries: what statements are written with. */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'

interface RowsOf<Row> {
  rows: Row[]
}

/** What `orm.execute` answers, the part that both drivers share. */
export interface Rows extends PgQueryResultHKT {
  type: RowsOf<this['row']>
}

/** Use `.returning()` where the number of rows touched matters: the drivers count them under different names. */
export type Orm = PgDatabase<Rows, Record<string, never>, Record<string, never>>
