/** The difference of two versions with the data on both sides (http-api §7). Stored canonical forms are passed on as text. */
import {
  canonicalize,
  documentDigest,
  emptyTree,
  type Hash,
  type Located,
  type ViewDocument,
} from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import { canonicalOf, linesOf } from './bodies.ts'
import { fileDifferences, type RecordDifference, recordDifferences } from './changes.ts'
import type { Context } from './context.ts'
import { PageRoom, type Place, readCursor, writeCursor } from './places.ts'
import type { Principal } from './principal.ts'
import { seeCollection } from './seen.ts'
import { semverOf } from './version-making.ts'
import { type VersionPath, versionIn } from './versions.ts'

export interface DiffAsk {
  /** The version that the differences are from: `latest`, a semver or a digest. */
  from: string
  /** `nextCursor` of a page, or base64url of JCS([type, id]). */
  cursor?: string
  /** 1 – 2,000, of added, updated and removed together. A page of large records holds fewer (`pageBytesMax`). */
  limit: number
}

export interface DiffPage {
  /** Semvers. */
  from: string
  to: string
  /** JSON texts of `{id, type, hash, data}`. */
  added: string[]
  /** JSON texts of `{id, type, hash, data, previousHash, previousData}`. */
  updated: string[]
  removed: { id: string; type: string; hash: Hash }[]
  pagination: { limit: number; hasMore: boolean; nextCursor: string | null }
  /** Of the whole difference. The files are told on the first page only, the one without a cursor. */
  meta: {
    schemasChanged: boolean
    metadataChanged: boolean
    filesAdded?: string[]
    filesRemoved?: string[]
  }
}

export type Diffs = ReturnType<typeof diffsOf>

export function diffsOf(context: Context) {
  const { objects } = context

  return {
    /**
     * A page of what leads from one version to another; either may be the newer. Both are read in the caller's view.
     * @throws collection_not_found, version_not_found, invalid_request for a malformed cursor.
     */
    async page(who: Principal, path: VersionPath, ask: DiffAsk): Promise<DiffPage> {
      const seen = await seeCollection(context, who, path)
      const to = await versionIn(context, seen, path.v)
      const from = await versionIn(context, seen, ask.from)
      const beyond = ask.cursor === undefined ? undefined : readCursor(ask.cursor, 'cursor')
      const { nextCursor, ...differences } = await readPage(from.document, to.document, beyond, ask.limit)
      return {
        from: semverOf(from.version),
        to: semverOf(to.version),
        ...differences,
        pagination: { limit: ask.limit, hasMore: nextCursor !== null, nextCursor },
        meta: await metaOf(from.document, to.document, beyond === undefined),
      }
    },
  }

  async function readPage(from: ViewDocument, to: ViewDocument, beyond: Place | undefined, limit: number) {
    const page = { added: [] as string[], updated: [] as string[], removed: [] as DiffPage['removed'] }
    const old = new FormReader(objects)
    const next = new FormReader(objects)
    const room = new PageRoom(limit)
    let last: Place | undefined
    for await (const difference of recordDifferences(objects, from, to, beyond)) {
      const { type, key: id, before, after } = difference
      if (!room.take(dataBytes(difference))) return { ...page, nextCursor: writeCursor(last!) }
      if (after === undefined) page.removed.push({ id, type, hash: before!.hash })
      else if (before === undefined) page.added.push(addedJson(await next.read(after), after.hash))
      else page.updated.push(updatedJson(difference, await next.read(after), await old.read(before)))
      last = { type, id }
    }
    return { ...page, nextCursor: null }
  }

  async function metaOf(from: ViewDocument, to: ViewDocument, isFirst: boolean): Promise<DiffPage['meta']> {
    const files = isFirst ? await fileDifferences(objects, from, to) : undefined
    return {
      schemasChanged: schemasOf(from) !== schemasOf(to),
      metadataChanged: canonicalize(from.metadata) !== canonicalize(to.metadata),
      ...(files && { filesAdded: files.added, filesRemoved: files.removed }),
    }
  }
}

/** Names the types of a view and their schemas, and nothing else of it. */
const schemasOf = ({ types }: ViewDocument): Hash =>
  documentDigest({
    files: emptyTree,
    metadata: {},
    types: Object.fromEntries(
      Object.entries(types).map(([type, { schema }]) => [type, { schema, ...emptyTree }]),
    ),
  })

/** What a difference puts into a page. What was removed comes without its data. */
const dataBytes = ({ before, after }: RecordDifference): number =>
  after === undefined ? 0 : after.size + (before?.size ?? 0)

const addedJson = (form: string, hash: Hash): string => `${form.slice(0, -1)},"hash":"${hash}"}`

function updatedJson({ key, type, before, after }: RecordDifference, form: string, previous: string): string {
  // Both forms begin alike: `{"id":…,"type":…,"data":`.
  const dataStart = `{"id":${JSON.stringify(key)},"type":${JSON.stringify(type)},"data":`.length
  const rest = `"previousHash":"${before!.hash}","previousData":${previous.slice(dataStart, -1)}}`
  return `${form.slice(0, -1)},"hash":"${after!.hash}",${rest}`
}

/** Reads canonical forms in tree order: the lines of a leaf are told apart once. */
class FormReader {
  readonly #objects: ObjectReader
  #leaf: { hash: Hash; lines: Uint8Array[] } | undefined

  constructor(objects: ObjectReader) {
    this.#objects = objects
  }

  async read({ leaf, index }: Located): Promise<string> {
    if (this.#leaf?.hash !== leaf) {
      this.#leaf = { hash: leaf, lines: linesOf(await this.#objects.body(leaf)) }
    }
    return decoder.decode(await canonicalOf(this.#objects, this.#leaf.lines[index]!))
  }
}

const decoder = new TextDecoder()
