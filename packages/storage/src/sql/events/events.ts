/**
 * Tables of events: changes of collections and versions, numbered in one order for the whole registry. Two steps, for a number that was
 * taken in the transaction of a change could become visible after a later one: triggers note a change in `outbox` within its transaction,
 * and `numberEvents` gives committed ones their numbers (events.sql). Without foreign keys: an event outlives its subject.
 */
import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { count, instant } from '../columns/columns.ts'
import { columnsOf, Values } from '../columns/rows.ts'

/** `semver` of versions (`v1.0.0`), `bump` of new ones (a first one has `major`), `deprecated`, `formerly` (`owner/slug`), `public`, `question` (slug). */
export interface EventDetails {
  readonly semver?: string
  readonly bump?: 'major' | 'minor' | 'patch'
  readonly deprecated?: boolean
  readonly formerly?: string
  readonly public?: boolean
  readonly question?: string
}

const facts = () => ({
  at: instant('at').notNull(),
  /** As events.sql notes it, and packages/wire names it. */
  kind: text('kind').notNull(),
  collectionId: uuid('collection_id').notNull(),
  versionId: uuid('version_id'),
  /** Owner of the collection after the change. */
  accountId: uuid('account_id').notNull(),
  /** `owner/slug` at that time. */
  name: text('name').notNull(),
  /** True if outsiders could see the change when it was made. */
  public: boolean('public').notNull(),
  details: jsonb('details').$type<EventDetails>().notNull(),
})

/** Changes without a number yet. */
export const outbox = pgTable('outbox', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  ...facts(),
})

export const events = pgTable(
  'events',
  {
    /** From 1 on, without gaps. */
    seq: count('seq').primaryKey(),
    ...facts(),
  },
  (t) => [
    index('events_collection').on(t.collectionId, t.seq),
    index('events_account').on(t.accountId, t.seq),
    index('events_public').on(t.seq).where(sql`${t.public}`),
  ],
)

/** One row with the next number. */
export const eventNumbers = pgTable(
  'event_numbers',
  {
    onlyOne: boolean('only_one').primaryKey(),
    next: count('next').notNull(),
  },
  (t) => [check('event_numbers_only_one', sql`${t.onlyOne}`)],
)

export type EventRow = typeof events.$inferSelect

/** Numbers at most `most` changes; one caller at a time. @returns how many */
export async function numberEvents(tx: Tx, most: number): Promise<number> {
  const { rows } = await tx.query<{ numbered: number }>('select number_events($1) as numbered', [most])
  return rows[0]!.numbered
}

/**
 * Numbers all changes that are committed, and returns the number of the last event: later ones are of later commits. Waits for a
 * concurrent caller. Call it before the transaction locks rows of accounts or collections.
 */
export async function lastEventSoFar(tx: Tx): Promise<number> {
  const find = 'select next from event_numbers for update'
  await tx.query(find)
  while ((await numberEvents(tx, numberedAtOnce)) > 0);
  const { rows } = await tx.query<{ next: number }>(find)
  return (rows[0]?.next ?? 1) - 1
}

const numberedAtOnce = 10_000

/** True if outsiders may see an event: of a collection that is public now, too, and that a public collection was deleted. */
export const isOpen = `(events.public and (events.kind = 'collection.deleted' or exists (
    select from collections where collections.id = events.collection_id and collections.public)))`

/** Callers' rights, and their filters; an undefined filter matches all. */
export interface EventFilter {
  /** Accounts whose private events the caller sees. */
  readonly accountIds: readonly string[]
  /** Collections of other accounts whose private events the caller sees. */
  readonly collectionIds?: readonly string[] | undefined
  /** A limited key sees private events of these collections alone. */
  readonly onlyCollections?: readonly string[] | undefined
  readonly collectionId?: string | undefined
  readonly accountId?: string | undefined
  readonly kind?: string | undefined
}

/** Numbers that a list needs. */
export interface EventBounds {
  /** The oldest that is kept; `next` if none is. */
  oldest: number
  /** The next that will be given. */
  next: number
  /** The one after the newest event that the caller may see. Others must not see the rest come. */
  nextSeen: number
}

export async function eventBounds(
  at: Queries,
  {
    accountIds,
    collectionIds = [],
    onlyCollections,
  }: Pick<EventFilter, 'accountIds' | 'collectionIds' | 'onlyCollections'>,
): Promise<EventBounds> {
  const { rows } = await at.query<EventBounds>(
    `select oldest, next, coalesce(greatest(
         (select max(seq) from events where public),
         (select max(newest) from unnest($1::uuid[]) as mine, lateral (
           select max(seq) as newest from events where account_id = mine and $2::uuid[] is null) as of_account),
         (select max(newest) from unnest($3::uuid[]) as granted, lateral (
           select max(seq) as newest from events where collection_id = granted and ($2 is null or granted = any($2))) as of_collection),
         (select max(newest) from unnest($2::uuid[]) as limited, lateral (
           select max(seq) as newest from events where collection_id = limited and account_id = any($1)) as of_limited)
       ) + 1, oldest) as "nextSeen"
     from (select coalesce((select min(seq) from events), next, 1) as oldest, coalesce(next, 1) as next
       from (select (select next from event_numbers) as next) numbers) bounds`,
    [accountIds, onlyCollections ?? null, collectionIds],
  )
  return rows[0]!
}

/** Events after a number and before another, in their order. */
export async function listEvents(
  at: Queries,
  { accountIds, collectionIds = [], onlyCollections, collectionId, accountId, kind }: EventFilter,
  { after, before, limit }: { after: number; before: number; limit: number },
): Promise<EventRow[]> {
  const values = new Values(after, before)
  const mine = `(account_id = any(${values.of(accountIds)}::uuid[]) or collection_id = any(${values.of(collectionIds)}::uuid[]))`
  const own =
    onlyCollections === undefined
      ? mine
      : `(${mine} and collection_id = any(${values.of(onlyCollections)}::uuid[]))`
  const where = [`seq > $1`, `seq < $2`, `(${isOpen} or ${own})`]
  if (collectionId !== undefined) where.push(`collection_id = ${values.of(collectionId)}`)
  if (accountId !== undefined) where.push(`account_id = ${values.of(accountId)}`)
  if (kind !== undefined) where.push(`kind = ${values.of(kind)}`)
  const { rows } = await at.query<EventRow>(
    `select ${columnsOf(events)} from events where ${where.join(' and ')} order by seq limit ${values.of(limit)}`,
    values.given,
  )
  return rows
}

/** All events from a number on, to tell waiting callers that there may be something for them. */
export async function eventsFrom(at: Queries, seq: number, limit: number): Promise<EventRow[]> {
  const { rows } = await at.query<EventRow>(
    `select ${columnsOf(events)} from events where seq >= $1 order by seq limit $2`,
    [seq, limit],
  )
  return rows
}

/** Drops up to `max` events older than an instant, the oldest first. Returns their number. */
export async function dropOldEvents(tx: Tx, before: Date, max: number): Promise<number> {
  const { rows } = await tx.query(
    `delete from events where seq in (
       select seq from (select seq, at from events order by seq limit $2) oldest where at < $1) returning 1`,
    [before, max],
  )
  return rows.length
}
