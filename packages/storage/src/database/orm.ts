/** Drizzle without its relational queries: what statements are written with. */
import type { NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'

export type Orm = PgDatabase<NodePgQueryResultHKT, Record<string, never>, Record<string, never>>
