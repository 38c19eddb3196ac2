/**
 * Table of pending invitations to organizations and to single collections: for a user, or for anyone with a link that the inviter sends to an
 * e-mail address. An answered or revoked invitation is deleted; the audit log keeps its trace.
 */
import { sql } from 'drizzle-orm'
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { type AccountRow, accounts } from '../accounts/accounts.ts'
import { collections } from '../collections/collections.ts'
import { bytewiseText, instant } from '../columns/columns.ts'
import { columnsOf, insertInto, wholeRow } from '../columns/rows.ts'

export const invitations = pgTable(
  'invitations',
  {
    id: uuid('id').primaryKey(),
    /** The organization; the owner of `collectionId`, if that is set. */
    orgId: uuid('org_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** The invited user; null: anyone with the link. */
    userId: uuid('user_id').references(() => accounts.id, { onDelete: 'cascade' }),
    /** Address that the link was sent to; null: the invitation is for a user. */
    email: text('email'),
    role: text('role', { enum: ['owner', 'admin', 'member', 'collaborator'] }).notNull(),
    /** Set for a collaborator, as `grant` is. */
    collectionId: uuid('collection_id').references(() => collections.id, { onDelete: 'cascade' }),
    /** `grant` is a keyword of SQL. */
    grant: text('level', { enum: ['read', 'write', 'admin'] }),
    /** SHA-256 of the link's token. */
    tokenHash: bytewiseText('token_hash').notNull().unique(),
    /** Not a foreign key: an invitation outlives the account of the inviter. */
    invitedBy: uuid('invited_by').notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    check('invitations_role', sql`${t.role} in ('owner', 'admin', 'member', 'collaborator')`),
    check('invitations_level', sql`${t.grant} in ('read', 'write', 'admin')`),
    check(
      'invitations_to',
      sql`(${t.role} = 'collaborator') = (${t.collectionId} is not null) and (${t.collectionId} is null) = (${t.grant} is null)`,
    ),
    check('invitations_for', sql`(${t.userId} is null) <> (${t.email} is null)`),
    index('invitations_org').on(t.orgId, t.createdAt),
    index('invitations_user').on(t.userId),
    index('invitations_collection').on(t.collectionId).where(sql`${t.collectionId} is not null`),
  ],
)

export type InvitationRow = typeof invitations.$inferSelect

/** An invitation in a list, with the account at its other end. */
export interface InvitationItem {
  invitation: InvitationRow
  /** In a user's list the organization, in an organization's list the user; null: anyone with the link. */
  account: AccountRow | null
}

/** Unexpired invitations to an organization, newest first. */
export const listInvitations = (at: Queries, orgId: string, now: Date): Promise<InvitationItem[]> =>
  listed(
    at,
    'left join accounts on accounts.id = user_id where org_id = $1 and invitations.collection_id is null',
    orgId,
    now,
  )

/** Unexpired invitations to a collection, newest first. */
export const listInvitationsTo = (at: Queries, collectionId: string, now: Date): Promise<InvitationItem[]> =>
  listed(
    at,
    'left join accounts on accounts.id = user_id where invitations.collection_id = $1',
    collectionId,
    now,
  )

/** Unexpired invitations of a user, newest first. */
export const listInvitationsOf = (at: Queries, userId: string, now: Date): Promise<InvitationItem[]> =>
  listed(at, 'join accounts on accounts.id = org_id where user_id = $1', userId, now)

const wholeAccount = wholeRow(accounts)

async function listed(at: Queries, among: string, id: string, now: Date): Promise<InvitationItem[]> {
  const { rows } = await at.query<InvitationRow & { account: unknown }>(
    `select ${columnsOf(invitations)}, ${wholeAccount.text} as account from invitations ${among} and expires_at > $2
     order by invitations.created_at desc, invitations.id desc`,
    [id, now],
  )
  return rows.map(({ account, ...invitation }) => ({ invitation, account: wholeAccount.read(account) }))
}

/** An unexpired invitation by id or by the hash of its token; undefined if there is none. */
export async function findInvitation(
  at: Queries,
  by: { id: string } | { tokenHash: string },
  now: Date,
): Promise<InvitationRow | undefined> {
  const [isNamed, name] = 'id' in by ? ['id = $1', by.id] : ['token_hash = $1', by.tokenHash]
  const { rows } = await at.query<InvitationRow>(
    `select ${columnsOf(invitations)} from invitations where ${isNamed} and expires_at > $2`,
    [name, now],
  )
  return rows[0]
}

/** The unexpired invitation of a user to a collection. */
export async function findInvitationTo(
  at: Queries,
  collectionId: string,
  userId: string,
  now: Date,
): Promise<InvitationRow | undefined> {
  const { rows } = await at.query<InvitationRow>(
    `select ${columnsOf(invitations)} from invitations where collection_id = $1 and user_id = $2 and expires_at > $3`,
    [collectionId, userId, now],
  )
  return rows[0]
}

/** Inserts an invitation in place of earlier ones to the same user or address. */
export async function insertInvitation(tx: Tx, row: InvitationRow): Promise<void> {
  await tx.query(
    `delete from invitations where org_id = $1 and (user_id = $2 or email = $3)
       and collection_id is not distinct from $4`,
    [row.orgId, row.userId, row.email, row.collectionId],
  )
  await tx.query(...insertInto(invitations, row))
}

/** Returns false if the invitation is gone, so that of two concurrent uses one succeeds. */
export async function deleteInvitation(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query('delete from invitations where id = $1 returning 1', [id])).rows.length > 0
}

/** Drops invitations to an organization of a user, by account or e-mail address. @param ownersToo includes invitations as owner */
export async function dropInvitationsOf(
  tx: Tx,
  orgId: string,
  { id, email }: { id: string; email: string | null },
  ownersToo: boolean,
): Promise<void> {
  await tx.query(
    `delete from invitations where org_id = $1 and collection_id is null
       and (user_id = $2 or lower(email) = lower($3)) and ($4 or role <> 'owner')`,
    [orgId, id, email, ownersToo],
  )
}

/** Drops the invitations that a user made for an organization and its collections. */
export async function dropInvitationsBy(tx: Tx, orgId: string, userId: string): Promise<void> {
  await tx.query('delete from invitations where org_id = $1 and invited_by = $2', [orgId, userId])
}

/** Drops invitations of a user to the collections of an owner. */
export async function dropInvitationsIn(tx: Tx, ownerId: string, userId: string): Promise<void> {
  await tx.query('delete from invitations where org_id = $1 and collection_id is not null and user_id = $2', [
    ownerId,
    userId,
  ])
}

/** Drops the invitations to a collection that are of a user or made by the user. */
export async function dropInvitationsTo(tx: Tx, collectionId: string, userId: string): Promise<void> {
  await tx.query('delete from invitations where collection_id = $1 and (user_id = $2 or invited_by = $2)', [
    collectionId,
    userId,
  ])
}

/** Drops all invitations to a collection. */
export async function dropAllInvitationsTo(tx: Tx, collectionId: string): Promise<void> {
  await tx.query('delete from invitations where collection_id = $1', [collectionId])
}

export async function dropEndedInvitations(tx: Tx, now: Date): Promise<void> {
  await tx.query('delete from invitations where expires_at <= $1', [now])
}
