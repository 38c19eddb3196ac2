/**
 * Builds the tables of new versions before the first question. Each server has table files of its own, so each one does it, and the
 * heads of collections are the queue. docs/decisions/tables-ahead.md
 */
import { findColumns, type TypeEntry } from '@ulmus/content'
import { isStorageFull, type LandedHead, listLandedHeads } from '@ulmus/storage'
import { LRUCache } from 'lru-cache'
import { findVisibleCollection } from '../../access/find-collection.ts'
import type { Context } from '../../context.ts'
import { MovedError, RegistryError } from '../../errors/errors.ts'
import { anonymous } from '../../principal.ts'
import { schedule } from '../../schedule.ts'
import { Pace, type Rest } from '../../versions/strip/pace.ts'
import { seeVersion, type VisibleVersion } from '../../versions/versions.ts'
import { EngineError } from '../engine/engine.ts'
import { type InstalledTables, sourceOf } from '../find-table.ts'
import { deadlineOf } from '../patience.ts'
import { profiledMax, writeStatistics } from '../statistics.ts'
import type { AheadWork } from './ahead-builds.ts'

/** Larger types are built at the first question. */
const recordsMax = 5_000_000
/** Types of a version that are built ahead, the first ones. */
const typesMax = 20
/** A server that starts builds what landed in this time. Milliseconds. */
const lookBack = 86_400_000
/** The clocks of servers may differ by so much, and a transaction may take so long. Milliseconds. */
const overlap = 60_000
/** Collections that wait, and versions to remember. */
const waitingMax = 1_000
const rememberedMax = 10_000
/** A build of its process, which has the lowest priority, takes a part of a second for 8 MiB. */
const restUsual: Rest = { times: 3, least: 500 }
/** Seconds between two looks whether a version is still the latest. */
const lookSeconds = 10

/** Reason to end a build: another version is the latest, the collection is no longer public, or the server stops. */
class AheadEndedError extends Error {}

export interface AheadOptions {
  /** Default: `recordsMax`. */
  readonly most?: number
  /** Default: `restUsual`. */
  readonly rest?: Rest
}

/** @returns ends a running build */
export function buildLandedTables(
  context: Context,
  installed: InstalledTables | string,
  { most = recordsMax, rest = restUsual }: AheadOptions = {},
): { close(): void } {
  const closing = new AbortController()
  if (typeof installed !== 'string') {
    const { awaited } = installed.files
    const heads = new LandedHeads(context, awaited)
    context.jobs.repeat(schedule.tablesAhead, async () => {
      for (;;) {
        const head = closing.signal.aborted ? undefined : await heads.next()
        if (head === undefined) return
        const ahead = { head, most, rest, stop: closing.signal }
        await buildHead(context, installed, ahead)
          .catch(ignoreRefused)
          .finally(() => awaited.delete(head.versionId))
      }
    })
  }
  return { close: () => closing.abort(new AheadEndedError('The server stops.')) }
}

/** The table is built at a question then, or is not needed. */
function ignoreRefused(error: unknown): void {
  const isRefused = [RegistryError, MovedError, EngineError, AheadEndedError].some(
    (kind) => error instanceof kind,
  )
  if (!isRefused && !isStorageFull(error)) throw error
}

/** Latest versions of public collections, each once, the newest first. */
class LandedHeads {
  readonly #context: Context
  readonly #awaited: Set<string>
  #since: number
  /** By id of the collection, the newest last: a version that is superseded before its turn is replaced. */
  readonly #waiting = new Map<string, LandedHead>()
  /** Ids of versions that had their turn. */
  readonly #done = new LRUCache<string, true>({ max: rememberedMax })

  /** @param awaited gets the ids of the versions that wait */
  constructor(context: Context, awaited: Set<string>) {
    this.#context = context
    this.#awaited = awaited
    this.#since = context.now().getTime() - lookBack
  }

  async next(): Promise<LandedHead | undefined> {
    const landed = await listLandedHeads(this.#context.database, {
      since: new Date(this.#since),
      limit: waitingMax,
    })
    for (const head of landed.toReversed()) {
      this.#since = Math.max(this.#since, head.updatedAt.getTime() - overlap)
      this.#waiting.delete(head.collectionId)
      if (!this.#done.has(head.versionId)) this.#waiting.set(head.collectionId, head)
    }
    const waiting = [...this.#waiting.values()]
    for (const { collectionId } of waiting.slice(0, -waitingMax)) this.#waiting.delete(collectionId)
    this.#awaited.clear()
    for (const { versionId } of this.#waiting.values()) this.#awaited.add(versionId)
    const next = waiting.at(-1)
    if (next === undefined) return undefined
    this.#waiting.delete(next.collectionId)
    this.#done.set(next.versionId, true)
    return next
  }
}

interface HeadBuild {
  readonly head: LandedHead
  readonly most: number
  readonly rest: Rest
  readonly stop: AbortSignal
}

/** @throws RegistryError if outsiders may not read it any more */
async function buildHead(
  context: Context,
  installed: InstalledTables,
  { head, most, rest, stop }: HeadBuild,
): Promise<void> {
  const path = { owner: head.owner, slug: head.slug }
  const demandLatest = async () => {
    const seen = await findVisibleCollection(context, anonymous, path)
    if (seen.head?.id !== head.versionId) throw new AheadEndedError('It is not the latest version any more.')
  }
  await demandLatest()
  const found = await seeVersion(context, anonymous, { ...path, v: 'latest' })
  const pace = new Pace(rest, stop, demandLatest, lookSeconds)
  const types = Object.entries(found.roots.types).filter(([, { count }]) => count > 0 && count <= most)
  for (const [type, entry] of types.slice(0, typesMax)) {
    await buildType(context, installed, { found, type, entry, pace, stop })
    await pace.end()
  }
}

export interface TypeBuild {
  readonly found: VisibleVersion
  readonly type: string
  readonly entry: TypeEntry
  readonly pace: Pace
  readonly stop: AbortSignal
}

/** Builds the table of a type with its statistics, unless there is one or no room. @throws EngineError, StorageFullError, what ends the pace */
export async function buildType(
  context: Context,
  { engine, files }: InstalledTables,
  { found, type, entry, pace, stop }: TypeBuild,
): Promise<void> {
  const source = await sourceOf(context, found, type, entry)
  const { columns, tree } = source
  const describe: AheadWork['describe'] = async (file, misfits) => {
    if (findColumns(columns).length > profiledMax) return undefined
    const statistics = writeStatistics(columns, misfits, async (statements) => {
      await pace.between()
      const limits = { milliseconds: deadlineOf('statistics', tree), scratch: await files.scratch() }
      return engine.askAhead(file, statements, limits)
    })
    // The table answers without them.
    return statistics.catch((error: unknown) => {
      if (error instanceof EngineError) return undefined
      throw error
    })
  }
  await files.buildAhead(source, { signal: stop, rest: () => pace.between(), describe })
}
