/**
 * Landing: the last step of every push, metadata update and fork. One SQL function, `land_version` (land-version.sql), checks that the
 * caller may still write, that the head has not moved and that the quota suffices, then makes the version visible. No other code creates
 * one.
 */
import { type Column, getTableColumns, type InferSelectModel, type Table } from 'drizzle-orm'
import type { Tx } from '../../database/database.ts'
import { raised } from '../../database/sql-errors.ts'
import type { StoredPack } from '../../packs/pack.ts'
import { type Authority, authorityAsJson } from '../access/authority.ts'
import { type AuditEventRow, auditEvents } from '../audit/audit-events.ts'
import {
  type CollectionRow,
  collections,
  collectionWords,
  foldName,
  wordsRow,
} from '../collections/collections.ts'
import { type OwnerNames, wordsOfOwner } from '../collections/owner-words.ts'
import { type HeadFound, headWords } from '../collections/words.ts'
import { packColumns, recordPackCall, sweptIn } from '../objects/objects.ts'
import { type VersionRow, versions } from '../versions/versions.ts'

/** A version to land, with all that its transaction must check or record. */
export interface Landing {
  version: VersionRow
  /** Id of the head that the version replaces; null: there must be no head. */
  from: string | null
  headDescription: string | null
  /** Topics of the version. */
  topics: readonly string[]
  /** Its readme, names of fields and facets, for searches. Unused for a fork, which copies those of its source. */
  found?: Omit<HeadFound, 'description' | 'topics'>
  by: Authority
  /** Row of the version in the audit log. */
  audit: AuditEventRow
  /** Storage quota of an account without one of its own. Bytes; null: unlimited. */
  usualQuota?: number | null
  /**
   * Pack recorded by the same statement; at most `statementRowsMax` objects. Default: this transaction has recorded the objects already.
   */
  pack?: StoredPack
  /** Ends in the same transaction the running metadata update with that id, or a push session. */
  ends?: { job: string } | { push: PushEnd }
  /** Given for a fork: its collection is created with the version. */
  fork?: ForkOf
}

/** The push session that ends with the version. */
export interface PushEnd {
  id: string
  /** The required lease holder. */
  holder: string
  recordsDone: number
  recordsTotal: number
  /** The answer to the commit. */
  answer: Record<string, unknown>
}

/** The source of a fork, and the collection to create. */
export interface ForkOf {
  sourceId: string
  /** Version of the source that is forked, which must not be withdrawn. */
  sourceVersionId: string
  /** True if the source may be private. */
  byMember: boolean
  /** True if the fork takes the private content, and so the names that the source hides. */
  ofPrivate: boolean
  /** The fork, whose head is this version. Its `public` takes effect only if the source is public. */
  collection: Omit<CollectionRow, 'foldedName'>
  owner: OwnerNames
  /** The collection's row in the audit log, to which its visibility is added. */
  audit: AuditEventRow
  /** The fork is refused unless the owner has fewer collections than this, 1 or more. Exact only while the account is locked. */
  collectionsMax: number
}

/** Texts that `land_version` raises with UL000; keep them equal to land-version.sql. */
const reasons = [
  'update_ended',
  'collection_gone',
  'not_allowed',
  'publishers_only',
  'publisher_gone',
  'head_moved',
  'lease_lost',
  'over_quota',
  'owner_gone',
  'source_gone',
  'source_withdrawn',
  'too_many_collections',
] as const

/**
 * Reason why a version did not land; nothing of its transaction is recorded. `collection_gone`: deleted or transferred to another owner.
 */
export class NotLandedError extends Error {
  override name = 'NotLandedError'
  readonly why: (typeof reasons)[number]

  constructor(why: NotLandedError['why']) {
    super(`The version did not land: ${why}.`)
    this.why = why
  }
}

const arguments_ = `landed => $1, follows => $2, head_text => $3, head_topics => $4, head_words => $5,
  authority => $6, audit => $7, job => $8, push => $9, answer => $10, fork => $11, usual_quota => $12`
const landing = `select land_version(${arguments_})`
const landingWithPack = `select land_version(${arguments_}, packed => ${recordPackCall(13)})`

/**
 * Records a version and makes it its collection's head in place of `from`. Runs a single statement.
 * @throws NotLandedError; ObjectsSweptError, for an object of the pack that the index has without its bases; for a fork, a unique violation of
 *   `collections_owner_slug` if the owner has the slug.
 */
export async function landVersion(tx: Tx, landed: Landing): Promise<void> {
  const { version, from, headDescription, topics, by, audit, pack, ends, fork } = landed
  const { usualQuota = null, found = { readme: '', facets: [] } } = landed
  const job = ends !== undefined && 'job' in ends ? ends.job : null
  const { answer = null, ...push } = ends !== undefined && 'push' in ends ? ends.push : {}
  const values = [
    ...[
      asJson(versions, version),
      from,
      headDescription,
      topics,
      fork ? null : headWords({ description: headDescription, topics, ...found }),
      authorityAsJson(by),
    ],
    ...[
      asJson(auditEvents, audit),
      job,
      answer && JSON.stringify(push),
      answer && JSON.stringify(answer),
      fork ? forkOf(fork) : null,
      usualQuota,
    ],
  ]
  try {
    if (pack === undefined) await tx.query(landing, values, 'land_version')
    else await tx.query(landingWithPack, [...values, ...packColumns(pack)], 'land_version_with_pack')
  } catch (error) {
    throw sweptIn(error) ?? notLandedIn(error) ?? error
  }
}

function notLandedIn(error: unknown): NotLandedError | undefined {
  const said = raised(error, 'UL000')?.message
  const why = reasons.find((reason) => reason === said)
  return why && new NotLandedError(why)
}

const forkOf = ({ collection, owner, audit, ...facts }: ForkOf): string => {
  const row = asJson(collections, { ...collection, foldedName: foldName(collection.name) })
  const words = asJson(collectionWords, wordsRow(collection))
  const rest = JSON.stringify(facts)
  const more = `"collection":${row},"words":${words},"audit":${asJson(auditEvents, audit)}`
  return `${rest.slice(0, -1)},${more},"ownerWords":${JSON.stringify(wordsOfOwner(owner))}}`
}

/** Converts a row to the argument of `jsonb_populate_record`. */
function asJson<T extends Table>(table: T, row: InferSelectModel<T>): string {
  const columns = Object.entries<Column>(getTableColumns(table))
  const members = columns.map(([key, column]) => {
    const value: unknown = row[key as keyof typeof row]
    // The driver would convert JSON to a string.
    const isPlain = value === null || column.dataType === 'json'
    return [column.name, isPlain ? value : column.mapToDriverValue(value)]
  })
  return JSON.stringify(Object.fromEntries(members))
}
