/** A child process that reads one file: reading may block its thread or take much memory, and the parent can kill it. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { errorAt } from '../reading/table-error.ts'

/** Maximum heap of the process, in addition to what a database has of its own. MiB. */
const heapMax = 512

export type ProcessAnswer = { readonly result: unknown } | { readonly error: string }

export interface ReadingProgram {
  /** Module that calls `answerParent`. */
  readonly program: URL
  /** Path of the file. */
  readonly path: string
  readonly file: string
  /** Beginning of a fault: `The file cannot be read as SQLite`. */
  readonly problem: string
  /** Maximum time of an answer. Milliseconds; undefined: no maximum. */
  readonly answerMillisecondsMax?: number
  readonly signal?: AbortSignal | undefined
}

/** Ends on `close`, with this process, or if `signal` is aborted. */
export class ReadingProcess<Request extends object> {
  readonly #given: ReadingProgram
  readonly #child: ChildProcess
  #waiting: { resolve(result: unknown): void; reject(error: Error): void } | undefined
  readonly #kill = () => void this.#child.kill('SIGKILL')

  constructor(given: ReadingProgram) {
    this.#given = given
    this.#child = fork(fileURLToPath(given.program), [given.path, String(process.pid)], {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${heapMax}`, '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('message', (answer: ProcessAnswer) => {
      if ('error' in answer) this.#settle(this.#fault(answer.error))
      else this.#settle(undefined, answer.result)
    })
    this.#child.on('error', (error) => this.#settle(this.#fault(error.message)))
    this.#child.on('exit', () =>
      this.#settle(this.#fault('the process that reads it exited, probably out of memory')),
    )
    process.on('exit', this.#kill)
    given.signal?.addEventListener('abort', this.#kill)
  }

  /** Sends one request at a time. */
  async ask<Result>(request: Request): Promise<Result> {
    const { signal, answerMillisecondsMax: max } = this.#given
    signal?.throwIfAborted()
    const late = () => {
      this.#settle(this.#fault(`it takes more than ${max! / 1000} seconds`))
      this.#kill()
    }
    const timer = max === undefined ? undefined : setTimeout(late, max)
    try {
      return await new Promise<Result>((resolve, reject) => {
        this.#waiting = { resolve: resolve as (result: unknown) => void, reject }
        if (this.#child.connected) this.#child.send(request)
        else reject(this.#fault('it is closed'))
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  #settle(error: Error | undefined, result?: unknown): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(error)
  }

  #fault(reason: string): Error {
    const { file, problem } = this.#given
    return errorAt(file, `${problem}: ${reason}.`)
  }

  close(): void {
    process.off('exit', this.#kill)
    this.#given.signal?.removeEventListener('abort', this.#kill)
    this.#kill()
  }
}
