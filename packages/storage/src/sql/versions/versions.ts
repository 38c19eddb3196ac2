/**
 * Table of versions: one row each, with the hashes of its two view documents. Content is immutable; marks such as withdrawals are not. Only
 * `land_version` (landing/) inserts rows.
 */
import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { collections } from '../collections/collections.ts'
import { bytewiseText, count, instant } from '../columns/columns.ts'
import { columnsOf, updateById, wholeRow } from '../columns/rows.ts'
import type { Workload } from '../columns/workload.ts'

export const versions = pgTable(
  'versions',
  {
    id: uuid('id').primaryKey(),
    collectionId: uuid('collection_id')
      .notNull()
      .references(() => collections.id, { onDelete: 'cascade' }),
    major: integer('major').notNull(),
    minor: integer('minor').notNull(),
    patch: integer('patch').notNull(),
    /** With its leading `v`; null for a first version. */
    baseSemver: text('base_semver'),
    /** Hashes of the two view documents, 64 hex digits: the digests without their prefix, and the names of the document objects. */
    fullDigest: bytewiseText('full_digest').notNull(),
    publicDigest: bytewiseText('public_digest').notNull(),
    /** Hash of the version's sidecar (content's tree/stored/sidecar.ts): reference trees and private names, outside the digests. */
    sidecar: bytewiseText('sidecar').notNull(),
    fullRecords: count('full_records').notNull(),
    fullFiles: count('full_files').notNull(),
    /** Sizes of records and files together. Bytes. */
    fullBytes: count('full_bytes').notNull(),
    publicRecords: count('public_records').notNull(),
    publicFiles: count('public_files').notNull(),
    publicBytes: count('public_bytes').notNull(),
    /** True if the public document differs from the previous version's. If not, outsiders do not see the version's message. */
    publicChanged: boolean('public_changed').notNull(),
    /** Bytes that it added to the store, counted for its collection; 0 once it is erased and no version builds on it. See usage.ts. */
    storedBytes: count('stored_bytes').notNull(),
    /** `license` of its metadata, for lists; null if it has none, or was erased. */
    license: text('license'),
    /** Its first types in each view, for lists; null after its erasure. */
    listedTypes: jsonb('listed_types').$type<Record<'full' | 'public', readonly string[]>>(),
    message: text('message'),
    appId: text('app_id'),
    actorId: text('actor_id'),
    /** The account that made it. Not a foreign key: the version outlives the account. */
    madeBy: uuid('made_by').notNull(),
    /** The API key that made it, if any. */
    madeWithKey: jsonb('made_with_key').$type<{ id: string; label: string }>(),
    /** The job of a trusted publisher that made it, if any. */
    workload: jsonb('workload').$type<Workload>(),
    createdAt: instant('created_at').notNull(),
    /** When it was withdrawn; null if it is readable. */
    withdrawnAt: instant('withdrawn_at'),
    withdrawnReason: text('withdrawn_reason'),
    /** Of a withdrawn version: erasure of the data that only this version has. Null: it stays stored. */
    erasure: text('erasure', { enum: ['asked', 'done'] }),
    /** Time and text of the deprecation; null: not deprecated. */
    deprecatedAt: instant('deprecated_at'),
    deprecation: text('deprecation'),
  },
  (t) => [
    check('versions_erasure', sql`${t.erasure} in ('asked', 'done')`),
    index('versions_to_erase').on(t.id).where(sql`${t.erasure} = 'asked'`),
    uniqueIndex('versions_semver').on(t.collectionId, t.major, t.minor, t.patch),
    index('versions_made_by').on(t.madeBy, t.id),
    index('versions_full_digest').on(t.collectionId, t.fullDigest),
    index('versions_public_digest').on(t.collectionId, t.publicDigest),
  ],
)

export type VersionRow = typeof versions.$inferSelect

/** Marks of a version that is neither withdrawn nor deprecated. */
export const standing = Object.freeze({
  ...{ withdrawnAt: null, withdrawnReason: null, erasure: null },
  ...{ deprecatedAt: null, deprecation: null },
}) satisfies Partial<VersionRow>

const whole = wholeRow(versions)
const columns = columnsOf(versions)

/** The latest version; null before the first; undefined if the collection is gone. */
export async function findHead(at: Queries, collectionId: string): Promise<VersionRow | null | undefined> {
  const { rows } = await at.query<{ head: unknown }>(
    `select ${whole.text} as head from collections left join versions on versions.id = head_id where collections.id = $1`,
    [collectionId],
  )
  return rows[0] && whole.read(rows[0].head)
}

/** @param which condition, and the clauses after it */
async function findVersion(at: Queries, which: string, values: unknown[]): Promise<VersionRow | undefined> {
  return (await at.query<VersionRow>(`select ${columns} from versions where ${which}`, values)).rows[0]
}

export const findVersionById = (at: Queries, id: string): Promise<VersionRow | undefined> =>
  findVersion(at, 'id = $1', [id])

export const findVersionBySemver = (
  at: Queries,
  collectionId: string,
  { major, minor, patch }: { major: number; minor: number; patch: number },
): Promise<VersionRow | undefined> =>
  findVersion(at, 'collection_id = $1 and major = $2 and minor = $3 and patch = $4', [
    collectionId,
    major,
    minor,
    patch,
  ])

const newestFirst = 'major desc, minor desc, patch desc'

/** Of several versions with one digest, the newest readable one; if there is none, the newest. */
export const findVersionByDigest = (
  at: Queries,
  collectionId: string,
  { view, hash }: { view: 'full' | 'public'; hash: string },
): Promise<VersionRow | undefined> =>
  findVersion(
    at,
    `collection_id = $1 and ${view}_digest = $2 order by withdrawn_at is null desc, ${newestFirst} limit 1`,
    [collectionId, hash],
  )

/** The newest readable version except those left out. Exact only while the collection is locked. */
export async function findNewestStanding(
  at: Queries,
  collectionId: string,
  leftOut: readonly string[],
): Promise<VersionRow | null> {
  const which = `collection_id = $1 and withdrawn_at is null and id <> all($2::uuid[]) order by ${newestFirst} limit 1`
  return (await findVersion(at, which, [collectionId, leftOut])) ?? null
}

/** The newest readable version with a lower number. */
export const findVersionBefore = (
  at: Queries,
  { collectionId, major, minor, patch }: Pick<VersionRow, 'collectionId' | 'major' | 'minor' | 'patch'>,
): Promise<VersionRow | undefined> =>
  findVersion(
    at,
    `collection_id = $1 and withdrawn_at is null and (major, minor, patch) < ($2::int, $3::int, $4::int)
     order by ${newestFirst} limit 1`,
    [collectionId, major, minor, patch],
  )

/** Number of a collection's withdrawn versions. Withdrawals are final: if the number is unchanged, so is the set. */
export async function countWithdrawn(at: Queries, collectionId: string): Promise<number> {
  const { rows } = await at.query<{ withdrawn: number }>(
    'select count(*) as withdrawn from versions where collection_id = $1 and withdrawn_at is not null',
    [collectionId],
  )
  return rows[0]!.withdrawn
}

/** Distinct sidecars of the readable versions of a collection, except those left out. */
export async function standingSidecars(
  at: Queries,
  collectionId: string,
  leftOut: readonly string[],
): Promise<string[]> {
  const { rows } = await at.query<{ sidecar: string }>(
    `select distinct sidecar from versions
     where collection_id = $1 and withdrawn_at is null and id <> all($2::uuid[])`,
    [collectionId, leftOut],
  )
  return rows.map(({ sidecar }) => sidecar)
}

/** A version that is not withdrawn, with the object that names its trees. */
export type ReadableVersion = Pick<VersionRow, 'major' | 'minor' | 'patch' | 'sidecar'>

/** Readable versions of a collection, the newest first, and their number. */
export async function listReadableVersions(
  at: Queries,
  collectionId: string,
  limit: number,
): Promise<{ rows: ReadableVersion[]; total: number }> {
  const { rows } = await at.query<ReadableVersion & { total: number }>(
    `select major, minor, patch, sidecar, count(*) over () as total from versions
     where collection_id = $1 and withdrawn_at is null order by ${newestFirst} limit $2`,
    [collectionId, limit],
  )
  return { rows, total: rows[0]?.total ?? 0 }
}

/** Changes the marks of a version; its content never changes. */
export async function markVersion(
  tx: Tx,
  id: string,
  marks: Partial<
    Pick<
      VersionRow,
      | 'withdrawnAt'
      | 'withdrawnReason'
      | 'erasure'
      | 'deprecatedAt'
      | 'deprecation'
      | 'license'
      | 'listedTypes'
      | 'message'
      | 'appId'
      | 'actorId'
      | 'workload'
    >
  >,
): Promise<void> {
  await updateById(tx, versions, id, marks)
}

/** Newest first; `beyond`: only versions older than this semver, or, with `backwards`, newer ones, oldest first. */
export async function listVersions(
  at: Queries,
  collectionId: string,
  page: {
    limit: number
    offset: number
    beyond?: { major: number; minor: number; patch: number }
    backwards: boolean
  },
): Promise<VersionRow[]> {
  const { beyond, backwards } = page
  const place = beyond === undefined ? [] : [beyond.major, beyond.minor, beyond.patch]
  const isBeyond = `and (major, minor, patch) ${backwards ? '>' : '<'} ($4::int, $5::int, $6::int)`
  const towards = backwards ? 'asc' : 'desc'
  const text = `select ${whole.text} as version from versions
    where collection_id = $1 ${beyond === undefined ? '' : isBeyond}
    order by major ${towards}, minor ${towards}, patch ${towards} limit $2 offset $3`
  const name = `list_versions_${beyond === undefined ? 'first' : 'further'}_${towards}`
  const { rows } = await at.query<{ version: unknown }>(
    text,
    [collectionId, page.limit, page.offset, ...place],
    name,
  )
  return rows.map(({ version }) => whole.read(version)!)
}
