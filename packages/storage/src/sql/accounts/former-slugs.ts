/**
 * Slugs that accounts gave up by a rename, their deletion or their erasure. A former slug redirects to its account and stays reserved
 * for the former owner: another owner could publish other data under a path that readers know.
 */
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { bytewiseText, instant } from '../columns/columns.ts'
import { columnsOf } from '../columns/rows.ts'
import { type AccountRow, accounts, type IdentityKey } from './accounts.ts'

export const formerAccountSlugs = pgTable(
  'former_account_slugs',
  {
    /** `slugHash` of the slug: the name of an erased person is not stored in plain text. */
    slugHash: text('slug_hash').notNull(),
    /** Null if the account was an erased person's. */
    slug: bytewiseText('slug'),
    /** The account may no longer exist. */
    accountId: uuid('account_id').notNull(),
    /** Claimants of a deleted account's slug: ids of an organization's owners, `identityHash` of a user's identities. */
    heirs: text('heirs').array().notNull().default(sql`'{}'::text[]`),
    since: instant('since').notNull(),
    /** End of the reservation. Null: forever, since readers know a public collection under the slug. */
    keptUntil: instant('kept_until'),
  },
  (t) => [
    primaryKey({ columns: [t.slugHash, t.accountId] }),
    index('former_account_slugs_account').on(t.accountId),
  ],
)

/** Days for which a slug is reserved if no public data was read under it. */
export const slugKeptDays = 90
/** Maximum number of such slugs reserved for one account or one heir, the latest ones: repeated renames must not reserve more names. */
const keptAtOnceMax = 10

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
/** Hash of a slug in the table. Stored rows depend on it, as on `identityHash`: never change either. */
export const slugHash = (slug: string): string => sha256(slug)
export const identityHash = ({ issuer, subject }: IdentityKey): string => sha256(`${issuer}\n${subject}`)

/** The account that gave up this slug last. Call it only if no account has the slug now. */
export async function findAccountByFormerSlug(at: Queries, slug: string): Promise<AccountRow | undefined> {
  const { rows } = await at.query<AccountRow>(
    `select ${columnsOf(accounts)} from former_account_slugs former join accounts on accounts.id = account_id
     where slug_hash = $1 and former.slug is not null order by since desc limit 1`,
    [slugHash(slug)],
  )
  return rows[0]
}

/** Id of the account that has a slug, or of the last one that had it and was not erased; that account may be deleted. */
export async function findActor(at: Queries, slug: string): Promise<string | undefined> {
  const { rows } = await at.query<{ id: string }>(
    `select id, null as since from accounts where slug = $1
     union all select account_id, since from former_account_slugs where slug_hash = $2 and slug is not null
     order by since desc nulls first limit 1`,
    [slug, slugHash(slug)],
  )
  return rows[0]?.id
}

/**
 * Reserves an account's current slug for its owner: forever if a version was public below it and the account had it for a
 * day, so that repeated renames do not reserve names forever.
 */
export async function keepAccountSlug(
  tx: Tx,
  { id, slug }: Pick<AccountRow, 'id' | 'slug'>,
  since: Date,
): Promise<void> {
  await tx.query(
    `insert into former_account_slugs (slug_hash, slug, account_id, since, kept_until)
     select $1, $2, $3, $4::timestamptz, case when
         (exists (select from former_collection_slugs where owner_id = $3 and published)
           or exists (select from collections where owner_id = $3 and public and (head_id is not null or newest_withdrawn is not null)))
         and $4::timestamptz - interval '1 day' >= greatest((select created_at from accounts where id = $3),
           (select max(since) from former_account_slugs where account_id = $3))
       then null else $4::timestamptz + make_interval(days => $5) end
     on conflict (slug_hash, account_id) do update set since = excluded.since,
       kept_until = case when former_account_slugs.kept_until is null then null else excluded.kept_until end`,
    [slugHash(slug), slug, id, since, slugKeptDays],
  )
  await freeOldest(tx, 'account_id = $2', id, since)
}

async function freeOldest(tx: Tx, isTheirs: string, id: string, now: Date): Promise<void> {
  await tx.query(
    `update former_account_slugs set kept_until = $1 where slug_hash in (
       select slug_hash from former_account_slugs where kept_until > $1 and ${isTheirs} order by since desc offset $3) and kept_until > $1 and ${isTheirs}`,
    [now, id, keptAtOnceMax],
  )
}

/** Gives an account another slug; its previous one then redirects to it. Rejects with a unique violation if the new one is taken. */
export async function renameAccount(
  tx: Tx,
  account: Pick<AccountRow, 'id' | 'slug'>,
  slug: string,
  at: Date,
): Promise<void> {
  await keepAccountSlug(tx, account, at)
  await tx.query('update accounts set slug = $2 where id = $1', [account.id, slug])
  // If an account takes back a former slug, that slug must not redirect.
  const back = [account.id, slugHash(slug)]
  await tx.query('delete from former_account_slugs where account_id = $1 and slug_hash = $2', back)
}

/** Records the heirs of an account that is about to be deleted. */
export async function nameHeirs(
  tx: Tx,
  accountId: string,
  heirs: readonly string[],
  now: Date,
): Promise<void> {
  await tx.query('update former_account_slugs set heirs = $2 where account_id = $1', [accountId, [...heirs]])
  for (const heir of heirs) await freeOldest(tx, '$2 = any(heirs)', heir, now)
}

/** Removes the readable former slugs of an erased account; public data stays under its former paths. */
export async function forgetFormerSlugs(tx: Tx, accountId: string): Promise<void> {
  await tx.query("update former_account_slugs set slug = null, heirs = '{}' where account_id = $1", [
    accountId,
  ])
}

/** Parties that may take a reserved slug: the account that gave it up, an organization created by that account, or an heir. */
export interface SlugClaimant {
  /** Ids of the account that takes the slug, and of the acting one. */
  readonly accountIds: readonly string[]
  readonly identities: readonly IdentityKey[]
}

/** Those of `slugs` that are reserved for others than `claimant`. */
export async function slugsKeptForOthers(
  at: Queries,
  slugs: readonly string[],
  { accountIds, identities }: SlugClaimant,
  now: Date,
): Promise<Set<string>> {
  const byHash = new Map(slugs.map((slug) => [slugHash(slug), slug]))
  const { rows } = await at.query<{ hash: string }>(
    `select slug_hash as hash from former_account_slugs f
     where slug_hash = any($1::text[]) and (kept_until is null or kept_until > $2::timestamptz)
       and account_id <> all($3::uuid[]) and not heirs && $4::text[]`,
    [[...byHash.keys()], now, [...accountIds], [...accountIds, ...identities.map(identityHash)]],
  )
  return new Set(rows.map(({ hash }) => byHash.get(hash)!))
}
