/**
 * Data that a private collection would open if it became public: parts that the public views of its older versions have and that
 * of the latest one lacks. Versions share trees and schemas, so the cost is about that of their differences.
 */
import { setTimeout } from 'node:timers/promises'
import {
  diffTrees,
  findEntry,
  formatSemver,
  type Hash,
  type PrivateName,
  parseJson,
  type Tree,
  type ViewRoots,
} from '@ulmus/content'
import {
  type CollectionRow,
  countWithdrawn,
  giveWay,
  listReadableVersions,
  ObjectCorruptError,
  type ReadableVersion,
} from '@ulmus/storage'
import { LRUCache } from 'lru-cache'
import type { Context } from '../context.ts'
import { storedHash } from './content.ts'
import { differenceReader } from './differences/changes.ts'
import { readSchemaObjects } from './schemas.ts'
import { readSidecar } from './sidecar.ts'

/** A part of older versions; the latest version keeps it private, or no longer has it. */
export interface OpenedPart {
  readonly type: string
  /** Column; absent: the type, or records of it. */
  readonly field?: string
  /** Number of records, which the latest version has privately or not at all. Absent: a type or a column. */
  readonly records?: number
  /** The first of their ids. */
  readonly ids?: readonly string[]
  /** Versions in whose public view it is, the newest first: the first 100. */
  readonly versions: readonly string[]
  /** Number of all of them. */
  readonly versionCount: number
}

export interface Opened {
  readonly parts: readonly OpenedPart[]
  /** Number of further parts. */
  readonly more: number
  /** Number of older versions that were not compared: beyond the bounds of this work, or damaged. */
  readonly notCompared: number
}

/** Versions compared, as in docs/limits.md. */
const versionsMax = 1_000
/** Differences between versions read in all. */
const changesMax = 20_000
const schemasMax = 500
const idsMax = 5
const partsMax = 100
const listedVersionsMax = 100
/** Collections whose answer this process remembers, for the pages of their members. */
const rememberedMax = 1_000

export type Openings = ReturnType<typeof openingsOf>

export function openingsOf(context: Context) {
  const answers = new LRUCache<string, Promise<Opened>>({ max: rememberedMax })
  return {
    /**
     * Answer for members; remembered until a version is made or withdrawn.
     * @param headId of the latest readable version; null if there is none
     * @param by owner in the fair queue for threads (`readerOf`)
     */
    async of({ id, headId }: Pick<CollectionRow, 'id' | 'headId'>, by: string): Promise<Opened> {
      if (headId === null) return nothing
      const key = `${headId} ${await countWithdrawn(context.database, id)}`
      const known = answers.get(key)
      if (known !== undefined) return known
      const answer = openedIn(context, id, by)
      answers.set(key, answer)
      answer.catch(() => answers.delete(key))
      return answer
    },

    /** Like `of`, for a page; undefined if the answer is not ready soon. A later page then has it. */
    async soon(collection: Pick<CollectionRow, 'id' | 'headId'>, by: string): Promise<Opened | undefined> {
      const answer = this.of(collection, by)
      answer.catch(() => {})
      return Promise.race([answer, setTimeout(soonMilliseconds, undefined, { ref: false })])
    },
  }
}

/** Wait of a page. */
const soonMilliseconds = 300

const nothing: Opened = { parts: [], more: 0, notCompared: 0 }

async function openedIn(context: Context, collectionId: string, by: string): Promise<Opened> {
  const { rows, total } = await listReadableVersions(context.database, collectionId, versionsMax + 1)
  const [head, ...older] = rows
  if (head === undefined || older.length === 0) return nothing
  const walk = new OpenedWalk(context, by, await readSidecar(context.objects, storedHash(head.sidecar)))
  let compared = 0
  try {
    for (const version of older) {
      const { roots } = await readSidecar(context.objects, storedHash(version.sidecar))
      if (!(await walk.add(version, roots.public))) break
      compared++
    }
  } catch (error) {
    // A damaged version must neither stop the pages of its collection nor pass as compared.
    if (!(error instanceof ObjectCorruptError)) throw error
  }
  return { ...walk.parts(), notCompared: total - 1 - compared }
}

/** Records of one type, on the way from the newest version to the oldest. */
interface RecordsOfType {
  /** Tree of the last version that had the type. */
  tree: Tree
  /** Ids in `tree` that the latest version lacks. */
  readonly open: Set<string>
  /** All that ever were in `open`. */
  readonly all: Set<string>
  readonly versions: string[]
}

class OpenedWalk {
  readonly #context: Context
  readonly #by: string
  readonly #head: ViewRoots
  readonly #private: readonly PrivateName[]
  readonly #types = new Map<string, string[]>()
  readonly #fields = new Map<string, { type: string; field: string; versions: string[] }>()
  readonly #records = new Map<string, RecordsOfType>()
  readonly #schemas = new Map<Hash, readonly string[]>()
  #changes = 0

  constructor(
    context: Context,
    by: string,
    sidecar: { roots: { public: ViewRoots }; formerlyPrivate: readonly PrivateName[] },
  ) {
    this.#context = context
    this.#by = by
    this.#head = sidecar.roots.public
    this.#private = sidecar.formerlyPrivate
  }

  /** Adds the next older version. False: the bounds of this work are reached, and it is not compared. */
  async add(version: ReadableVersion, roots: ViewRoots): Promise<boolean> {
    const semver = formatSemver(version)
    for (const [type, entry] of Object.entries(roots.types)) {
      const now = Object.hasOwn(this.#head.types, type) ? this.#head.types[type]! : undefined
      if (entry.schema !== now?.schema && !(await this.#addFields(type, entry.schema, now?.schema, semver)))
        return false
      if (now === undefined) versionsIn(this.#types, type).push(semver)
      else if (!(await this.#addRecords(type, { now, entry }, semver))) return false
    }
    return true
  }

  /** Columns that the type has no more. Of a type that is gone, those that were private before. */
  async #addFields(type: string, schema: Hash, now: Hash | undefined, semver: string): Promise<boolean> {
    const [before, after] = [await this.#fieldsOf(schema), now === undefined ? [] : await this.#fieldsOf(now)]
    if (before === undefined || after === undefined) return false
    const left = new Set(after)
    const wasPrivate = (field: string) =>
      this.#private.some((name) => name.type === type && name.field === field)
    for (const field of before)
      if (!left.has(field) && (now !== undefined || wasPrivate(field))) {
        const key = JSON.stringify([type, field])
        const known = this.#fields.get(key) ?? { type, field, versions: [] }
        known.versions.push(semver)
        this.#fields.set(key, known)
      }
    return true
  }

  /** Undefined: too many schemas were read. */
  async #fieldsOf(schema: Hash): Promise<readonly string[] | undefined> {
    const known = this.#schemas.get(schema)
    if (known !== undefined) return known
    if (this.#schemas.size === schemasMax) return undefined
    const types = { '': { schema, root: null, count: 0, bytes: 0 } }
    const fields: string[] = []
    for await (const { bytes } of readSchemaObjects(this.#context.objects, { ...this.#head, types })) {
      const { properties = {} } = parseJson(new TextDecoder().decode(bytes)) as { properties?: object }
      fields.push(...Object.keys(properties))
    }
    this.#schemas.set(schema, fields)
    return fields
  }

  async #addRecords(
    type: string,
    { now, entry }: { now: Tree; entry: Tree },
    semver: string,
  ): Promise<boolean> {
    const known = this.#records.get(type) ?? { tree: now, open: new Set(), all: new Set(), versions: [] }
    this.#records.set(type, known)
    const nodes = { node: (hash: Hash) => this.#context.objects.node(hash) }
    const reader = differenceReader(this.#context, this.#by)
    const [appeared, left]: [string[], string[]] = [[], []]
    for await (const change of diffTrees(known.tree, entry, reader)) {
      if (++this.#changes > changesMax) return false
      if (this.#changes % 256 === 0) await giveWay()
      if (change.before === undefined) {
        const isThere = (await findEntry(now, change.key, nodes)) !== undefined
        if (!isThere) appeared.push(change.key)
      } else if (change.after === undefined) left.push(change.key)
    }
    for (const id of left) known.open.delete(id)
    for (const id of appeared) {
      known.open.add(id)
      known.all.add(id)
    }
    known.tree = entry
    if (known.open.size > 0) known.versions.push(semver)
    return true
  }

  parts(): { parts: OpenedPart[]; more: number } {
    const types = [...this.#types].map(([type, versions]) => ({ type, ...listed(versions) }))
    const fields = [...this.#fields.values()].map(({ versions, ...one }) => ({ ...one, ...listed(versions) }))
    const records = [...this.#records]
      .filter(([, { all }]) => all.size > 0)
      .map(([type, { all, versions }]) => ({
        ...{ type, records: all.size, ids: [...all].sort().slice(0, idsMax) },
        ...listed(versions),
      }))
    const parts = [...types, ...fields, ...records]
    return { parts: parts.slice(0, partsMax), more: Math.max(0, parts.length - partsMax) }
  }
}

const listed = (versions: readonly string[]) => ({
  versions: versions.slice(0, listedVersionsMax),
  versionCount: versions.length,
})

function versionsIn(map: Map<string, string[]>, type: string): string[] {
  const known = map.get(type) ?? []
  map.set(type, known)
  return known
}
