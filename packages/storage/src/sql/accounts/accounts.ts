/**
 * Tables of accounts (users and organizations) and of the identities that sign in to them, with their statements. Locking an account's row
 * makes counts of its keys, members and collections exact: services lock it before they compare with a limit.
 */
import { sql } from 'drizzle-orm'
import { type AnyPgColumn, boolean, check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { bytewiseText, count, instant } from '../columns/columns.ts'
import { columnsOf, insertInto, updateById } from '../columns/rows.ts'

export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    slug: bytewiseText('slug').notNull().unique(),
    type: text('type', { enum: ['user', 'org'] }).notNull(),
    displayName: text('display_name').notNull(),
    /** Users only; an organization has none. */
    email: text('email'),
    /** True if the identity provider said at the last sign-in that the address belongs to the user: only then mail is sent to it. */
    emailVerified: boolean('email_verified').notNull().default(false),
    /** False: the user wants no mail. */
    takesMail: boolean('takes_mail').notNull().default(true),
    createdAt: instant('created_at').notNull(),
    /** When a user was suspended: since then no credential is valid. Null: not suspended. */
    suspendedAt: instant('suspended_at'),
    /** True if the identity provider named the user an operator of the registry at the last sign-in. */
    claimsOperator: boolean('claims_operator').notNull().default(false),
    /** Setting of an organization: false lets only its admins make private collections public. */
    membersMayChangeVisibility: boolean('members_may_change_visibility').notNull().default(true),
    /** Visibility of collections that are created in an organization without a choice. */
    defaultVisibility: text('default_visibility', { enum: ['private', 'public'] })
      .notNull()
      .default('private'),
    /** Storage quota. Bytes; null: the configured default. */
    quotaBytes: count('quota_bytes'),
    /**
     * The user whose quota an organization counts against, unless it has its own. Null: that user left without another owner; the
     * organization counts by itself.
     */
    madeBy: uuid('made_by').references((): AnyPgColumn => accounts.id, { onDelete: 'set null' }),
  },
  (t) => [
    index('accounts_made_by').on(t.madeBy),
    check('accounts_type', sql`${t.type} in ('user', 'org')`),
    check('accounts_default_visibility', sql`${t.defaultVisibility} in ('private', 'public')`),
  ],
)

/** Identities at identity providers. (issuer, subject) never changes; an e-mail address may. */
export const identities = pgTable(
  'identities',
  {
    issuer: bytewiseText('issuer').notNull(),
    subject: bytewiseText('subject').notNull(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
  },
  (t) => [primaryKey({ columns: [t.issuer, t.subject] }), index('identities_account').on(t.accountId)],
)

export type AccountRow = typeof accounts.$inferSelect
/** A new account; settings that are not given get their defaults. */
export type NewAccountRow = typeof accounts.$inferInsert & Pick<AccountRow, 'email'>

/** An id that no account has, for statements that need one for callers without an account. */
export const noAccount = '00000000-0000-0000-0000-000000000000'

export async function findAccountBySlug(at: Queries, slug: string): Promise<AccountRow | undefined> {
  const { rows } = await at.lookUp<AccountRow>(accountBySlug, [slug], 'account_by_slug')
  return rows[0]
}

const accountBySlug = `select ${columnsOf(accounts)} from accounts where slug = $1`

export async function findAccountById(at: Queries, id: string): Promise<AccountRow | undefined> {
  const { rows } = await at.query<AccountRow>(`select ${columnsOf(accounts)} from accounts where id = $1`, [
    id,
  ])
  return rows[0]
}

/** Names of the accounts among `ids`, by id. */
export async function findAccountNames(
  at: Queries,
  ids: readonly string[],
): Promise<Map<string, Pick<AccountRow, 'slug' | 'displayName'>>> {
  if (ids.length === 0) return new Map()
  const { rows } = await at.query<Pick<AccountRow, 'id' | 'slug' | 'displayName'>>(
    'select id, slug, display_name as "displayName" from accounts where id = any($1::uuid[])',
    [ids],
    'account_names',
  )
  return new Map(rows.map(({ id, ...names }) => [id, names]))
}

/**
 * Reads an account and locks it until the transaction ends.
 * @param strength `update`, to delete it: also blocks inserts that refer to it, such as a fork that lands in it
 */
export async function lockAccount(
  tx: Tx,
  id: string,
  strength: 'no key update' | 'update' = 'no key update',
): Promise<AccountRow | undefined> {
  const { rows } = await tx.query<AccountRow>(
    `select ${columnsOf(accounts)} from accounts where id = $1 for ${strength}`,
    [id],
  )
  return rows[0]
}

/** Those of `slugs` that are currently taken by an account. */
export async function slugsInUse(at: Queries, slugs: string[]): Promise<Set<string>> {
  const { rows } = await at.query<{ slug: string }>('select slug from accounts where slug = any($1)', [slugs])
  return new Set(rows.map(({ slug }) => slug))
}

/** Returns undefined if another account has the slug. */
export async function insertAccount(tx: Tx, account: NewAccountRow): Promise<AccountRow | undefined> {
  const { rows } = await tx.query<AccountRow>(
    ...insertInto(accounts, account, `on conflict (slug) do nothing returning ${columnsOf(accounts)}`),
  )
  return rows[0]
}

export async function updateAccount(
  tx: Tx,
  id: string,
  changes: Partial<
    Pick<
      AccountRow,
      | 'displayName'
      | 'email'
      | 'emailVerified'
      | 'takesMail'
      | 'membersMayChangeVisibility'
      | 'defaultVisibility'
      | 'suspendedAt'
      | 'claimsOperator'
      | 'quotaBytes'
    >
  >,
): Promise<void> {
  await updateById(tx, accounts, id, changes)
}

/**
 * Deletes an account with its keys, sessions, memberships, members and former slugs; rejects while it owns collections. First passes the
 * quotas of its organizations on to other owners (`passOnQuotas`).
 */
export async function deleteAccount(tx: Tx, id: string): Promise<void> {
  await passOnQuotas(tx, id)
  await tx.query('delete from accounts where id = $1', [id])
}

/** Makes organizations of a leaving user count against their longest-standing other owner; without one, they count by themselves. */
export async function passOnQuotas(tx: Tx, userId: string): Promise<void> {
  await tx.query(
    `update accounts o set made_by = (
       select m.user_id from members m where m.org_id = o.id and m.role = 'owner' and m.user_id <> $1
       order by m.since, m.user_id limit 1)
     where o.made_by = $1`,
    [userId],
  )
}

export async function ownsCollections(at: Queries, id: string): Promise<boolean> {
  const { rows } = await at.query('select 1 from collections where owner_id = $1 limit 1', [id])
  return rows.length > 0
}

/** True if the account owns fewer than `max` (1 or more) collections. Exact only while the account is locked. */
export async function ownsFewerCollections(at: Queries, id: string, max: number): Promise<boolean> {
  const { rows } = await at.query('select 1 from collections where owner_id = $1 offset $2 limit 1', [
    id,
    max - 1,
  ])
  return rows.length === 0
}

/** Name of an identity at an identity provider. */
export interface IdentityKey {
  /** The identity provider. */
  readonly issuer: string
  /** Identifier of the person at the issuer, which never changes. */
  readonly subject: string
}

export async function findAccountByIdentity(
  at: Queries,
  identity: IdentityKey,
): Promise<AccountRow | undefined> {
  const { rows } = await at.query<AccountRow>(
    `select ${columnsOf(accounts)} from identities join accounts on accounts.id = account_id where issuer = $1 and subject = $2`,
    [identity.issuer, identity.subject],
  )
  return rows[0]
}

/** Returns false if the identity already belongs to an account. */
export async function insertIdentity(
  tx: Tx,
  { issuer, subject }: IdentityKey,
  accountId: string,
): Promise<boolean> {
  const { rows } = await tx.query(
    'insert into identities (issuer, subject, account_id) values ($1, $2, $3) on conflict do nothing returning 1',
    [issuer, subject, accountId],
  )
  return rows.length > 0
}

/** Moves an identity from one account to another. Returns false if it did not belong to the first. */
export async function moveIdentity(
  tx: Tx,
  { issuer, subject }: IdentityKey,
  from: string,
  to: string,
): Promise<boolean> {
  const { rows } = await tx.query(
    'update identities set account_id = $4 where issuer = $1 and subject = $2 and account_id = $3 returning 1',
    [issuer, subject, from, to],
  )
  return rows.length > 0
}
