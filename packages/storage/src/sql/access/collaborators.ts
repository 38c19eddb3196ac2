/**
 * Table of collaborators: users with a grant on one collection of an owner that they are no members of, or whose role there gives them
 * less. The owner's roles are in `members`.
 */
import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { type AccountRow, accounts } from '../accounts/accounts.ts'
import { collections } from '../collections/collections.ts'
import { instant } from '../columns/columns.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'

export const collaborators = pgTable(
  'collaborators',
  {
    collectionId: uuid('collection_id')
      .notNull()
      .references(() => collections.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** `grant` is a keyword of SQL. */
    grant: text('level', { enum: ['read', 'write', 'admin'] }).notNull(),
    since: instant('since').notNull(),
    /** Not a foreign key: a grant outlives the account that gave it. */
    invitedBy: uuid('invited_by').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.collectionId, t.userId] }),
    index('collaborators_user').on(t.userId),
    check('collaborators_level', sql`${t.grant} in ('read', 'write', 'admin')`),
  ],
)

export type CollaboratorRow = typeof collaborators.$inferSelect
export type GrantLevel = CollaboratorRow['grant']

/** A collaborator with the user's account. */
export type CollaboratorItem = Omit<CollaboratorRow, 'collectionId' | 'userId'> & { account: AccountRow }

/** A user's grant on a collection; null: none. */
export async function findGrant(
  at: Queries,
  collectionId: string,
  userId: string,
): Promise<GrantLevel | null> {
  const { rows } = await at.query<{ grant: GrantLevel }>(
    'select level as "grant" from collaborators where collection_id = $1 and user_id = $2',
    [collectionId, userId],
  )
  return rows[0]?.grant ?? null
}

/** Collaborators of a collection, by slug. */
export async function listCollaborators(at: Queries, collectionId: string): Promise<CollaboratorItem[]> {
  const { rows } = await at.query<AccountRow & Omit<CollaboratorItem, 'account'>>(
    `select ${columnsOf(accounts)}, level as "grant", since, invited_by as "invitedBy"
     from collaborators join accounts on accounts.id = user_id where collection_id = $1 order by slug`,
    [collectionId],
  )
  return rows.map(({ grant, since, invitedBy, ...account }) => ({ account, grant, since, invitedBy }))
}

/** Exact only while the collection is locked. */
export async function countCollaborators(at: Queries, collectionId: string): Promise<number> {
  const { rows } = await at.query<{ count: number }>(
    'select count(*) as count from collaborators where collection_id = $1',
    [collectionId],
  )
  return rows[0]!.count
}

/** Makes a user a collaborator, or changes the grant; `since` and `invitedBy` keep their first values. */
export async function putCollaborator(tx: Tx, row: CollaboratorRow): Promise<void> {
  const otherwise = 'on conflict (collection_id, user_id) do update set level = excluded.level'
  await tx.query(...insertInto(collaborators, row, otherwise))
}

/** Waits for transactions that record by the grant. */
export async function deleteCollaborator(tx: Tx, collectionId: string, userId: string): Promise<void> {
  await tx.query('delete from collaborators where collection_id = $1 and user_id = $2', [
    collectionId,
    userId,
  ])
}

/** A grant that was removed. */
export interface EndedGrant {
  readonly collection: string
  readonly grant: GrantLevel
}

/** Removes a user's grants on all collections of an owner. Returns them, with the slugs of the collections. */
export async function deleteGrantsIn(tx: Tx, ownerId: string, userId: string): Promise<EndedGrant[]> {
  const { rows } = await tx.query<EndedGrant>(
    `delete from collaborators using collections c
     where c.id = collection_id and c.owner_id = $1 and user_id = $2 returning c.slug as collection, level as "grant"`,
    [ownerId, userId],
  )
  return rows
}

/** Grants of a user on collections of an owner, by the collections' ids. */
export async function listGrantsIn(
  at: Queries,
  ownerId: string,
  userId: string,
): Promise<Map<string, GrantLevel>> {
  const { rows } = await at.query<{ id: string; grant: GrantLevel }>(
    `select c.id, level as "grant" from collaborators join collections c on c.id = collection_id
     where user_id = $2 and c.owner_id = $1`,
    [ownerId, userId],
  )
  return new Map(rows.map(({ id, grant }) => [id, grant]))
}

/** Ids of the collections that a user has a grant on. */
export async function grantedCollectionIds(at: Queries, userId: string): Promise<string[]> {
  const { rows } = await at.query<{ id: string }>(
    'select collection_id as id from collaborators where user_id = $1',
    [userId],
  )
  return rows.map(({ id }) => id)
}
