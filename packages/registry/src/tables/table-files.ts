/**
 * Table files of a server: a cache on its disk, in no digest and no backup. A file belongs to a record tree and a schema, so that all
 * versions, forks and views with both share it. The least recently used files are evicted. docs/decisions/tables.md
 */
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Hash, parseJson } from '@ulmus/content'
import { type DiskSpace, isStorageFull } from '@ulmus/storage'
import { Turns } from '../work/turns.ts'
import { buildTable } from './build-table.ts'
import type { Engine } from './engine/engine.ts'
import { partEndings } from './line-parts.ts'
import { sha256Of } from './sha256.ts'
import type { Progress, TableFacts, TableSource } from './table-source.ts'

/** Number of the mapping from schemas to columns (`tableColumns`) and of their stored form: raise it when either changes. */
const mapping = 't2'
/** Tables that are built at the same time. */
const buildsMax = 2
/** Unfinished files of this age belong to a process that was killed. Milliseconds. */
const abandonedMilliseconds = 3_600_000

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
  readonly #turns = new Turns({ places: buildsMax })
  /** By path of the table file. */
  readonly #builds = new Map<string, Build>()
  /** Files and answers that are being made from tables, by their path. */
  readonly #making = new Map<string, Promise<unknown>>()

  constructor(options: { folder: string; engine: Engine; space: DiskSpace; bytesMax: number }) {
    this.#folder = options.folder
    this.#engine = options.engine
    this.bytesMax = options.bytesMax
    this.#space = options.space
  }

  /**
   * The table file, or its build, which is started if there is none.
   * @param owner takes turns with others for builds
   */
  async find(source: TableSource, owner: string): Promise<TableFile | Build> {
    const path = this.#pathOf(source)
    const running = this.#builds.get(path)
    if (running !== undefined) return running
    const file = await this.#stored(path)
    if (file !== undefined) return file
    // Another caller may have begun meanwhile.
    const begun = this.#builds.get(path)
    if (begun !== undefined) return begun
    const progress = { rowsDone: 0, rows: source.tree.count }
    const done = this.#turns
      .run(owner, () => this.#build(path, source, progress))
      .finally(() => this.#builds.delete(path))
    done.catch(() => undefined)
    const build = { progress, done }
    this.#builds.set(path, build)
    return build
  }

  /** True if the table was built. */
  async isBuilt(source: Pick<TableSource, 'tree' | 'schemaHash'>): Promise<boolean> {
    const facts = await stat(this.#pathOf(source)).catch(() => undefined)
    return facts !== undefined
  }

  /** The Parquet file of a table, if it was made. */
  parquetOf(source: Pick<TableSource, 'tree' | 'schemaHash'>): Promise<MadeFile | undefined> {
    return madeFile(`${this.#pathOf(source)}.parquet`)
  }

  /** Makes the Parquet file of a table once. @param write writes it to the path that it gets */
  async makeParquet({ path }: TableFile, write: (path: string) => Promise<void>): Promise<MadeFile> {
    const made = `${path}.parquet`
    return this.#once(made, async () => {
      const found = await madeFile(made)
      if (found !== undefined) return found
      const unfinished = `${made}.${randomUUID()}`
      try {
        await write(unfinished)
        const { size: bytes } = await stat(unfinished)
        const sha256 = await sha256Of(unfinished)
        await writeFile(`${made}.json`, JSON.stringify({ bytes, sha256 }), { mode: 0o600 })
        await rename(unfinished, made)
        await this.evict()
        return { path: made, bytes, sha256 }
      } finally {
        await rm(unfinished, { force: true })
      }
    })
  }

  /** Bytes of an answer about a table that never changes: computed once and stored beside it. */
  async remember({ path }: TableFile, name: string, compute: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const place = `${path}.${name}.json`
    return this.#once(place, async () => {
      const found = await readBytes(place)
      if (found !== undefined) return found
      const answer = await compute()
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
  async remembered(
    source: Pick<TableSource, 'tree' | 'schemaHash'>,
    name: string,
  ): Promise<Uint8Array | undefined> {
    if (!(await this.isBuilt(source))) return undefined
    return readBytes(`${this.#pathOf(source)}.${name}.json`)
  }

  /** A new path for a file that its caller deletes. */
  async scratch(): Promise<string> {
    const folder = join(this.#folder, 'scratch')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return join(folder, randomUUID())
  }

  /** Deletes a table file that cannot be read, so that the next question builds it anew. */
  async discard({ path }: TableFile): Promise<void> {
    await this.#remove(path)
  }

  /** True if a table file still has the bytes that were built. */
  async isIntact({ path, sha256 }: TableFile): Promise<boolean> {
    return (await sha256Of(path).catch(() => undefined)) === sha256
  }

  /** Deletes tables of trees that are no longer stored, files of killed processes, and the least recently used tables beyond the limit. */
  async sweep(areStored: (roots: readonly Hash[]) => Promise<ReadonlySet<string>>): Promise<void> {
    const all = await this.#all()
    const now = Date.now()
    for (const { path, changedAt } of all)
      if (isUnfinished(path) && changedAt < now - abandonedMilliseconds) await rm(path, { force: true })
    const tables = all.filter(({ path }) => path.endsWith('.duckdb'))
    const roots = tables.map(({ path }) => rootOf(path)).filter((root) => root !== 'null')
    const stored = await areStored(roots)
    for (const { path } of tables)
      if (rootOf(path) !== 'null' && !stored.has(rootOf(path))) await this.#remove(path)
    await this.evict()
  }

  /** Deletes the least recently used tables until all files together have their share of the disk. */
  async evict(): Promise<void> {
    const all = await this.#all()
    const tables = all.filter(({ path }) => path.endsWith('.duckdb'))
    let bytes = all.reduce((sum, file) => sum + file.bytes, 0)
    const byUse = tables.sort((a, b) => a.changedAt - b.changedAt)
    // The last one is about to be read.
    for (const { path } of byUse.slice(0, -1)) {
      if (bytes <= this.bytesMax) break
      const own = all.filter((file) => file.path.startsWith(path))
      await this.#remove(path)
      bytes -= own.reduce((sum, file) => sum + file.bytes, 0)
    }
  }

  async #all(): Promise<{ path: string; bytes: number; changedAt: number }[]> {
    const found: { path: string; bytes: number; changedAt: number }[] = []
    for (const name of await readdir(this.#folder, { recursive: true }).catch(() => [])) {
      const path = join(this.#folder, name)
      const facts = await stat(path).catch(() => undefined)
      if (facts?.isFile()) found.push({ path, bytes: facts.size, changedAt: facts.mtimeMs })
    }
    return found
  }

  /** Deletes a table with all that was made from it. A build of the same table may be running. */
  async #remove(path: string): Promise<void> {
    const names = await readdir(dirname(path)).catch(() => [])
    const own = names.filter((name) => name.startsWith(basename(path)) && !isUnfinished(name))
    // The table first: without it the rest counts for nothing.
    for (const name of own.sort()) await rm(join(dirname(path), name), { force: true })
  }

  async #once<T>(place: string, make: () => Promise<T>): Promise<T> {
    const running = this.#making.get(place) as Promise<T> | undefined
    if (running !== undefined) return running
    const made = make().finally(() => this.#making.delete(place))
    this.#making.set(place, made)
    return made
  }

  #pathOf({ tree, schemaHash }: Pick<TableSource, 'tree' | 'schemaHash'>): string {
    const key = `${mapping}-${tree.root}-${schemaHash}`
    return join(this.#folder, key.slice(3, 5), `${key}.duckdb`)
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

  async #build(path: string, source: TableSource, progress: Progress): Promise<TableFile> {
    await this.#space.demand(source.tree.bytes)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const unfinished = `${path}.${randomUUID()}`
    try {
      const built = await buildTable(this.#engine, unfinished, source, progress)
      const facts: TableFacts = { ...built, sha256: await sha256Of(unfinished) }
      // Readable for the unprivileged user that runs SQL, which gets the open file; the folder is not.
      await chmod(unfinished, 0o444)
      await writeFile(`${path}.json`, JSON.stringify(facts), { mode: 0o600 })
      await rename(unfinished, path)
      await this.evict()
      return { path, ...facts }
    } finally {
      for (const ending of ['', '.wal', ...partEndings]) await rm(`${unfinished}${ending}`, { force: true })
    }
  }
}

/** The root of the tree in the name of a table file. */
const rootOf = (path: string): Hash => basename(path).split('-')[1]! as Hash

/** Names of finished files end in one of these; those of unfinished ones have a UUID. */
const isUnfinished = (path: string): boolean => !/\.duckdb(\.parquet)?(\.[a-z]+\d*)?(\.json)?$/.test(path)

async function madeFile(path: string): Promise<MadeFile | undefined> {
  const facts = await readJson<Omit<MadeFile, 'path'>>(`${path}.json`)
  const stored = facts && (await stat(path).catch(() => undefined))
  return stored && { path, ...facts! }
}

async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return parseJson(await readFile(path, 'utf8')) as T
  } catch {
    return undefined
  }
}

const readBytes = (path: string): Promise<Uint8Array | undefined> => readFile(path).catch(() => undefined)
