/**
 * Packages that this server offers to its users, always of its own version. A release contains them. A server that runs from sources builds
 * them in a child process at the first request, because bundling would block the event loop for seconds.
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

/** A download with its path on the server's disk. */
export type StoredDownload = Download & { readonly path: string }

export interface DownloadsOptions {
  /** Folder of the packages. `build` fills it if it does not exist. */
  readonly folder: string
  /** Builds the packages in a folder. Rejects with the reason of a failure. */
  readonly build: (to: string, signal: AbortSignal) => Promise<void>
  /** Called with the reason of a failed build. */
  readonly onFailure: (error: unknown) => void
  /** Now, in milliseconds. */
  readonly now?: () => number
}

/** Time after a failed build before a request starts another one. Milliseconds. */
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

  /** Current state. Starts a build if none has run, or if the last one failed some time ago. */
  state(): DownloadsState {
    void this.all()
    return this.#state
  }

  /** Waits for a build. Returns an empty list if it failed. */
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

  /** Stops a running build and removes its output. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#found
    if (this.#made !== undefined) await rm(this.#made, { recursive: true, force: true })
  }
}

/** Downloads of a release, or built from these sources. */
export const downloadsOf = (environment: NodeJS.ProcessEnv, onFailure: (error: unknown) => void): Downloads =>
  new Downloads({
    folder: fileURLToPath(new URL('../../../../downloads', import.meta.url)),
    build: (to, signal) => buildFromSources(environment, to, signal),
    onFailure,
  })

/** In display order. */
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

/** Maximum length of a failed build's output in the log. Characters. */
const outputMax = 2_000

/** @throws Error with the last output of the build */
async function buildFromSources(
  { PATH, HOME, SystemRoot }: NodeJS.ProcessEnv,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const program = join(import.meta.dirname, '../../../../release/downloads.ts')
  const child = spawn(process.execPath, [program, to], {
    // Keep the server's secrets out of the compiler's environment.
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
