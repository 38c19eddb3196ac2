/**
 * Tables of trusted publishers, whose tokens are exchanged for keys of their collection, and of the tokens that were exchanged. Removing a
 * publisher removes its keys.
 */
import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { collections } from '../collections/collections.ts'
import { bytewiseText, instant } from '../columns/columns.ts'
import { columnsOf, insertInto, updateById } from '../columns/rows.ts'
import { issuerKinds, workloadReaders } from '../columns/workload.ts'

/** A token that named the right project, but with another id than the pinned one. */
export interface PublisherRefusal {
  readonly at: string
  readonly claims: Readonly<Record<string, string>>
}

export const trustedPublishers = pgTable(
  'trusted_publishers',
  {
    id: uuid('id').primaryKey(),
    collectionId: uuid('collection_id')
      .notNull()
      .references(() => collections.id, { onDelete: 'cascade' }),
    issuer: text('issuer').notNull(),
    /** Of the issuer when the publisher was made: another kind has other rules. */
    kind: text('kind', { enum: issuerKinds }).notNull(),
    /** Claims that a token must have: a text, or one of several. */
    claims: jsonb('claims').$type<Readonly<Record<string, string | readonly string[]>>>().notNull(),
    /** Ids of the first token that matched, which later tokens must have, too. */
    pinned: jsonb('pinned').$type<Readonly<Record<string, string>>>(),
    scope: text('scope', { enum: ['read', 'write'] }).notNull(),
    /** Life of its keys. */
    lifetimeMinutes: integer('lifetime_minutes').notNull(),
    /** Readers who are shown which job made a version. */
    shows: text('shows', { enum: workloadReaders }).notNull(),
    label: text('label').notNull(),
    /** The user who made it; null: an erased person. Not a foreign key: the publisher outlives the account. */
    madeBy: uuid('made_by'),
    createdAt: instant('created_at').notNull(),
    lastUsedAt: instant('last_used_at'),
    /** The last token whose ids were not the pinned ones. */
    refused: jsonb('refused').$type<PublisherRefusal>(),
  },
  (t) => [
    index('trusted_publishers_collection').on(t.collectionId, t.createdAt),
    check('trusted_publishers_scope', sql`${t.scope} in ('read', 'write')`),
    check('trusted_publishers_shows', sql`${t.shows} in ('none', 'members', 'everyone')`),
    check('trusted_publishers_lifetime', sql`${t.lifetimeMinutes} between 5 and 60`),
  ],
)

export const usedTokens = pgTable(
  'used_tokens',
  {
    issuer: bytewiseText('issuer').notNull(),
    /** SHA-256 of the token's `jti`. */
    jti: bytewiseText('jti').notNull(),
    /** Until then, the token itself would be accepted. */
    until: instant('until').notNull(),
  },
  (t) => [primaryKey({ columns: [t.issuer, t.jti] }), index('used_tokens_until').on(t.until)],
)

export type PublisherRow = typeof trustedPublishers.$inferSelect

const columns = columnsOf(trustedPublishers)

/** Oldest first. */
export async function listPublishers(at: Queries, collectionId: string): Promise<PublisherRow[]> {
  const { rows } = await at.query<PublisherRow>(
    `select ${columns} from trusted_publishers where collection_id = $1 order by created_at, id`,
    [collectionId],
  )
  return rows
}

export async function findPublisher(
  at: Queries,
  collectionId: string,
  id: string,
): Promise<PublisherRow | undefined> {
  const { rows } = await at.query<PublisherRow>(
    `select ${columns} from trusted_publishers where collection_id = $1 and id = $2`,
    [collectionId, id],
  )
  return rows[0]
}

/** Locks the row against changes and removal until the transaction ends. */
export async function lockPublisher(tx: Tx, id: string): Promise<PublisherRow | undefined> {
  const { rows } = await tx.query<PublisherRow>(
    `select ${columns} from trusted_publishers where id = $1 for update`,
    [id],
  )
  return rows[0]
}

export async function insertPublisher(tx: Tx, row: PublisherRow): Promise<void> {
  await tx.query(...insertInto(trustedPublishers, row))
}

export async function changePublisher(
  tx: Tx,
  id: string,
  changes: Partial<Omit<PublisherRow, 'id' | 'collectionId'>>,
): Promise<void> {
  await updateById(tx, trustedPublishers, id, changes)
}

/** With its keys. */
export async function deletePublisher(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query('delete from trusted_publishers where id = $1 returning 1', [id])).rows.length > 0
}

/** Unexpired keys of a publisher. Exact only while it is locked. */
export async function countKeysOfPublisher(tx: Tx, publisherId: string, now: Date): Promise<number> {
  const { rows } = await tx.query<{ live: number }>(
    'select count(*) as live from api_keys where publisher_id = $1 and expires_at > $2',
    [publisherId, now],
  )
  return rows[0]!.live
}

/** Changes who sees the job, for versions that a publisher made. */
export async function showWorkloads(
  tx: Tx,
  { id, collectionId, shows }: Pick<PublisherRow, 'id' | 'collectionId' | 'shows'>,
): Promise<void> {
  await tx.query(
    `update versions set workload = jsonb_set(workload, '{shows}', to_jsonb($3::text))
     where collection_id = $1 and workload->>'publisher' = $2`,
    [collectionId, id, shows],
  )
}

/** Revokes a publisher's keys, after waiting for transactions that record with them. */
export async function deleteKeysOfPublisher(tx: Tx, publisherId: string): Promise<void> {
  await tx.query('delete from api_keys where publisher_id = $1', [publisherId])
}

/** Records the exchange of a token. Returns false if it was exchanged before. */
export async function useToken(
  tx: Tx,
  { issuer, jti, until }: typeof usedTokens.$inferSelect,
): Promise<boolean> {
  const { rows } = await tx.query(
    'insert into used_tokens (issuer, jti, until) values ($1, $2, $3) on conflict do nothing returning 1',
    [issuer, jti, until],
  )
  return rows.length > 0
}

/** Drops up to `max` rows of tokens that have expired. Returns their number. */
export async function dropUsedTokens(tx: Tx, before: Date, max: number): Promise<number> {
  const { rows } = await tx.query(
    `delete from used_tokens where (issuer, jti) in
       (select issuer, jti from used_tokens where until < $1 limit $2) returning 1`,
    [before, max],
  )
  return rows.length
}

/** Drops up to `max` keys of publishers that expired before an instant. Returns their number. */
export async function dropEndedWorkloadKeys(tx: Tx, before: Date, max: number): Promise<number> {
  const { rows } = await tx.query(
    `delete from api_keys where id in
       (select id from api_keys where publisher_id is not null and expires_at < $1 limit $2) returning 1`,
    [before, max],
  )
  return rows.length
}

/** Removes all publishers of a collection, with their keys. Returns their labels. */
export async function deletePublishersOf(
  tx: Tx,
  collectionId: string,
): Promise<Pick<PublisherRow, 'id' | 'label'>[]> {
  const { rows } = await tx.query<Pick<PublisherRow, 'id' | 'label'>>(
    'delete from trusted_publishers where collection_id = $1 returning id, label',
    [collectionId],
  )
  return rows
}

/** A collection and its owner as exchanges need them, with the publishers of one issuer. */
export interface CollectionOfIssuer {
  collectionId: string
  collectionSlug: string
  ownerId: string
  ownerSlug: string
  suspendedAt: Date | null
}

/**
 * Publishers of an issuer at a path. One look-up, so that an absent collection takes as long as one without publishers.
 * @returns empty if there is no such collection
 */
export async function publishersAt(
  at: Queries,
  path: { owner: string; slug: string },
  issuer: string,
): Promise<{ publisher: PublisherRow; place: CollectionOfIssuer }[]> {
  const { rows } = await at.query<PublisherRow & CollectionOfIssuer>(
    `select ${columns}, collections.slug as "collectionSlug", accounts.id as "ownerId", accounts.slug as "ownerSlug",
       accounts.suspended_at as "suspendedAt"
     from trusted_publishers join collections on collections.id = trusted_publishers.collection_id
       join accounts on accounts.id = collections.owner_id
     where accounts.slug = $1 and collections.slug = $2 and trusted_publishers.issuer = $3
     order by trusted_publishers.created_at, trusted_publishers.id`,
    [path.owner, path.slug, issuer],
  )
  return rows.map(({ collectionSlug, ownerId, ownerSlug, suspendedAt, ...publisher }) => ({
    publisher,
    place: { collectionId: publisher.collectionId, collectionSlug, ownerId, ownerSlug, suspendedAt },
  }))
}
