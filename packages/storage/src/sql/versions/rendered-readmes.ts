/**
 * Cache of rendered readmes, shared by all servers. The key is a hash of the Markdown, so that only a reader of that text can find its
 * HTML. The table is unlogged (rendered-readmes.sql) and not dumped.
 */
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { bytewiseText, instant } from '../columns/columns.ts'

export const renderedReadmes = pgTable(
  'rendered_readmes',
  {
    hash: bytewiseText('hash').primaryKey(),
    /** Null: too expensive to render. */
    html: text('html'),
    /** Approximate time of the last use, to a day. */
    usedAt: instant('used_at').notNull(),
  },
  (t) => [index('rendered_readmes_used_idx').on(t.usedAt)],
)

/** Maximum number of rows. With 200,000 characters of HTML each they take 400 MB at most, typically a fiftieth. */
const rowsMax = 2_000
/** HTML by the hash of its Markdown; null: too expensive. `isStale`: its use was last recorded over a day ago. Undefined: not cached. */
export async function findRenderedReadme(
  at: Queries,
  hash: string,
  now: Date,
): Promise<{ html: string | null; isStale: boolean } | undefined> {
  const { rows } = await at.query<{ html: string | null; isStale: boolean }>(
    `select html, used_at < $2::timestamptz - interval '1 day' as "isStale" from rendered_readmes where hash = $1`,
    [hash, now],
  )
  return rows[0]
}

/** Adds a row, or records its use, and drops the least recently used rows beyond the bound. */
export async function keepRenderedReadme(
  tx: Tx,
  { hash, html, now }: { hash: string; html: string | null; now: Date },
): Promise<void> {
  await tx.query(
    `with kept as (
       insert into rendered_readmes (hash, html, used_at) values ($1, $2, $3)
       on conflict (hash) do update set used_at = excluded.used_at)
     delete from rendered_readmes where hash in (
       select hash from rendered_readmes where hash <> $1 order by used_at desc, hash offset $4)`,
    [hash, html, now, rowsMax - 1],
  )
}

/** Drops rows not used since an instant. */
export async function dropRenderedReadmes(tx: Tx, before: Date): Promise<void> {
  await tx.query('delete from rendered_readmes where used_at < $1', [before])
}
