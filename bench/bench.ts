/** Shared resources of a run, created at first use and removed at its end. */
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '@ulmus/storage/testing/postgres'
import pg from 'pg'
import type { Figures } from './figures.ts'
import { type Input, writeInput } from './inputs.ts'
import { GitRepository } from './otherwise/git.ts'
import { Tables } from './otherwise/tables.ts'
import { firstOf, type Series } from './records.ts'
import { Stage, type StagePlace, smallSize } from './stage.ts'

export interface Benchmark {
  /** Name on the command line. */
  readonly name: string
  readonly about: string
  /** True if it runs at every size, else only at the largest. */
  readonly sizes: 'every' | 'largest'
  /** Ulmus, for each size and database. */
  ours(bench: Bench, place: StagePlace): Promise<void>
  /** The same work with another design, once per size. */
  otherwise?(bench: Bench, size: number): Promise<void>
}

/** Production-like server: syncs to disk and has memory. Listed after the settings for tests, which they replace. */
export const postgresSettings = [
  'fsync=on',
  'full_page_writes=on',
  'shared_buffers=1GB',
  'maintenance_work_mem=256MB',
  'work_mem=64MB',
  'effective_cache_size=4GB',
  'max_wal_size=8GB',
  'checkpoint_timeout=15min',
]

export class Bench {
  readonly figures: Figures
  readonly folder: string
  /** Largest size of the run in records. */
  readonly largest: number
  #postgres: Promise<{ url: string; stop(): Promise<void> }> | undefined
  #stage: Stage | undefined
  #tables: Tables | undefined
  #git: GitRepository | undefined
  readonly #inputs = new Map<string, Promise<Input>>()
  #made = 0

  /** @param folder an empty folder for all files of the run; removed at the end */
  constructor(folder: string, figures: Figures, largest: number) {
    // As root, PostgreSQL runs as another user.
    chmodSync(folder, 0o755)
    this.folder = folder
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    this.figures = figures
    this.largest = largest
  }

  /** `size` records. Different series share no records. */
  input(size: number, series: Series = 'big'): Promise<Input> {
    const name = `${series} ${size}`
    const known = this.#inputs.get(name) ?? writeInput(this.folder, size, firstOf(series))
    this.#inputs.set(name, known)
    return known
  }

  /** Creates a database on the run's PostgreSQL server. Returns its connection string. */
  async newDatabase(): Promise<string> {
    this.#postgres ??= startPostgres(join(this.folder, 'postgres'), postgresSettings)
    const { url } = await this.#postgres
    const name = `bench_${++this.#made}`
    await onServer(url, async (client) => {
      await client.query(`create database ${name}`)
      // Flush earlier writes, so that the next measurement does not pay for them.
      await client.query('checkpoint')
    })
    return url.replace(/\/postgres$/, `/${name}`)
  }

  /** Returns the stage of a place. Drops the previous stage. */
  async stage(place: StagePlace): Promise<Stage> {
    const held = this.#stage?.place
    if (held?.database === place.database && held.size === place.size) return this.#stage!
    return this.newStage(place)
  }

  /** A new stage that contains only its two first pushes. */
  async newStage(place: StagePlace): Promise<Stage> {
    await this.dropStage()
    const databaseUrl = place.database === 'server' ? await this.newDatabase() : undefined
    const [input, smallInput] = [await this.input(place.size), await this.input(smallSize, 'small')]
    const folder = join(this.folder, `data-${++this.#made}`)
    this.#stage = await Stage.open(place, { folder, databaseUrl, input, smallInput })
    return this.#stage
  }

  async dropStage(): Promise<void> {
    const stage = this.#stage
    this.#stage = undefined
    await stage?.served.close()
  }

  /** Tables with `size` records in the two-table design; without them if loading is to be measured. */
  async tables(size: number, options: { empty?: boolean } = {}): Promise<Tables> {
    const tables = await this.#emptyTables(size)
    if (options.empty !== true && !tables.isLoaded) await tables.load(1)
    return tables
  }

  async #emptyTables(size: number): Promise<Tables> {
    if (this.#tables?.size === size) return this.#tables
    await this.#tables?.close()
    this.#tables = await Tables.open({ url: await this.newDatabase(), folder: this.folder, size })
    return this.#tables
  }

  /** Git repository with one file for each of `size` records; without them if loading is to be measured. */
  async git(size: number, options: { empty?: boolean } = {}): Promise<GitRepository> {
    const git = await this.#emptyRepository(size)
    if (options.empty !== true && !git.isLoaded) await git.load(1)
    return git
  }

  async #emptyRepository(size: number): Promise<GitRepository> {
    if (this.#git?.size === size) return this.#git
    this.#git?.remove()
    this.#git = await GitRepository.open(join(this.folder, `git-${++this.#made}`), size)
    return this.#git
  }

  /** Stops and removes everything. Can be called at any time. */
  async close(): Promise<void> {
    await this.dropStage().catch(() => undefined)
    await this.#tables?.close().catch(() => undefined)
    const postgres = await this.#postgres?.catch(() => undefined)
    await postgres?.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Runs statements on one connection. */
export async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
