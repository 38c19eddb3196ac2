/**
 * Blobs that a sweep found unneeded. They stay in the store for some days, because the database that does not
 * need them may be the wrong one, or one restored from before they were written.
 *
 *     unneeded ──▶ set aside ── still unneeded after days ──▶ removed
 *                      └─ recorded again ──▶ taken back
 */
import { pgTable } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { bytewiseText, count, instant } from '../columns/columns.ts'

export const blobsSetAside = pgTable('blobs_set_aside', {
  name: bytewiseText('name').primaryKey(),
  bytes: count('bytes').notNull(),
  /** By the database's clock. */
  since: instant('since').notNull(),
})

/** A blob and its size, by which sweeps report what they free. */
export interface SizedBlob {
  name: string
  bytes: number
}

/** Sets blobs aside. Blobs that were set aside before keep their time. Returns the others. */
export async function putAside(tx: Tx, blobs: readonly SizedBlob[]): Promise<SizedBlob[]> {
  if (blobs.length === 0) return []
  const { rows } = await tx.query<SizedBlob>(
    `insert into blobs_set_aside (name, bytes, since)
     select name, bytes, now() from unnest($1::text[], $2::bigint[]) as blob (name, bytes)
     on conflict (name) do nothing returning name, bytes`,
    [blobs.map(({ name }) => name), blobs.map(({ bytes }) => bytes)],
  )
  return rows
}

/** Removes the marks of blobs that were set aside. */
export async function takeBack(tx: Tx, names: readonly string[]): Promise<void> {
  await tx.query('delete from blobs_set_aside where name = any($1::text[])', [names])
}

/** Those of the names that are set aside. */
export async function setAsideOf(at: Queries, names: readonly string[]): Promise<Set<string>> {
  const { rows } = await at.query<{ name: string }>(
    'select name from blobs_set_aside where name = any($1::text[])',
    [names],
  )
  return new Set(rows.map(({ name }) => name))
}

/** Blobs under `prefix` that were set aside at least that many seconds ago, ordered by name, after the given name. */
export async function longAside(
  at: Queries,
  options: { prefix: string; seconds: number; after: string; max: number },
): Promise<SizedBlob[]> {
  const { prefix, seconds, after, max } = options
  const { rows } = await at.query<SizedBlob>(
    `select name, bytes from blobs_set_aside
     where starts_with(name, $1) and name > $2 and since <= now() - make_interval(secs => $3::double precision)
     order by name limit $4`,
    [prefix, after, seconds, max],
  )
  return rows
}

/** Number of blobs that are set aside, and their bytes. */
export async function allSetAside(at: Queries): Promise<{ blobs: number; bytes: number }> {
  const { rows } = await at.query<{ blobs: number; bytes: number }>(
    'select count(*) as blobs, coalesce(sum(bytes), 0)::bigint as bytes from blobs_set_aside',
  )
  return rows[0]!
}
