/** Drizzle without its relational queries: what statements are written with. */
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'

export type Orm = NodePgDatabase<Record<string, never>>
