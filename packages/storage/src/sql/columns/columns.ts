/**
 * Column types shared by all tables. Use these instead of drizzle's own: they fix the order of texts and the precision of instants, on
 * which indexes and cursors rely.
 */
import { bigint, customType, timestamp } from 'drizzle-orm/pg-core'

/** Text compared by bytes, so that an index serves both `ORDER BY` and equality, whatever the database's locale. */
export const bytewiseText = customType<{ data: string; driverData: string }>({
  dataType: () => 'text COLLATE "C"',
})

/** Words with positions and weights, in PostgreSQL's notation: see words.ts. */
export const tsvector = customType<{ data: string; driverData: string }>({ dataType: () => 'tsvector' })

/** Bytes, up to 1 GB; read as a `Uint8Array`. */
export const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** An instant, to the millisecond, as a `Date`. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

/** A count or a byte total, 0 – 2^53 − 1, as a number. */
export const count = (name: string) => bigint(name, { mode: 'number' })
