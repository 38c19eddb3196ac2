/**
 * Records of a version (http-api §7), ordered by type, then id, both by UTF-8 bytes. Answers consist of the stored canonical
 * forms with the hash appended: no record is parsed.
 */

import {
  type Child,
  countThrough,
  type Hash,
  nameLeaves,
  proveEntry,
  type Tree,
  type ViewRoots,
} from '@ulmus/content'
import { giveWay, type ObjectReader } from '@ulmus/storage'
import type { VersionPath } from '@ulmus/wire'
import { JsonText, quoted } from '../answers/json-text.ts'
import {
  comparePositions,
  PageBudget,
  type RecordPosition,
  readAfter,
  selectedTypes,
  type TreeFrom,
  treesFrom,
  typeNames,
  typeTree,
  writeCursor,
} from '../answers/places.ts'
import { countAnswer, readerOf } from '../budgets/answer-budget.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import { canonicalOf } from '../stored-leaves/canonical-forms.ts'
import { documentBytes } from '../versions/content.ts'
import { seeVersion } from '../versions/versions.ts'
import { findRecord, takeRecords } from './lookup.ts'
import { streamRecords } from './stream.ts'

/** Page of records to read. */
export interface RecordsAsk {
  type?: string
  id?: string
  /** 1 – 2,000. */
  limit: number
  /** base64url of JCS([type, id]) or, with `type`, an id. */
  after?: string
}

/** Page of records. Its fields are public: change them together with packages/wire/src/records.ts. */
export interface RecordsPage {
  /** Each `{id, type, data, hash}`. */
  records: JsonText[]
  pagination: { limit: number; hasMore: boolean; nextCursor: string | null; total: number }
}

export interface RecordsStream {
  /** Number of records that follow. */
  count: number
  /** Identifies the version and view in an entity tag. */
  hash: string
  /** NDJSON in chunks of whole lines. A chunk is valid until the reader requests the next one. */
  lines: AsyncGenerator<Uint8Array>
}

export type Records = ReturnType<typeof recordsOf>

export function recordsOf(context: Context) {
  return {
    /** @throws collection_not_found, version_not_found, invalid_request for a malformed cursor, busy. */
    async page(who: Principal, path: VersionPath, ask: RecordsAsk): Promise<RecordsPage> {
      const { roots } = await seeVersion(context, who, path)
      const after = readAfter(ask)
      if (ask.id === undefined) return pageOf(context, roots, ask, after)
      return pageOfId(context, roots, { ...ask, id: ask.id, reader: readerOf(who) }, after)
    },

    /** One record; with `proof`, the data that proves that it belongs to the version's digest. @throws record_not_found, busy. */
    async one(
      who: Principal,
      path: VersionPath & RecordPosition,
      options: { proof: boolean },
    ): Promise<JsonText> {
      const { seen, version, roots } = await seeVersion(context, who, path)
      const tree = typeTree(roots, path.type)
      const found = tree && (await findRecord(context, tree, path.id, readerOf(who)))
      if (tree === undefined || found === undefined) {
        const types = tree === undefined ? typeNames(roots) : undefined
        throw new RegistryError('record_not_found', { say: { type: path.type, id: path.id, types } })
      }
      countAnswer(found.size * (options.proof ? 2 : 1))
      const canonical = await canonicalOf(context.objects, found.line)
      if (!options.proof) return recordJson(canonical, found.hash)
      await giveWay()
      const proof = await proveEntry(tree, path.id, context.objects)
      const nodes: string[] = []
      for (const node of proof!.nodes) nodes.push((await quoted(Buffer.from(node))).join(''))
      const document = await documentBytes(context, version, seen.view)
      return new JsonText(
        ...recordJson(canonical, found.hash).pieces.slice(0, -1),
        `,"hash":"${found.hash}","proof":{"canonical":`,
        ...(await quoted(canonical)),
        `,"nodes":[${nodes.join(',')}],"document":`,
        ...(await quoted(document)),
        '}}',
      )
    },

    /**
     * Streams all records, or those of a type, from the start or after a cursor.
     * @throws collection_not_found, version_not_found, invalid_request.
     */
    async stream(
      who: Principal,
      path: VersionPath,
      ask: { type?: string; after?: string },
    ): Promise<RecordsStream> {
      const { seen, version, roots } = await seeVersion(context, who, path)
      const after = readAfter(ask)
      const trees = [...treesFrom(roots, ask.type, after)]
      let count = 0
      for (const { tree, startAfter } of trees) {
        count +=
          tree.count - (startAfter === undefined ? 0 : await countThrough(tree, startAfter, context.objects))
      }
      const lines = streamLines(context, trees, readerOf(who))
      return { count, hash: `${seen.view}:${version.id}`, lines }
    },
  }
}

async function pageOf(
  context: Context,
  roots: ViewRoots,
  ask: RecordsAsk,
  after: RecordPosition | undefined,
): Promise<RecordsPage> {
  const records: JsonText[] = []
  let last: RecordPosition | undefined
  let hasMore = false
  const budget = new PageBudget(ask.limit)
  for (const { type, tree, startAfter } of treesFrom(roots, ask.type, after)) {
    for await (const leaf of leavesOf(tree, context.objects, startAfter)) {
      const found = await takeRecords(context, leaf, startAfter, (entries, start) => {
        const end = budget.takeFrom(entries, start)
        let bytes = 0
        for (let index = start; index < end; index++) bytes += entries.size(index)
        countAnswer(bytes)
        return end
      })
      for (const { hash, line } of found.records)
        records.push(recordJson(await canonicalOf(context.objects, line), hash))
      if (found.lastId !== undefined) last = { type, id: found.lastId }
      hasMore = !found.isRest
      if (hasMore) break
    }
    if (hasMore) break
  }
  const total = [...selectedTypes(roots, ask.type)].reduce((sum, [, { count }]) => sum + count, 0)
  const nextCursor = hasMore && last !== undefined ? writeCursor(last) : null
  return { records, pagination: { limit: ask.limit, hasMore, nextCursor, total } }
}

/** The records with one id: at most one a type. */
async function pageOfId(
  context: Context,
  roots: ViewRoots,
  { id, reader, ...ask }: RecordsAsk & { id: string; reader: string },
  after: RecordPosition | undefined,
): Promise<RecordsPage> {
  const records: JsonText[] = []
  let last: RecordPosition | undefined
  let [hasMore, total] = [false, 0]
  const budget = new PageBudget(ask.limit)
  for (const [type, tree] of selectedTypes(roots, ask.type)) {
    const record = await findRecord(context, tree, id, reader)
    if (record === undefined) continue
    total++
    if (after !== undefined && comparePositions({ type, id }, after) <= 0) continue
    hasMore ||= !budget.take(record.size)
    if (hasMore) continue
    countAnswer(record.size)
    records.push(recordJson(await canonicalOf(context.objects, record.line), record.hash))
    last = { type, id }
  }
  const nextCursor = hasMore && last !== undefined ? writeCursor(last) : null
  return { records, pagination: { limit: ask.limit, hasMore, nextCursor, total } }
}

/** The leaves with records after an id, in order. */
async function* leavesOf(tree: Tree, reader: ObjectReader, after: string | undefined): AsyncGenerator<Child> {
  for await (const leaves of nameLeaves(tree, reader, { after })) yield* leaves
}

async function* streamLines(
  context: Context,
  trees: readonly TreeFrom[],
  reader: string,
): AsyncGenerator<Uint8Array> {
  for (const { tree, startAfter } of trees)
    yield* streamRecords(context, tree, { after: startAfter, form: 'hash', reader, fleeting: true })
}

/** `{id, type, data, hash}` as JSON: the canonical form with the hash appended. */
const recordJson = (canonical: Uint8Array, hash: Hash): JsonText =>
  new JsonText(canonical.subarray(0, -1), `,"hash":"${hash}"}`)
