/**
 * Sweeps in a loop beside pushes, snapshots, metadata updates, forks and deletions of similar content, so that commits constantly
 * rely on objects that a sweep is about to remove. Every version stays complete, during the sweeps and after.
 * `ULMUS_TEST_SWEEP_SECONDS` sets the duration; at 60, leftovers of unfinished commits are also old enough to be swept.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { hashText, type Json } from '@ulmus/content'
import { type Database, openDatabase, openDiskStore, openObjectReader } from '@ulmus/storage'
import { databases, type TestDatabase } from '@ulmus/storage/testing'
import { describe, expect, test } from 'vitest'
import { recordsOf } from '../records/records.ts'
import { contextOn } from '../testing/context.ts'
import { shown } from '../testing/shown.ts'
import { textOf } from '../testing/text-of.ts'
import { expectHolds, type Model, modelSchemas } from '../testing/whole-version.ts'
import { inhabit, type Path, settle, type World } from '../testing/world.ts'
import { versionsOf } from '../versions/versions.ts'
import { compact } from './compaction.ts'
import { fsck } from './fsck.ts'
import { sweep } from './sweep.ts'

const seconds = Number(process.env['ULMUS_TEST_SWEEP_SECONDS'] ?? 6)
/** Additional time on a busy machine until sweeps have removed enough for a meaningful test. */
const patienceSeconds = 60
/** Grace period of the sweeps. Longer than the marking phase of a sweep, as the protocol requires. */
const graceSeconds = 2
/** Longer than the time between a commit's pack and its transaction on a busy machine. */
const leftoverSeconds = 15
const variants = 4
const writersEach = 3
/** Collections that each writer keeps. */
const keptEach = 2
/**
 * Writers reuse the content of a season after all others have passed. By then most of it is dead and old enough to be swept, so
 * sweeps and writers compete for it.
 */
const seasons = 3
const collectionsASeason = 8
const datasetsASeason = 3

/** Records of a dataset: small ones fit in one leaf, large ones need several. */
const sizeOf = (dataset: number) => (dataset % 3 === 0 ? 1_600 : 150)
const idOf = (n: number) => `id-${String(n).padStart(5, '0')}`

/** Records of a dataset. Each variant but the first changes a few. */
function recordsOfDataset(dataset: number, variant: number): Map<string, Json> {
  const records = new Map<string, Json>()
  for (let n = 0; n < sizeOf(dataset); n++) {
    const text = `${hashText(`${dataset} ${n}`)}${n === 11 ? 'long '.repeat(5_000) : ''}`
    records.set(idOf(n), { n: 0, text })
  }
  if (variant > 0) {
    for (let n = variant; n < sizeOf(dataset); n += 40)
      records.set(idOf(n), { n: variant, text: `of ${dataset}` })
    records.delete(idOf(variant * 7))
  }
  return records
}

const linesOf = (records: ReadonlyMap<string, Json>) =>
  [...records].map(([id, data]) => ({ id, type: 'A', data }))

let collections = 0

/** A random dataset of the current season. */
function anyDataset(): number {
  const season = Math.floor(collections / collectionsASeason) % seasons
  return season * datasetsASeason + below(datasetsASeason)
}

const below = (max: number) => Math.floor(Math.random() * max)

/** A collection with one writer, which knows the expected content of each version. */
class Kept {
  readonly world: World
  readonly path: Path
  readonly versions = new Map<string, Model>()
  head: { semver: string | null; model: Model }

  constructor(world: World, path: Path, from?: Model) {
    this.world = world
    this.path = path
    this.head = { semver: null, model: { records: new Map(), metadata: {} } }
    if (from !== undefined) this.#made('v1.0.0', from)
  }

  #made(semver: string, model: Model): void {
    this.head = { semver, model }
    this.versions.set(semver, model)
  }

  /** Pushes these records as a snapshot or as a delta. */
  async becomes(records: ReadonlyMap<string, Json>): Promise<void> {
    const { semver: base, model } = this.head
    const had = (id: string, data: Json) => JSON.stringify(model.records.get(id)) === JSON.stringify(data)
    const puts = linesOf(records).filter(({ id, data }) => !had(id, data))
    const gone = [...model.records.keys()].filter((id) => !records.has(id))
    if (puts.length + gone.length === 0) return
    const deletes = gone.map((id) => ({ id, type: 'A' }))
    const { world, path } = this
    const semver =
      below(2) === 0
        ? await world.snapshot(path, { base, schemas: modelSchemas, puts: linesOf(records) })
        : await world.push(path, { base, ...(base === null ? { schemas: modelSchemas } : {}), puts, deletes })
    this.#made(semver, { ...model, records })
  }

  async describe(round: number): Promise<void> {
    const metadata = { ...this.head.model.metadata, round }
    const { semver } = await this.world.patch(this.path, { round })
    if (!this.versions.has(semver)) this.#made(semver, { ...this.head.model, metadata })
  }

  async fork(): Promise<Kept> {
    return new Kept(this.world, await this.world.fork(this.path), this.head.model)
  }

  /** Reads a version with an empty cache. */
  async check(semver: string): Promise<void> {
    const { context, me } = this.world
    const { database, blobs } = context
    const cold = { ...context, objects: openObjectReader({ database, blobs, cacheBytesMax: 0 }) }
    const at = { ...this.path, v: semver }
    const { hash, recordCount, metadata } = shown(await versionsOf(cold).detail(me, at))
    const { lines } = await recordsOf(cold).stream(me, at, {})
    const read = { lines: await textOf(lines), hash, recordCount, metadata }
    await expectHolds(this.versions.get(semver)!, read)
  }

  async checkAll(): Promise<void> {
    for (const semver of this.versions.keys()) await this.check(semver)
  }
}

/** Creates, changes, forks, reads and deletes collections until time is up. Returns those left. */
async function write(world: World, isOver: () => boolean): Promise<Kept[]> {
  const standing: Kept[] = []
  while (!isOver()) {
    collections++
    const own = new Kept(world, await world.collection())
    const dataset = anyDataset()
    await own.becomes(recordsOfDataset(dataset, below(variants)))
    const family = [own]
    for (let step = below(5); step > 0; step--) {
      const one = family[below(family.length)]!
      const what = below(5)
      if (what === 0) await one.describe(below(3))
      else if (what === 1) family.push(await one.fork())
      else if (what === 2) await one.check([...one.versions.keys()][below(one.versions.size)]!)
      else await one.becomes(recordsOfDataset(what === 3 ? dataset : anyDataset(), below(variants)))
    }
    standing.push(...family)
    while (standing.length > keptEach) {
      const [gone] = standing.splice(below(standing.length), 1)
      if (below(4) === 0) await gone!.checkAll()
      await world.remove(gone!.path)
    }
  }
  return standing
}

interface Removed {
  objects: number
  blobs: number
}

async function sweepOn(world: World, isOver: () => boolean, sum: Removed): Promise<void> {
  const { context } = world
  const options = { graceSeconds, asideSeconds: 0, force: true }
  const now = () => new Date(Date.now() - (leftoverSeconds - graceSeconds) * 1_000)
  while (!isOver()) {
    const { objectsRemoved, removed } = await sweep({ ...context, now }, options)
    sum.objects += objectsRemoved
    sum.blobs += removed.blobs
  }
}

/** Compacts continuously, as all servers with background work do periodically. */
async function gatherOn(world: World, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await compact(world.context)
    await setTimeout(20)
  }
}

/** Servers on one database and one store: two on a PostgreSQL server, else one. */
async function openServers(database: TestDatabase, ending: AsyncDisposableStack): Promise<World[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-sweep-load-'))
  ending.defer(() => rmSync(folder, { recursive: true, force: true }))
  const { settings, dispose } = await database.settings()
  ending.defer(dispose)
  const worlds: World[] = []
  let people: Awaited<ReturnType<typeof settle>> | undefined
  for (const server of database.name === 'server' ? ['a', 'b'] : ['a']) {
    const opened: Database = await openDatabase(settings)
    ending.defer(() => opened.close())
    const blobs = await openDiskStore(folder)
    ending.defer(() => blobs.close())
    const context = contextOn({ database: opened, blobs })
    ending.defer(() => context.dispose())
    people ??= await settle(context)
    worlds.push(await inhabit(context, people, server))
  }
  return worlds
}

describe.each(databases)('sweeps in a loop beside everything that writes ($name)', (database) => {
  const limit = (seconds + 2 * patienceSeconds) * 1_000
  test(`for ${seconds} s: nothing that is needed goes, and what is not goes`, {
    timeout: limit,
  }, async () => {
    await using ending = new AsyncDisposableStack()
    const worlds = await openServers(database, ending)
    const began = Date.now()
    let failed = false
    const sum: Removed = { objects: 0, blobs: 0 }
    const isEnough = () => sum.objects >= 50 && sum.blobs >= 5
    const isOver = () => {
      const past = (Date.now() - began) / 1_000
      return failed || past > seconds + patienceSeconds || (past > seconds && isEnough())
    }
    const orEnd = async <T>(work: Promise<T>): Promise<T> =>
      work.catch((error: unknown) => {
        failed = true
        throw error
      })
    const sweeping = worlds.flatMap((world) => [
      orEnd(sweepOn(world, isOver, sum)),
      orEnd(gatherOn(world, isOver)),
    ])
    const writing = worlds.flatMap((world) =>
      Array.from({ length: writersEach }, () => orEnd(write(world, isOver))),
    )
    const [standing] = await Promise.all([Promise.all(writing), Promise.all(sweeping)])

    const damages: unknown[] = []
    await fsck(worlds[0]!.context, { onDamage: (damage) => damages.push(damage) })
    expect(damages).toEqual([])
    for (const one of standing.flat()) await one.checkAll()
    expect(worlds.flatMap(({ log }) => log.errors)).toEqual([])
    expect(isEnough(), JSON.stringify(sum)).toBe(true)
  })
})
