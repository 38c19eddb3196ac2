/**
 * The packages that this server offers to its users: they always fit its version. A release brings them along. From the sources a child
 * process builds them at the first request, since bundling would hold the event loop for seconds.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import type { Download, DownloadsState } from '@ulmus/web'

/** A download by its place on this server's disk. */
export type StoredDownload = Download & { readonly path: string }

export interface DownloadsOptions {
  /** Folder of the packages; built there by `build` if it does not exist. */
  readonly folder: string
  /** Builds them in a folder. Rejects with the reason if it cannot. */
  readonly build: (to: string, signal: AbortSignal) => Promise<void>
  /** Told why a build failed. */
  readonly onFailure: (error: unknown) => void
  /** Now, in milliseconds. */
  readonly now?: () => number
}

/** A failed build is remembered this long before a request begins another one. Milliseconds. */
const failureMs = 10 * 60_000

export class Downloads {
  readonly #options: DownloadsOptions
  readonly #now: () => number
  readonly #stop = new AbortController()
  #found: Promise<readonly StoredDownload[]> | undefined
  #state: DownloadsState = { kind: 'building' }
  #failedAt: number | undefined
  #made: string | undefined

  constructor(options: DownloadsOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Current state. Starts the build if there was none, or the last one failed some time ago. */
  state(): DownloadsState {
    void this.all()
    return this.#state
  }

  /** Waits for a build. Empty if it failed. */
  async all(): Promise<readonly StoredDownload[]> {
    if (this.#failedAt !== undefined && this.#now() - this.#failedAt >= failureMs) this.#found = undefined
    this.#found ??= this.#find()
    return this.#found
  }

  async #find(): Promise<readonly StoredDownload[]> {
    this.#state = { kind: 'building' }
    this.#failedAt = undefined
    try {
      const downloads = await downloadsIn(await this.#folder())
      this.#state = { kind: 'ready', downloads }
      return downloads
    } catch (error) {
      this.#failedAt = this.#now()
      this.#state = { kind: 'failed' }
      if (!this.#stop.signal.aborted) this.#options.onFailure(error)
      return []
    }
  }

  async #folder(): Promise<string> {
    const { folder, build } = this.#options
    if (existsSync(folder)) return folder
    this.#made ??= await mkdtemp(join(tmpdir(), 'ulmus-downloads-'))
    await build(this.#made, this.#stop.signal)
    return this.#made
  }

  /** Ends a build that is under way, and removes what was built. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#found
    if (this.#made !== undefined) await rm(this.#made, { recursive: true, force: true })
  }
}

/** Those of a release, or of these sources. */
export const downloadsOf = (environment: NodeJS.ProcessEnv, onFailure: (error: unknown) => void): Downloads =>
  new Downloads({
    folder: fileURLToPath(new URL('../../../../downloads', import.meta.url)),
    build: (to, signal) => buildFromSources(environment, to, signal),
    onFailure,
  })

/** In the order in which they are shown. */
const names = ['ulmus', 'ulmus-client', 'ulmus-content']

async function downloadsIn(folder: string): Promise<StoredDownload[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.tgz'))
  const found = names.map((name) => {
    const file = files.find((one) => new RegExp(`^${name}-\\d`).test(one))
    if (file === undefined) throw new Error(`${folder} has no ${name}-….tgz.`)
    return { name, file, path: join(folder, file) }
  })
  return Promise.all(
    found.map(async (one) => ({ ...one, size: (await stat(one.path)).size, sha256: await hashOf(one.path) })),
  )
}

async function hashOf(path: string): Promise<string> {
  const sum = createHash('sha256')
  await pipeline(createReadStream(path), sum)
  return sum.digest('hex')
}

/** Characters of what a failed build printed that are worth logging. */
const outputMax = 2_000

/** @throws Error with the last that the build printed */
async function buildFromSources(
  { PATH, HOME, SystemRoot }: NodeJS.ProcessEnv,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const program = join(import.meta.dirname, '../../../../release/downloads.ts')
  const child = spawn(process.execPath, [program, to], {
    // The settings of the server are secrets that no compiler needs.
    env: { PATH, HOME, SystemRoot, npm_config_update_notifier: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  const { code, output } = await ended(child)
  if (code !== 0) throw new Error(`The packages could not be built from the sources: ${output}`)
}

function ended(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-outputMax)
    })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
