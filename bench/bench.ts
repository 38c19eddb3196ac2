/** A run: what its benchmarks share, made when first asked for and cleared away at its end. */
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
  /** On the command line. */
  readonly name: string
  readonly about: string
  /** True if it runs at every size, else only at the largest. */
  readonly sizes: 'every' | 'largest'
  /** Ulmus, for each size and database. */
  ours(bench: Bench, place: StagePlace): Promise<void>
  /** The same work done in another way, once a size. */
  otherwise?(bench: Bench, size: number): Promise<void>
}

/** A server as one would run it: it syncs, and has memory. Listed after the settings for tests, which they replace. */
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
  /** Size of the run. Records. */
  readonly largest: number
  #postgres: Promise<{ url: string; stop(): Promise<void> }> | undefined
  #stage: Stage | undefined
  #tables: Tables | undefined
  #git: GitRepository | undefined
  readonly #inputs = new Map<string, Promise<Input>>()
  #made = 0

  /** @param folder empty, for everything that is written; goes at the end */
  constructor(folder: string, figures: Figures, largest: number) {
    // As root, PostgreSQL runs under another user.
    chmodSync(folder, 0o755)
    this.folder = folder
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    this.figures = figures
    this.largest = largest
  }

  /** `size` records; those of different series have none in common. */
  input(size: number, series: Series = 'big'): Promise<Input> {
    const name = `${series} ${size}`
    const known = this.#inputs.get(name) ?? writeInput(this.folder, size, firstOf(series))
    this.#inputs.set(name, known)
    return known
  }

  /** Connection string of a new database on the run's PostgreSQL server. */
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

  /** The stage of a place; the one before is given up. */
  async stage(place: StagePlace): Promise<Stage> {
    const held = this.#stage?.place
    if (held?.database === place.database && held.size === place.size) return this.#stage!
    return this.newStage(place)
  }

  /** A stage with nothing in it but its two first pushes. */
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

  /** The two-table design with `size` records in it, loaded unless `load` is to be measured. */
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

  /** A Git repository with a file for each of `size` records, likewise. */
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

  /** Ends and removes everything; safe at any moment. */
  async close(): Promise<void> {
    await this.dropStage().catch(() => undefined)
    await this.#tables?.close().catch(() => undefined)
    const postgres = await this.#postgres?.catch(() => undefined)
    await postgres?.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** One connection, for some statements. */
export async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
