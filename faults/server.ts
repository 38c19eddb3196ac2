/** A server process that can be killed, frozen and restarted on the same port, like a service under a service manager. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { quietPort } from '@ulmus/storage/testing/quiet-port'
import { startArguments, startEnvironment } from '../apps/server/src/testing/server-process.ts'
import { tied } from '../bench/children.ts'

/** Delay before a server that exited by itself is restarted. docs/install.md has 5 s, which would be too long for a run. */
const restartMilliseconds = 500
const saidBytesMax = 4_000
const heldLoop = new URL('../bench/held-loop.ts', import.meta.url).href

export class FaultyServer {
  readonly name: string
  readonly url: string
  readonly #port: number
  readonly #environment: Readonly<Record<string, string>>
  readonly #clockFile: string
  /** File of `bench/held-loop.ts`: a line for each second. */
  readonly heldFile: string
  readonly #log
  #child: ChildProcess | undefined
  #isWanted = false
  #said = ''
  /** Unexpected exits since the last call of `takeEnds`. */
  #ends: string[] = []
  /** Time of the last turn of its clock, in either direction, by `performance.now()`. */
  clockTurnedAt = Number.NEGATIVE_INFINITY
  /** Time of the last start, by `performance.now()`. */
  startedAt = Number.NEGATIVE_INFINITY
  /** Time of the last kill, freeze or thaw, by `performance.now()`. */
  stoodStillAt = Number.NEGATIVE_INFINITY

  private constructor(name: string, port: number, folder: string, environment: Record<string, string>) {
    this.name = name
    this.#port = port
    this.url = `http://127.0.0.1:${port}`
    this.#clockFile = join(folder, `clock-${name}`)
    this.heldFile = join(folder, `held-${name}`)
    this.#log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' })
    this.#environment = environment
    this.turnClock(0)
  }

  /** @param options.folder for its log and its clock */
  static async make(options: {
    name: string
    folder: string
    environment: Record<string, string>
  }): Promise<FaultyServer> {
    return new FaultyServer(options.name, await quietPort(), options.folder, options.environment)
  }

  /** Starts the process and returns at once, before it answers requests. */
  start(): void {
    this.#isWanted = true
    const { PATH, HOME, TMPDIR } = process.env
    const child = tied(
      spawn(process.execPath, startArguments, {
        env: {
          ...startEnvironment,
          ...{ PATH, HOME, TMPDIR, PORT: String(this.#port), RATE_LIMIT: 'off', LOG_REQUESTS: 'off' },
          // Sessions whose end was not acknowledged stay open for an hour.
          MAX_OPEN_PUSHES: '1000000',
          NODE_OPTIONS: `--require=${join(import.meta.dirname, 'shifted-clock.ts')} --import=${heldLoop}`,
          CLOCK_SHIFT_FILE: this.#clockFile,
          HELD_LOOP_FILE: this.heldFile,
          ...this.#environment,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    this.#child = child
    this.startedAt = performance.now()
    this.#said = ''
    child.stdout.pipe(this.#log, { end: false })
    child.stderr.pipe(this.#log, { end: false })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-saidBytesMax)
    })
    child.once('exit', (code, signal) => void this.#ended(child, code, signal))
  }

  async #ended(child: ChildProcess, code: number | null, signal: string | null): Promise<void> {
    if (child !== this.#child || !this.#isWanted) return
    this.#ends.push(`${this.name} ended with ${signal ?? code}: ${this.#said.trim() || 'without a word'}`)
    await sleep(restartMilliseconds)
    if (child === this.#child && this.#isWanted) this.start()
  }

  /** Returns unexpected exits since the last call. */
  takeEnds(): string[] {
    const ends = this.#ends
    this.#ends = []
    return ends
  }

  /** Undefined if it does not run. */
  get pid(): number | undefined {
    return this.isRunning ? this.#child?.pid : undefined
  }

  get isRunning(): boolean {
    const child = this.#child
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** Ends the process, which is not restarted automatically. @returns the exit code; null: ended by the signal */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    this.#isWanted = false
    this.stoodStillAt = performance.now()
    const child = this.#child
    if (child === undefined || !this.isRunning) return null
    const exited = once(child, 'exit')
    child.kill(signal)
    const [code] = await exited
    return code as number | null
  }

  freeze(): void {
    this.stoodStillAt = Number.POSITIVE_INFINITY
    this.#child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.stoodStillAt = performance.now()
    this.#child?.kill('SIGCONT')
  }

  /** Sets the offset of the clock for this process and later ones. Milliseconds; negative: back. */
  turnClock(milliseconds: number): void {
    this.clockTurnedAt = performance.now()
    writeFileSync(this.#clockFile, String(Math.round(milliseconds)))
  }

  /** Body of a healthy `/readyz`; undefined if it is not ready. */
  async isWell(): Promise<boolean> {
    try {
      const answer = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(5_000) })
      const told = (await answer.json()) as { ready: boolean; storage: string; worker: string }
      return answer.status === 200 && told.ready && told.storage === 'ok' && told.worker === 'ok'
    } catch {
      return false
    }
  }

  async close(): Promise<void> {
    await this.end('SIGKILL')
    this.#log.end()
  }
}
