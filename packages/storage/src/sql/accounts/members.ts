/**
 * Table of members of organizations and their roles, and the look-up of a caller's role in any account. An organization must
 * keep an owner: callers lock its account before they count owners and change a member.
 */
import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { instant } from '../columns/columns.ts'
import { columnsOf, insertInto, Values } from '../columns/rows.ts'
import { type AccountRow, accounts, noAccount } from './accounts.ts'

export const members = pgTable(
  'members',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    role: text('role', { enum: ['owner', 'admin', 'member'] }).notNull(),
    since: instant('since').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.userId] }),
    index('members_user').on(t.userId),
    check('members_role', sql`${t.role} in ('owner', 'admin', 'member')`),
  ],
)

export type MemberRow = typeof members.$inferSelect
type MemberRole = MemberRow['role']

/** A user's role in an organization by membership; null if the user is not a member. */
export async function findMemberRole(at: Queries, orgId: string, userId: string): Promise<MemberRole | null> {
  const text = 'select role from members where org_id = $1 and user_id = $2'
  const { rows } = await at.lookUp<{ role: MemberRole }>(text, [orgId, userId], 'member_role')
  return rows[0]?.role ?? null
}

/**
 * An account found by slug, with the role of `accountId` in it: `owner` in its own account, the membership in an organization, else null.
 */
export interface FoundAccount {
  account: AccountRow
  role: MemberRole | null
}

/** Runs with many requests: one look-up for account and role. */
export async function findAccountFor(
  at: Queries,
  slug: string,
  accountId: string | null,
): Promise<FoundAccount | undefined> {
  const { rows } = await at.lookUp<AccountRow & { role: MemberRole | null }>(
    accountWithRole,
    [slug, accountId ?? noAccount],
    'account_with_role',
  )
  if (rows[0] === undefined) return undefined
  const { role, ...account } = rows[0]
  return { account, role: roleOf(accountId, account.id, role) }
}

/** Role of `accountId` in an account, if any. */
export const roleOf = (
  accountId: string | null,
  inAccount: string,
  membership: MemberRole | null,
): MemberRole | null => (accountId === inAccount ? 'owner' : membership)

const accountWithRole = `select ${columnsOf(accounts)}, role
  from accounts left join members on org_id = accounts.id and user_id = $2 where slug = $1`

/** A membership with the other account: the organization or the user. */
export interface MemberItem {
  account: AccountRow
  role: MemberRole
  since: Date
}

/** Page of a list ordered by slug alone, since slugs are unique. */
export interface SlugSlice {
  limit: number
  offset: number
  /** Only rows after this slug, or with `backwards` before it, nearest first. */
  beyond?: { value: string | Date }
  backwards: boolean
}

const toItem = ({ role, since, ...account }: AccountRow & Pick<MemberRow, 'role' | 'since'>): MemberItem => ({
  account,
  role,
  since,
})

/** End of a statement that selects from `accounts`, among others; follows a condition. */
export function sliceBySlug({ beyond, backwards, limit, offset }: SlugSlice, values: Values): string {
  const isBeyond = beyond === undefined ? '' : `and slug ${backwards ? '<' : '>'} ${values.of(beyond.value)}`
  const order = `order by slug ${backwards ? 'desc' : 'asc'}`
  return `${isBeyond} ${order} limit ${values.of(limit)} offset ${values.of(offset)}`
}

export async function listMembers(at: Queries, orgId: string, slice: SlugSlice): Promise<MemberItem[]> {
  const values = new Values(orgId)
  const { rows } = await at.query<AccountRow & Pick<MemberRow, 'role' | 'since'>>(
    `select ${columnsOf(accounts)}, role, since from members join accounts on accounts.id = user_id
     where org_id = $1 ${sliceBySlug(slice, values)}`,
    values.given,
  )
  return rows.map(toItem)
}

/** Members of an organization. */
export async function countMembers(at: Queries, orgId: string): Promise<number> {
  const text = 'select count(*) as count from members where org_id = $1'
  return (await at.query<{ count: number }>(text, [orgId])).rows[0]!.count
}

/** Organizations of a user. @param ownersOf ids of collections: only their owners; null: all */
export async function listMemberships(
  at: Queries,
  userId: string,
  slice: SlugSlice,
  ownersOf: readonly string[] | null = null,
): Promise<MemberItem[]> {
  const values = new Values(userId)
  const owns =
    ownersOf === null
      ? ''
      : `and org_id in (select owner_id from collections where collections.id = any(${values.of([...ownersOf])}::uuid[]))`
  const { rows } = await at.query<AccountRow & Pick<MemberRow, 'role' | 'since'>>(
    `select ${columnsOf(accounts)}, role, since from members join accounts on accounts.id = org_id
     where user_id = $1 ${owns} ${sliceBySlug(slice, values)}`,
    values.given,
  )
  return rows.map(toItem)
}

/** Makes a user a member, or changes a member's role; `since` keeps its first value. */
export async function putMember(tx: Tx, member: MemberRow): Promise<void> {
  const otherwise = 'on conflict (org_id, user_id) do update set role = excluded.role'
  await tx.query(...insertInto(members, member, otherwise))
}

export async function deleteMember(tx: Tx, orgId: string, userId: string): Promise<void> {
  await tx.query('delete from members where org_id = $1 and user_id = $2', [orgId, userId])
}

/** Ids of an organization's owners. Exact only while the organization's account is locked. */
export async function ownerIdsOf(tx: Tx, orgId: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    "select user_id as id from members where org_id = $1 and role = 'owner'",
    [orgId],
  )
  return rows.map(({ id }) => id)
}

/** True if an organization has an owner who is not suspended. Exact only while the organization's account is locked. */
export async function hasOwnerWhoActs(tx: Tx, orgId: string): Promise<boolean> {
  const { rows } = await tx.query(
    `select from members join accounts on accounts.id = user_id
     where org_id = $1 and role = 'owner' and suspended_at is null limit 1`,
    [orgId],
  )
  return rows.length > 0
}

/** Ids of the organizations that a user owns, in the order in which to lock them. */
export async function listOwnedOrgs(tx: Tx, userId: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    "select org_id as id from members where user_id = $1 and role = 'owner' order by org_id",
    [userId],
  )
  return rows.map(({ id }) => id)
}

/** The user's own account and the organizations that it is a member of. */
export async function accountIdsOf(at: Queries, userId: string): Promise<string[]> {
  const { rows } = await at.query<{ id: string }>(
    'select $1::uuid as id union all select org_id from members where user_id = $1',
    [userId],
  )
  return rows.map(({ id }) => id)
}
