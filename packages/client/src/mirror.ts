/** Makes a type equal to all rows of a program, at a cost proportional to the changes. */
import {
  canonicalize,
  InputError,
  type JsonObject,
  parseJson,
  type ReadonlyJsonObject,
  recordOf,
  type Tree,
  type TreeEntry,
  treeOf,
} from '@ulmus/content'
import type { DeleteLine, Version } from '@ulmus/wire'
import type { RecordToPut } from './batches.ts'
import { readVersion } from './collections.ts'
import type { PushResult } from './commit.ts'
import { entriesOfType, manifestPages } from './differences.ts'
import { UlmusError } from './errors.ts'
import { exactJson } from './exact-json.ts'
import type { CollectionRef } from './places.ts'
import { type Push, type PushOptions, push } from './push.ts'
import { demandFewRemovals, type MaxRemoved, maxRemovedUsual } from './removals.ts'
import { sleep } from './retry.ts'
import type { Creation } from './session.ts'
import type { Transport } from './transport.ts'

export interface Mirror<Row extends object> {
  readonly type: string
  /** The member that identifies a row, which is omitted from the data; or a function that returns the id of a row. */
  readonly id: (keyof Row & string) | ((row: Row) => string)
  /**
   * All rows. They are read twice if any changed: an iterator that can be read only once is kept in memory. For many rows, give a function
   * that starts again from the first row.
   */
  readonly rows: Iterable<Row> | AsyncIterable<Row> | (() => Iterable<Row> | AsyncIterable<Row>)
  /** Default: the type's current schema. A new type gets `{}`, which admits everything. */
  readonly schema?: ReadonlyJsonObject
  /** Maximum of records that may be removed: a count, or a share of the type. Default: `50%`. */
  readonly maxRemoved?: MaxRemoved
  /** Creates the collection if it does not exist. */
  readonly create?: Creation
  readonly message?: string
  readonly metadata?: Push['metadata']
}

/** Rows hashed before the signal is checked and other work of the page gets a turn. */
const hashedAtOnce = 1_000

/**
 * @throws version_conflict, schema_violation, …; `too_many_removed`; TypeError for a row without an id or with a repeated one
 */
export async function mirror<Row extends object>(
  transport: Transport,
  ref: CollectionRef,
  what: Mirror<Row>,
  options: PushOptions = {},
): Promise<PushResult | null> {
  const { type, maxRemoved = maxRemovedUsual } = what
  const { signal } = options
  const begin = restartable(what.rows)
  const entries = await entriesOf(what, begin(), signal)
  const tree = await treeOf(entries.values())
  const base = await latestOf(transport, ref, what.create !== undefined, signal)
  const schemas = schemasFor(what, base)
  if (base !== null && schemas === undefined && what.metadata === undefined && isSame(base, type, tree))
    return null
  const held =
    base === null ? new Map<string, StoredRecord>() : await heldOf(transport, ref, base.semver, type, signal)
  const gone = [...held.keys()].filter((id) => !entries.has(id))
  demandFewRemovals([{ type, removed: gone.length, count: held.size }], maxRemoved)
  const { message, metadata, create } = what
  const records = changedOf(what, begin(), entries, held)
  const deletes = gone.map((id): DeleteLine => ({ id, type }))
  const pushed = { baseVersion: base?.semver ?? null, schemas, message, metadata, create, records, deletes }
  try {
    // The limit was checked above, against all rows.
    return await push(transport, ref, { ...pushed, maxRemoved: '100%' }, options)
  } catch (error) {
    if (error instanceof UlmusError && error.code === 'no_changes') return null
    throw error
  }
}

type Rows<Row> = Iterable<Row> | AsyncIterable<Row>

function restartable<Row extends object>(rows: Mirror<Row>['rows']): () => Rows<Row> {
  if (typeof rows === 'function') return rows
  const once = Symbol.asyncIterator in rows || Object.is(rows[Symbol.iterator](), rows)
  return once ? keeping(rows) : () => rows
}

/** Reads the rows once and caches them. */
function keeping<Row>(rows: Rows<Row>): () => Rows<Row> {
  const kept: Row[] = []
  let isRead = false
  return () => {
    if (isRead) return kept
    isRead = true
    return (async function* () {
      for await (const row of rows) {
        kept.push(row)
        yield row
      }
    })()
  }
}

/** Record of a row, as `exactJson` writes it: undefined members are omitted, and dates become texts. */
function recordIn<Row extends object>(
  { type, id: named }: Mirror<Row>,
  row: Row,
  index: number,
): RecordToPut {
  const nameOf = () => `Row ${index + 1}, ${type} ${JSON.stringify(String(idOf(row)))}`
  const idOf = typeof named === 'function' ? named : (member: Row) => member[named]
  const data = parseJson(exactJson(row, nameOf)) as Record<string, unknown>
  const id = typeof named === 'function' ? named(row) : data[named]
  if ((typeof id !== 'string' && !Number.isFinite(id)) || id === '')
    throw new TypeError(
      `Row ${index + 1} has ${id === undefined ? 'no id' : `the id ${JSON.stringify(id)}`}${typeof named === 'function' ? '' : ` in ${JSON.stringify(named)}`}: an id is a text that is not empty, or a number.`,
    )
  if (typeof named !== 'function') delete data[named]
  return { id: String(id), type, data }
}

async function entriesOf<Row extends object>(
  what: Mirror<Row>,
  rows: Rows<Row>,
  signal: AbortSignal | undefined,
): Promise<Map<string, TreeEntry>> {
  const entries = new Map<string, TreeEntry>()
  let index = 0
  for await (const row of rows) {
    const { id, type, data } = recordIn(what, row, index++)
    if (entries.has(id))
      throw new TypeError(`Row ${index} has the id ${JSON.stringify(id)}, as a row before it.`)
    entries.set(id, entryOf(id, type, data as JsonObject, index))
    if (index % hashedAtOnce === 0) await sleep(0, signal)
  }
  return entries
}

function entryOf(id: string, type: string, data: JsonObject, row: number): TreeEntry {
  try {
    const { hash, size } = recordOf(id, type, data)
    return { key: id, hash, size }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const message = `Row ${row}, ${type} ${JSON.stringify(id)}: ${error.message}`
    throw new UlmusError(message, { status: 0, code: error.code, cause: error })
  }
}

/** Latest version; null before the first. */
async function latestOf(
  transport: Transport,
  ref: CollectionRef,
  mayBeMissing: boolean,
  signal: AbortSignal | undefined,
): Promise<Version | null> {
  try {
    return await readVersion(transport, ref, 'latest', signal)
  } catch (error) {
    const code = error instanceof UlmusError ? error.code : undefined
    if (code === 'version_not_found' || (mayBeMissing && code === 'collection_not_found')) return null
    throw error
  }
}

/** The type's schema, if it changes. Other types stay. */
function schemasFor<Row extends object>(
  { type, schema }: Mirror<Row>,
  base: Version | null,
): Push['schemas'] | undefined {
  const before = (base?.schemas ?? {}) as Record<string, JsonObject>
  const known = Object.hasOwn(before, type) ? before[type] : undefined
  const wanted = parseJson(exactJson(schema ?? known ?? {}, () => `The schema of ${type}`)) as JsonObject
  if (known !== undefined && canonicalize(known) === canonicalize(wanted)) return undefined
  return { [type]: wanted }
}

const isSame = ({ typeRoots }: Version, type: string, tree: Tree): boolean =>
  (Object.hasOwn(typeRoots, type) ? typeRoots[type] : null) === tree.root

interface StoredRecord {
  readonly hash: string
  readonly isPrivate: boolean
}

/** Records of the type in a version, by id. */
async function heldOf(
  transport: Transport,
  ref: CollectionRef,
  semver: string,
  type: string,
  signal: AbortSignal | undefined,
): Promise<Map<string, StoredRecord>> {
  const held = new Map<string, StoredRecord>()
  const pages = (options: object) => manifestPages(transport, ref, semver, options)
  for await (const entries of entriesOfType(pages, type, signal))
    for (const { id, hash, private: isPrivate = false } of entries) held.set(id, { hash, isPrivate })
  return held
}

/** Rows that the version lacks. A private record stays private. */
async function* changedOf<Row extends object>(
  what: Mirror<Row>,
  rows: Rows<Row>,
  entries: ReadonlyMap<string, TreeEntry>,
  held: ReadonlyMap<string, StoredRecord>,
): AsyncGenerator<RecordToPut, void, undefined> {
  let index = 0
  for await (const row of rows) {
    const record = recordIn(what, row, index++)
    const before = held.get(record.id)
    if (before?.hash === entries.get(record.id)?.hash) continue
    yield before?.isPrivate === true ? { ...record, private: true } : record
  }
}
