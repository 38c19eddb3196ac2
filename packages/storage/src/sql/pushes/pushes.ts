/**
 * Tables of push sessions and of the spills (checked, sorted batches) that each has received. The statements here move a session between
 * its statuses; packages/registry/src/pushes/state/states.ts is the state machine: change both together.
 */
import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import type { Means } from '../audit/audit-events.ts'
import { collections } from '../collections/collections.ts'
import { bytewiseText, count, instant } from '../columns/columns.ts'
import { columnsOf, insertInto, Values } from '../columns/rows.ts'

export const pushes = pgTable(
  'pushes',
  {
    id: uuid('id').primaryKey(),
    collectionId: uuid('collection_id')
      .notNull()
      .references(() => collections.id, { onDelete: 'cascade' }),
    /** The account that opened it. Not a foreign key: a deleted account's sessions never land. */
    accountId: uuid('account_id').notNull(),
    /** The account that requested the commit. */
    committerId: uuid('committer_id'),
    committerMeans: jsonb('committer_means').$type<Means>(),
    kind: text('kind', { enum: ['delta', 'snapshot'] }).notNull(),
    status: text('status', {
      enum: ['open', 'checking', 'committing', 'committed', 'failed', 'cancelled', 'expired'],
    }).notNull(),
    /** Version that the changes are based on; null if there was none. */
    baseId: uuid('base_id'),
    baseSemver: text('base_semver'),
    /** SHA-256 of the complete set of schemas; null: those of the base. */
    schemasHash: text('schemas_hash'),
    /** Those schemas, one type per line; null also when the session has ended. */
    schemas: text('schemas'),
    /** Metadata patch as JSON text; null: none. */
    metadata: text('metadata'),
    /** What the push confirms to become public (`confirm_public`), a list of texts as JSON; null: nothing. */
    confirmPublic: text('confirm_public'),
    /** Hashes of the declared files. */
    files: text('files').array().notNull().default(sql`'{}'::text[]`),
    stripUnknownFields: boolean('strip_unknown_fields').notNull().default(false),
    message: text('message'),
    appId: text('app_id'),
    actorId: text('actor_id'),
    /** Expected number of entries in a snapshot's manifest; null in a delta. */
    manifestExpected: count('manifest_expected'),
    /** Number of received lines of records. */
    receivedRecords: count('received_records').notNull().default(0),
    /** The commit's answer, or the error body that ended the session. (Not jsonb, which refuses U+0000: a record's id may contain it.) */
    result: json('result').$type<Record<string, unknown>>(),
    error: json('error').$type<Record<string, unknown>>(),
    createdAt: instant('created_at').notNull(),
    /** When an open session expires without further requests. */
    expiresAt: instant('expires_at').notNull(),
    /** Progress of a commit or a dry run, in entries; updated every second while it runs. */
    recordsDone: count('records_done').notNull().default(0),
    recordsTotal: count('records_total').notNull().default(0),
    /** While `committing` or `checking`: the lease holder, a new id for each lease. Null: not taken yet. */
    leaseHolder: uuid('lease_holder'),
    /**
     * While `committing`: when another process may take over the commit; while `checking`: when it may reopen the session. By the
     * database's clock, which all servers share.
     */
    leaseUntil: instant('lease_until'),
  },
  (t) => [
    index('pushes_collection').on(t.collectionId),
    index('pushes_open').on(t.expiresAt).where(sql`${t.status} = 'open'`),
    index('pushes_open_account').on(t.accountId).where(sql`${t.status} = 'open'`),
    index('pushes_ended')
      .on(t.expiresAt)
      .where(sql`${t.status} in ('committed', 'failed', 'cancelled', 'expired')`),
    index('pushes_leased').on(t.leaseUntil).where(sql`${t.status} in ('committing', 'checking')`),
    check(
      'pushes_status',
      sql`${t.status} in ('open', 'checking', 'committing', 'committed', 'failed', 'cancelled', 'expired')`,
    ),
  ],
)

/** Spills of sessions; their bytes are in the blob store until the commit has merged them. */
export const pushSpills = pgTable(
  'push_spills',
  {
    pushId: uuid('push_id')
      .notNull()
      .references(() => pushes.id, { onDelete: 'cascade' }),
    /** Order of arrival within the session: for the same (type, id), the entry with the highest sequence wins. */
    sequence: integer('sequence').notNull(),
    /** Kind of its entries: records and deletes, or lines of a snapshot's manifest. */
    role: text('role', { enum: ['records', 'manifest'] }).notNull(),
    /** The spill's name in the blob store. */
    name: bytewiseText('name').notNull(),
    entries: integer('entries').notNull(),
    bytes: count('bytes').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.pushId, t.sequence] }),
    check('push_spills_role', sql`${t.role} in ('records', 'manifest')`),
  ],
)

/** Statuses of sessions that have not ended. */
const live = ['open', 'checking', 'committing'] satisfies PushRow['status'][]

/** Columns cleared when a session ends without a version. */
const forgotten = "schemas = null, metadata = null, confirm_public = null, files = '{}'"

/** Columns that a commit reads. Its schemas are read separately, unless they are cached. */
export type PushRow = Omit<typeof pushes.$inferSelect, 'schemas'>
export type PushSpillRow = typeof pushSpills.$inferSelect

/** State of a session without its opening data, which may be some MiB: sessions are read many times a second. */
export type PushStanding = Omit<PushRow, 'metadata' | 'confirmPublic' | 'files'>

/** Columns of a `PushRow`, for a statement. */
export const commitColumns = columnsOf(pushes, 'schemas')
/** Columns of a `PushStanding`. */
export const standingColumns = columnsOf(pushes, 'schemas', 'metadata', 'confirmPublic', 'files')

export async function insertPush(tx: Tx, push: typeof pushes.$inferInsert): Promise<PushStanding> {
  const { rows } = await tx.query<PushStanding>(...insertInto(pushes, push, `returning ${standingColumns}`))
  return rows[0]!
}

/** Exact only while the account is locked. */
export async function countOpenPushes(at: Queries, accountId: string, now: Date): Promise<number> {
  const { rows } = await at.query<{ open: number }>(
    "select count(*) as open from pushes where account_id = $1 and status = 'open' and expires_at > $2",
    [accountId, now],
  )
  return rows[0]!.open
}

export async function findPush(
  at: Queries,
  collectionId: string,
  id: string,
): Promise<PushStanding | undefined> {
  const { rows } = await at.query<PushStanding>(
    `select ${standingColumns} from pushes where id = $1 and collection_id = $2`,
    [id, collectionId],
  )
  return rows[0]
}

/** Schemas of a session; null if it declared none, or has ended. */
export async function findPushSchemas(at: Queries, id: string): Promise<string | null> {
  const { rows } = await at.query<{ schemas: string | null }>('select schemas from pushes where id = $1', [
    id,
  ])
  return rows[0]?.schemas ?? null
}

/** Content that a session confirms to become public, as JSON; null: nothing. */
export async function findConfirmations(at: Queries, id: string): Promise<string | null> {
  const { rows } = await at.query<{ confirmed: string | null }>(
    'select confirm_public as confirmed from pushes where id = $1',
    [id],
  )
  return rows[0]?.confirmed ?? null
}

/**
 * Moves a session from one status to another with further columns; returns false if its status is none of `from`.
 * @param heldBy Requires this lease holder for the commit or dry run.
 */
export async function movePush(
  tx: Tx,
  id: string,
  from: readonly PushRow['status'][],
  to: Partial<typeof pushes.$inferInsert> & { status: PushRow['status'] },
  heldBy?: string,
): Promise<boolean> {
  const values = new Values(id, from)
  const changes = values.changes(pushes, to)
  const ending = live.some((status) => status === to.status) ? '' : `, ${forgotten}`
  const isHeld = heldBy === undefined ? 'true' : isHeldBy(values.of(heldBy))
  const { rows } = await tx.query(
    `update pushes set ${changes}${ending} where id = $1 and status = any($2) and ${isHeld} returning 1`,
    values.given,
  )
  return rows.length === 1
}

/**
 * Extends the expiry of an open session, counts received data and locks its row: until the transaction ends it cannot be committed or
 * cancelled. Returns false if it is not open.
 */
export async function touchOpenPush(
  tx: Tx,
  id: string,
  { now, expiresAt, receivedRecords }: { now: Date; expiresAt: Date; receivedRecords: number },
): Promise<boolean> {
  const { rows } = await tx.query(
    `update pushes set expires_at = $3, received_records = received_records + $4
     where id = $1 and status = 'open' and expires_at > $2 returning 1`,
    [id, now, expiresAt, receivedRecords],
  )
  return rows.length === 1
}

/** Appends a spill. Called under the lock of `touchOpenPush`. */
export async function insertPushSpill(
  tx: Tx,
  { pushId, role, name, entries, bytes }: Omit<PushSpillRow, 'sequence'>,
): Promise<void> {
  await tx.query(
    `insert into push_spills (push_id, sequence, role, name, entries, bytes)
     values ($1, (select coalesce(max(sequence), 0) + 1 from push_spills where push_id = $1), $2, $3, $4, $5)`,
    [pushId, role, name, entries, bytes],
  )
}

/** Spills in order of arrival; `after`: only those with a higher sequence. */
export async function listPushSpills(at: Queries, pushId: string, after = 0): Promise<PushSpillRow[]> {
  const { rows } = await at.query<PushSpillRow>(
    `select ${columnsOf(pushSpills)} from push_spills where push_id = $1 and sequence > $2 order by sequence`,
    [pushId, after],
  )
  return rows
}

/**
 * Replaces several spills by one. Returns false, without a change, if they are gone or if `heldBy` no longer holds the lease of the
 * session's commit.
 */
export async function replacePushSpills(
  tx: Tx,
  gone: readonly PushSpillRow[],
  by: PushSpillRow,
  heldBy: string,
): Promise<boolean> {
  const held = await tx.query(`select from pushes where id = $1 and ${isHeldBy('$2')} for share`, [
    by.pushId,
    heldBy,
  ])
  if (held.rows.length === 0) return false
  const there = [by.pushId, gone.map(({ name }) => name)]
  const isThere = 'push_id = $1 and name = any($2::text[])'
  const locked = await tx.query(`select from push_spills where ${isThere} for update`, there)
  if (locked.rows.length !== gone.length) return false
  await tx.query(`delete from push_spills where ${isThere}`, there)
  await tx.query(...insertInto(pushSpills, by))
  return true
}

/** Removes the message of the push that made a version, and the record details of its answer. */
export async function forgetWordsOfPush(tx: Tx, collectionId: string, semver: string): Promise<void> {
  await tx.query(
    `update pushes set metadata = null, confirm_public = null, message = null, app_id = null, actor_id = null, files = '{}',
       result = (result::jsonb || '{"warnings": []}')::json
     where collection_id = $1 and result->>'semver' = $2`,
    [collectionId, semver],
  )
}

export async function deletePushSpills(tx: Tx, pushId: string): Promise<void> {
  await tx.query('delete from push_spills where push_id = $1', [pushId])
}

/** Condition that this holder has the lease of the commit or dry run. @param holder placeholder in the text */
export const isHeldBy = (holder: string): string =>
  `status in ('committing', 'checking') and lease_holder = ${holder}`

/** Marks idle open sessions as expired. */
export async function expirePushes(tx: Tx, now: Date): Promise<void> {
  await tx.query(
    `update pushes set status = 'expired', ${forgotten} where status = 'open' and expires_at <= $1`,
    [now],
  )
}

/** Ids of ended sessions with remaining spills. */
export async function listEndedPushesWithSpills(at: Queries): Promise<string[]> {
  const { rows } = await at.query<{ id: string }>(
    'select distinct id from push_spills join pushes on id = push_id where status <> all($1)',
    [live],
  )
  return rows.map(({ id }) => id)
}
