/** Changes of collections and accounts that wait for their leaf in the signed log. */
import { bigint, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { instant } from '../columns/columns.ts'

const collectionChanges = [
  'version.made',
  'version.withdrawn',
  'collection.renamed',
  'collection.transferred',
  'collection.visibility',
] as const

/**
 * Changes that wait for their leaf. `number_events` adds those of collections, in the order of events and in the transaction that numbers
 * them, of `collection.visibility` only those that hide it; a trigger adds new names of accounts. `account.stated` is no change: it says when the latest name of an account was taken.
 */
export const logQueue = pgTable('log_queue', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  at: instant('at').notNull(),
  kind: text('kind', { enum: [...collectionChanges, 'account.renamed', 'account.stated'] }).notNull(),
  /** Null for kinds of accounts, as is `name`. */
  collectionId: uuid('collection_id'),
  versionId: uuid('version_id'),
  accountId: uuid('account_id'),
  /** `owner/slug` after the change. */
  name: text('name'),
})

/** A change in the queue with what its statement needs. */
export interface QueuedRow {
  at: Date
  kind: (typeof collectionChanges)[number]
  collectionId: string
  versionId: string | null
  name: string
  /** Null if the version was erased, or its collection deleted. */
  fullDigest: string | null
  publicDigest: string | null
  semver: string | null
}

/** A new name of an account costs a leaf for each of its collections, so the next one waits. Not longer if the clock turned back. */
const isRecent = "between clock_timestamp() - interval '5 minutes' and clock_timestamp()"
const isDue = `not (kind = 'account.renamed' and exists (select from log_queue stated
  where stated.kind = 'account.stated' and stated.account_id = log_queue.account_id and stated.at ${isRecent}))`

const isQueued = `exists (select from log_queue where kind <> 'account.stated' and ${isDue})`
/** True if changes wait for their leaf, and need not wait longer, or if leaves of a signed log wait for a signature. */
export const isLogDue = `(${isQueued} or exists (select from log_state where origin is not null and size > signed_size))`

/** True if changes wait for their leaf, and need not wait longer. */
export async function hasQueued(at: Queries): Promise<boolean> {
  return (await at.query(`select where ${isQueued}`)).rows.length > 0
}

/** Takes the oldest changes out of the queue. The log must be locked. */
export async function takeQueued(tx: Tx, most: number): Promise<QueuedRow[]> {
  await tx.query(`delete from log_queue where kind = 'account.stated' and at not ${isRecent}`)
  await tx.query(
    `with renamed as (
       delete from log_queue where kind = 'account.renamed' and ${isDue} returning account_id
     ), stated as (
       insert into log_queue (at, kind, account_id) select distinct clock_timestamp(), 'account.stated', account_id from renamed
     )
     insert into log_queue (at, kind, collection_id, name)
       select clock_timestamp(), 'collection.renamed', c.id, a.slug || '/' || c.slug
       from (select distinct account_id from renamed) renamed
         join accounts a on a.id = account_id join collections c on c.owner_id = a.id
       where exists (select from versions where collection_id = c.id)`,
  )
  const { rows } = await tx.query<QueuedRow>(
    `with taken as (delete from log_queue where id in (select id from log_queue where collection_id is not null and name is not null order by id limit $1) returning *)
     select taken.at, taken.kind, taken.collection_id as "collectionId", taken.version_id as "versionId", taken.name,
       v.full_digest as "fullDigest", v.public_digest as "publicDigest", format('v%s.%s.%s', v.major, v.minor, v.patch) as semver
     from taken left join versions v on v.id = taken.version_id and (v.erasure is null or taken.kind = 'version.withdrawn')
     where exists (select from collections where id = taken.collection_id)
     order by taken.id`,
    [most],
  )
  return rows.map((row) => (row.fullDigest === null ? { ...row, semver: null } : row))
}

/** Empties the queue of a registry without a log. */
export async function dropQueued(tx: Tx): Promise<void> {
  await tx.query('delete from log_queue')
}
