/**
 * Table files of a server: a cache on its disk, in no digest and no backup. A file belongs to a record tree, a schema and a scope
 * (`TableKey`), so that versions, forks and views with all three share it. Files count for the owner of the collection, and the least
 * recently used ones of the owner that has too many are evicted. docs/decisions/tables.md
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DiskSpace, isStorageFull } from '@ulmus/storage'
import { Turns } from '../work/turns.ts'
import { AheadBuilds, type AheadWork } from './ahead/ahead-builds.ts'
import { TableFailedError, wouldFailAgain } from './build-table.ts'
import type { Engine } from './engine/engine.ts'
import { TableFailures } from './folder/failures.ts'
import { countedIn, readJson, tablesBeyond, unreadIn } from './folder/owned-files.ts'
import { storeTable } from './folder/store-table.ts'
import { type AreStored, removeTable, sweepTables } from './folder/sweep-tables.ts'
import { scratchName, type TablesUsage, usageOf } from './folder/usage.ts'
import { sha256Of } from './sha256.ts'
import type { Progress, TableFacts, TableKey, TableSource } from './table-source.ts'

/** Number of the mapping from schemas to columns (`tableColumns`) and of their stored form: raise it when either changes. */
const mapping = 't5'
/** Tables of so many records are built in a second or two, so that any visit of a page may begin it. */
export const smallTable = 50_000
/** Tables of more bytes of records take longer. */
const smallTableBytes = 64 * 1024 ** 2
/** Tables that are built at the same time: one of them is small, one is for callers that recently built little. */
const buildsMax = 3
/** Callers that recently built for longer are slowed; a build of this age ends if another caller waits for a first one. Milliseconds. */
const buildTiming = { slowedAfter: 30_000, cutAfter: 60_000 }

export interface TableFile extends TableFacts {
  readonly path: string
}

/** Size and SHA-256 in hex of a file that was made from a table. */
export interface MadeFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

export interface Build {
  readonly progress: Progress
  readonly done: Promise<TableFile>
}

export class TableFiles {
  readonly #folder: string
  readonly #engine: Engine
  /** Bytes of all files together. */
  readonly bytesMax: number
  readonly #space: DiskSpace
  readonly #turns = new Turns({ places: buildsMax, keepsOne: true, timing: buildTiming })
  /** By path of the table file. */
  readonly #builds = new Map<string, Build>()
  readonly failures = new TableFailures()
  /** Ids of versions whose tables are built ahead, or wait for it. */
  readonly awaited = new Set<string>()
  readonly #ahead: AheadBuilds
  /** Files and answers that are being made from tables, by their path. */
  readonly #making = new Map<string, Promise<unknown>>()

  constructor(options: { folder: string; engine: Engine; space: DiskSpace; bytesMax: number }) {
    this.#folder = options.folder
    this.#engine = options.engine
    this.bytesMax = options.bytesMax
    this.#space = options.space
    this.#ahead = new AheadBuilds(options)
  }

  /**
   * The table file, or its build, which is started if there is none.
   * @param reader takes turns with others for builds
   * @throws TableFailedError if it could not be built a while ago
   */
  async find(source: TableSource, reader: string): Promise<TableFile | Build> {
    const path = this.#pathOf(source)
    const running = this.#runningBuild(path, reader)
    if (running !== undefined) return running
    const file = await this.#stored(path)
    if (file !== undefined) return file
    const failure = this.failures.of(path)
    if (failure !== undefined) throw failure
    // Another caller may have begun meanwhile.
    const begun = this.#runningBuild(path, reader)
    if (begun !== undefined) return begun
    // The caller does not wait for work that rests.
    this.#ahead.overtake(path)
    const progress = { rowsDone: 0, rows: source.tree.count }
    const isLong = source.tree.count > smallTable || source.tree.bytes > smallTableBytes
    const work = ({ signal }: { signal: AbortSignal }) => this.#build(path, source, { progress, signal })
    const done = this.#turns
      .run(reader, work, undefined, { isLong, key: path })
      .catch((error: unknown) => {
        if (!wouldFailAgain(error)) throw error
        const failed = new TableFailedError(error)
        this.failures.note(path, source, failed)
        throw failed
      })
      .finally(() => this.#builds.delete(path))
    done.catch(() => undefined)
    const build = { progress, done }
    this.#builds.set(path, build)
    return build
  }

  /**
   * Builds a table that no caller waits for, with its statistics, unless there is one or no room for it.
   * @throws EngineError, StorageFullError, the reason of the signal
   */
  async buildAhead(source: TableSource, work: AheadWork): Promise<void> {
    const path = this.#pathOf(source)
    const { room } = unreadIn(this.bytesMax, await countedIn(this.#folder))
    if (this.#builds.has(path) || (await this.isBuilt(source))) return
    const built = await this.#ahead.build(source, {
      path,
      room,
      ...work,
      isBusy: () => this.#builds.size > 0,
    })
    if (built === undefined) return
    await this.remember({ path, ...built.facts }, 'statistics', async () => built.statistics)
    await this.evict()
  }

  #runningBuild(path: string, reader: string): Build | undefined {
    const running = this.#builds.get(path)
    if (running !== undefined) this.#turns.adopt(path, reader)
    return running
  }

  /** True if the table was built. */
  async isBuilt(key: TableKey): Promise<boolean> {
    const facts = await stat(this.#pathOf(key)).catch(() => undefined)
    return facts !== undefined
  }

  /** True while the table is built. */
  isBuilding(key: TableKey): boolean {
    const path = this.#pathOf(key)
    return this.#builds.has(path) || this.#ahead.has(path)
  }

  /** The Parquet file of a table, if it was made. */
  parquetOf(key: TableKey): Promise<MadeFile | undefined> {
    return madeFile(`${this.#pathOf(key)}.parquet`)
  }

  /**
   * Makes the Parquet file of a table once.
   * @param write writes it to the path that it gets, in a turn of the engine with the key that it gets
   */
  async makeParquet(
    { path, owner }: TableFile,
    reader: string,
    write: (path: string, key: string) => Promise<void>,
  ): Promise<MadeFile> {
    const made = `${path}.parquet`
    if (this.#making.has(made)) this.#engine.adopt(made, reader)
    return this.#once(made, async () => {
      const found = await madeFile(made)
      if (found !== undefined) return found
      const unfinished = `${made}.${randomUUID()}`
      try {
        await write(unfinished, made)
        const { size: bytes } = await stat(unfinished)
        const sha256 = await sha256Of(unfinished)
        await writeFile(`${made}.json`, JSON.stringify({ bytes, sha256 }), { mode: 0o600 })
        await rename(unfinished, made)
        await this.evict({ owner, path })
        return { path: made, bytes, sha256 }
      } finally {
        await rm(unfinished, { force: true })
      }
    })
  }

  /**
   * Bytes of an answer about a table that never changes: computed once and stored beside it.
   * @param name letters, then digits. @param compute undefined: the answer is not stored
   */
  async remember<Answer extends Uint8Array | undefined>(
    { path }: TableFile,
    name: string,
    compute: () => Promise<Answer>,
  ): Promise<Uint8Array | Answer> {
    // The sweep would take other names for unfinished files, and keep them when their table goes.
    if (!/^[a-z]+\d*$/.test(name)) throw new Error(`${name} is no name of an answer.`)
    const place = `${path}.${name}.json`
    return this.#once(place, async () => {
      const found = await readBytes(place)
      if (found !== undefined) return found
      const answer = await compute()
      if (answer === undefined) return answer
      const unfinished = `${place}.${randomUUID()}`
      try {
        await writeFile(unfinished, answer, { mode: 0o600 })
        await rename(unfinished, place)
      } catch (error) {
        await rm(unfinished, { force: true })
        // On a full disk the answer is computed again next time.
        if (!isStorageFull(error)) throw error
      }
      return answer
    })
  }

  /** An answer that was computed before. */
  async remembered(source: TableKey, name: string): Promise<Uint8Array | undefined> {
    if (!(await this.isBuilt(source))) return undefined
    return readBytes(`${this.#pathOf(source)}.${name}.json`)
  }

  /** A new path for a file that its caller deletes. */
  async scratch(): Promise<string> {
    const folder = join(this.#folder, scratchName)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return join(folder, randomUUID())
  }

  /** Deletes a table file that cannot be read, so that the next question rebuilds it. */
  async discard({ path }: TableFile): Promise<void> {
    await removeTable(path)
  }

  /** True if a table file still has the bytes that were built. */
  async isIntact({ path, sha256 }: TableFile): Promise<boolean> {
    return (await sha256Of(path).catch(() => undefined)) === sha256
  }

  /** Deletes tables of trees that are no longer stored, files of killed processes, and tables beyond the limit. */
  async sweep(areStored: AreStored, abandonedMilliseconds?: number): Promise<void> {
    // An open file has its data until it is closed.
    if ((await sweepTables(this.#folder, areStored, abandonedMilliseconds)) > 0) this.#engine.endIdle()
    await this.evict()
  }

  /** Deletes tables beyond the limit. @param newest table that is about to be read */
  async evict(newest?: { readonly owner: string; readonly path: string }): Promise<void> {
    const all = await countedIn(this.#folder)
    for (const path of await tablesBeyond(this.bytesMax, all, newest)) await removeTable(path)
  }

  usage(): Promise<TablesUsage> {
    return usageOf(this.#folder)
  }

  async #once<T>(place: string, make: () => Promise<T>): Promise<T> {
    const running = this.#making.get(place) as Promise<T> | undefined
    if (running !== undefined) return running
    const made = make().finally(() => this.#making.delete(place))
    this.#making.set(place, made)
    return made
  }

  #pathOf({ tree, schemaHash, scope }: TableKey): string {
    const key = `${mapping}-${tree.root}-${schemaHash}`
    return join(this.#folder, scope, key.slice(3, 5), `${key}.duckdb`)
  }

  async #stored(path: string): Promise<TableFile | undefined> {
    const facts = await readJson<TableFacts>(`${path}.json`)
    if (facts === undefined) return undefined
    try {
      const now = new Date()
      await utimes(path, now, now)
      return { path, ...facts }
    } catch {
      return undefined
    }
  }

  async #build(
    path: string,
    source: TableSource,
    { progress, signal }: { progress: Progress; signal: AbortSignal },
  ): Promise<TableFile> {
    progress.rowsDone = 0
    await this.#space.demand(source.tree.bytes)
    const facts = await storeTable(source, { path, writer: this.#engine.writer, progress, signal })
    await this.evict({ owner: source.owner, path })
    return { path, ...facts }
  }
}

async function madeFile(path: string): Promise<MadeFile | undefined> {
  const facts = await readJson<Omit<MadeFile, 'path'>>(`${path}.json`)
  const stored = facts && (await stat(path).catch(() => undefined))
  return stored && { path, ...facts! }
}

const readBytes = (path: string): Promise<Uint8Array | undefined> => readFile(path).catch(() => undefined)
