/** A server in its own process, with a signed-in user, an API key and an organization for forks. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@ulmus/client'
import { type Database, openDatabase } from '@ulmus/storage'
import { freePort } from '@ulmus/storage/testing/postgres'
import { startArguments, startEnvironment } from '../apps/server/src/testing/server-process.ts'
import { signIn } from '../demo/sign-in.ts'
import { tied } from './children.ts'
import { peakMiB } from './measure.ts'

export interface ServedOptions {
  /** Created by `open`; removed at the end. */
  readonly folder: string
  /** Undefined: the embedded database. */
  readonly databaseUrl?: string
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>
}

const readySecondsMax = 60

export class Served {
  readonly url: string
  readonly folder: string
  readonly owner = 'bencher'
  readonly org = 'bench-org'
  #key = ''
  #child: ChildProcess | undefined
  readonly #options: ServedOptions
  readonly #port: number

  private constructor(options: ServedOptions, port: number) {
    this.folder = options.folder
    this.#options = options
    this.#port = port
    this.url = `http://127.0.0.1:${port}`
  }

  /** Starts a server on a new data folder and signs in through its identity provider. */
  static async open(options: ServedOptions): Promise<Served> {
    mkdirSync(options.folder, { recursive: true })
    const served = new Served(options, await freePort())
    await served.start()
    try {
      const login = { login: served.owner, name: 'Ben Cher', email: 'ben@example.org' }
      const { fetch } = await signIn(served.url, login)
      const session = createClient({ baseUrl: served.url, fetch })
      served.#key = (await session.keys.create({ label: 'bench', scope: 'admin' })).key
      await served.client.orgs.create({ slug: served.org, displayName: 'Bench Org' })
      return served
    } catch (error) {
      await served.close()
      throw error
    }
  }

  /** Another server, not yet started, on the same database and object store, with the same key. */
  async beside(folder: string): Promise<Served> {
    mkdirSync(folder, { recursive: true })
    const served = new Served({ ...this.#options, folder }, await freePort())
    served.#key = this.#key
    return served
  }

  get pid(): number {
    return this.#child!.pid!
  }

  get key(): string {
    return this.#key
  }

  /** Client of the user, with an admin key. */
  get client(): Client {
    return createClient({ baseUrl: this.url, apiKey: this.#key })
  }

  /** Folder of the object store. */
  get objects(): string {
    return join(this.folder, 'objects')
  }

  /** Resolves when the received data of a push has been removed, which happens after its answer. @throws Error after a minute */
  async hasDroppedRuns(): Promise<void> {
    const runs = join(this.objects, 'spills')
    const isEmpty = async () =>
      (await readdir(runs, { recursive: true, withFileTypes: true })).every((entry) => !entry.isFile())
    // Reading may fail while a folder is being removed; try again.
    for (const from = performance.now(); !(await isEmpty().catch(() => false)); ) {
      if (performance.now() - from > 60_000) throw new Error('What a push had received was not removed.')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** Sends a request with the key. @throws Error with the answer if it is refused */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#key}`, ...init.headers }
    const response = await fetch(this.url + path, { ...init, headers })
    if (response.ok) return response
    throw new Error(
      `${init.method ?? 'GET'} ${path}: ${response.status} ${(await response.text()).slice(0, 500)}`,
    )
  }

  /** Same as `ask`, with a parsed answer. */
  async json<T>(path: string, init: RequestInit = {}): Promise<T> {
    return (await (await this.ask(path, init)).json()) as T
  }

  /** @returns milliseconds from the start of the process to `/readyz` */
  async start(): Promise<number> {
    const from = performance.now()
    const child = tied(
      spawn(process.execPath, startArguments, {
        env: this.#environment(),
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    )
    this.#child = child
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-5_000)
    })
    while (performance.now() - from < readySecondsMax * 1_000) {
      if (child.exitCode !== null) break
      const answer = await fetch(`${this.url}/readyz`).catch(() => undefined)
      await answer?.body?.cancel()
      if (answer?.status === 200) return performance.now() - from
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    child.kill('SIGKILL')
    throw new Error(`The server did not become ready.\n${said}`)
  }

  /** Stops gracefully by SIGTERM. */
  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await gone
  }

  /** Restarts as a new process on the same data, with empty caches. @returns milliseconds to `/readyz` */
  async restart(): Promise<number> {
    await this.stop()
    return this.start()
  }

  /** Runs statements on the server's database while the server is stopped. */
  async inDatabase(work: (database: Database) => Promise<void>): Promise<void> {
    await this.stop()
    const database = await openDatabase({
      url: this.#options.databaseUrl,
      folder: join(this.folder, 'database'),
    })
    try {
      await work(database)
    } finally {
      await database.close()
    }
    await this.start()
  }

  /** Peak of resident memory since the process started. MiB. */
  peakMiB(): number {
    return peakMiB(this.pid)
  }

  /** Maximum delay of the event loop since the last call. Milliseconds; undefined if the metrics lack it. */
  async loopDelayMs(): Promise<number | undefined> {
    const metrics = await (await fetch(`${this.url}/metrics`)).text()
    const [, seconds] = /^nodejs_eventloop_lag_max_seconds ([\d.e+-]+)$/m.exec(metrics) ?? []
    return seconds === undefined ? undefined : Number(seconds) * 1_000
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Rate limits count requests as in production, but are too high to be reached. */
  #environment(): NodeJS.ProcessEnv {
    const { PATH, HOME, TMPDIR } = process.env
    return {
      ...startEnvironment,
      PATH,
      HOME,
      TMPDIR,
      PORT: String(this.#port),
      DATA_DIR: this.folder,
      DATABASE_URL: this.#options.databaseUrl,
      RATE_LIMIT_ANONYMOUS: '1000000000',
      RATE_LIMIT_ACCOUNT: '1000000000',
      ...this.#options.environment,
    }
  }
}
