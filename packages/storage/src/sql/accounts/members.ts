/** Members of organizations and their roles. */
import { and, asc, desc, eq, gt, isNull, lt, sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { prepared } from '../../database/look-ups.ts'
import { instant } from '../columns/columns.ts'
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

/** The role of a user in an organization, by membership alone; null when it is none of its members. */
export async function findMemberRole(at: Queries, orgId: string, userId: string): Promise<MemberRole | null> {
  return (await memberRole(at, { orgId, userId }))[0]?.role ?? null
}

/** An account by its slug, with the role of `accountId` in it: `owner` in its own, its membership in an org, else null. */
export interface FoundAccount {
  account: AccountRow
  role: MemberRole | null
}

export async function findAccountFor(
  at: Queries,
  slug: string,
  accountId: string | null,
): Promise<FoundAccount | undefined> {
  const [found] = await accountWithRole(at, { slug, accountId: accountId ?? noAccount })
  if (found === undefined) return undefined
  return { account: found.account, role: roleOf(accountId, found.account.id, found.role) }
}

/** Role of `accountId` in an account, if any. */
export const roleOf = (
  accountId: string | null,
  inAccount: string,
  membership: MemberRole | null,
): MemberRole | null => (accountId === inAccount ? 'owner' : membership)

const accountWithRole = prepared((orm) =>
  orm
    .select({ account: accounts, role: members.role })
    .from(accounts)
    .leftJoin(members, and(eq(members.orgId, accounts.id), eq(members.userId, sql.placeholder('accountId'))))
    .where(eq(accounts.slug, sql.placeholder('slug')))
    .prepare('account_with_role'),
)

const memberRole = prepared((orm) =>
  orm
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.orgId, sql.placeholder('orgId')), eq(members.userId, sql.placeholder('userId'))))
    .limit(1)
    .prepare('member_role'),
)

/** A membership, with the account at its other end. */
export interface MemberItem {
  account: AccountRow
  role: MemberRole
  since: Date
}

/** Slice of a list ordered by slug alone, since slugs are unique. */
export interface SlugSlice {
  limit: number
  offset: number
  /** Only what comes after this slug, or, `backwards`, before it, nearest first. */
  beyond?: { value: string | Date }
  backwards: boolean
}

function bySlug({ beyond, backwards }: SlugSlice) {
  const slug = beyond === undefined ? undefined : String(beyond.value)
  return {
    within: slug === undefined ? undefined : (backwards ? lt : gt)(accounts.slug, slug),
    order: (backwards ? desc : asc)(accounts.slug),
  }
}

export async function listMembers(at: Queries, orgId: string, slice: SlugSlice): Promise<MemberItem[]> {
  const { within, order } = bySlug(slice)
  return at.orm
    .select({ account: accounts, role: members.role, since: members.since })
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.userId))
    .where(and(eq(members.orgId, orgId), within))
    .orderBy(order)
    .limit(slice.limit)
    .offset(slice.offset)
}

/** The organizations of a user. @param ownerOf id of a collection: only the one that owns it; null: all */
export async function listMemberships(
  at: Queries,
  userId: string,
  slice: SlugSlice,
  ownerOf: string | null = null,
): Promise<MemberItem[]> {
  const { within, order } = bySlug(slice)
  const owns =
    ownerOf === null
      ? undefined
      : sql`${members.orgId} = (select owner_id from collections where id = ${ownerOf})`
  return at.orm
    .select({ account: accounts, role: members.role, since: members.since })
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.orgId))
    .where(and(eq(members.userId, userId), owns, within))
    .orderBy(order)
    .limit(slice.limit)
    .offset(slice.offset)
}

/** Makes a user a member, or gives a member another role; `since` stays that of the first time. */
export async function putMember(tx: Tx, member: MemberRow): Promise<void> {
  await tx.orm
    .insert(members)
    .values(member)
    .onConflictDoUpdate({ target: [members.orgId, members.userId], set: { role: member.role } })
}

export async function deleteMember(tx: Tx, orgId: string, userId: string): Promise<void> {
  await tx.orm.delete(members).where(and(eq(members.orgId, orgId), eq(members.userId, userId)))
}

/** Certain only while the organization's account is locked. */
export async function ownerIdsOf(tx: Tx, orgId: string): Promise<string[]> {
  const rows = await tx.orm
    .select({ id: members.userId })
    .from(members)
    .where(and(eq(members.orgId, orgId), eq(members.role, 'owner')))
  return rows.map(({ id }) => id)
}

/** Whether an organization has an owner who can sign in. Certain only while the organization's account is locked. */
export async function hasOwnerWhoActs(tx: Tx, orgId: string): Promise<boolean> {
  const rows = await tx.orm
    .select({ id: accounts.id })
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.userId))
    .where(and(eq(members.orgId, orgId), eq(members.role, 'owner'), isNull(accounts.suspendedAt)))
    .limit(1)
  return rows.length > 0
}

/** Ids of the organizations that a user is an owner of, in the order in which to lock them. */
export async function listOwnedOrgs(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx.orm
    .select({ orgId: members.orgId })
    .from(members)
    .where(and(eq(members.userId, userId), eq(members.role, 'owner')))
    .orderBy(asc(members.orgId))
  return rows.map(({ orgId }) => orgId)
}
