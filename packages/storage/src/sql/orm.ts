/** Drizzle over either driver, without its relational queries: what statements are written with. */
import type { PGlite, Transaction } from '@electric-sql/pglite'
import { NodePgSession } from 'drizzle-orm/node-postgres'
import { PgDatabase, PgDialect, type PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { PgliteSession } from 'drizzle-orm/pglite'
import type { Pool, PoolClient } from 'pg'

interface RowsOf<Row> {
  rows: Row[]
}

/** What `orm.execute` answers, the part that both drivers share. */
export interface Rows extends PgQueryResultHKT {
  type: RowsOf<this['row']>
}

/** Use `.returning()` where the number of rows touched matters: the drivers count them under different names. */
export type Orm = PgDatabase<Rows, Record<string, never>, Record<string, never>>

const dialect = new PgDialect()

export const ormOnPglite = (client: PGlite | Transaction): Orm =>
  new PgDatabase(dialect, new PgliteSession(client, dialect, undefined), undefined)

export const ormOnServer = (client: Pool | PoolClient): Orm =>
  new PgDatabase(dialect, new NodePgSession(client, dialect, undefined), undefined)
