/** Process that renders one readme after the other, as a value with a turn for each collection owner. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Turns } from '@ulmus/registry'

/** Limit of the process's JavaScript heap. A readme that needs more ends the process; the next readme starts another. */
const heapMebibytes = 128
/** Readmes that wait or are being rendered: of one owner, and of all. */
const waitingMax = { owner: 4, all: 200 }
/** The process ends after this time without a readme, so that its memory is free. Milliseconds. */
const idleMilliseconds = 30_000

/** HTML; null: too costly, now and later. Undefined: it could not be rendered now. */
export type Rendered = string | null | undefined

export interface ReadmeTask {
  readonly markdown: string
  readonly readmeImages: boolean
}

export class Renderer {
  readonly #turns = new Turns({ places: 1 })
  /** By owner. */
  readonly #waiting = new Map<string, number>()
  #waitingTogether = 0
  #program: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined
  #answer: (html: Rendered) => void = () => {}

  /** Never rejects. Undefined at once while too many readmes wait. */
  async render(owner: string, task: ReadmeTask): Promise<Rendered> {
    const own = this.#waiting.get(owner) ?? 0
    if (own >= waitingMax.owner || this.#waitingTogether >= waitingMax.all) return undefined
    this.#waiting.set(owner, own + 1)
    this.#waitingTogether++
    try {
      return await this.#turns.run(owner, () => this.#inProcess(task))
    } catch {
      return this.#drop()
    } finally {
      this.#waitingTogether--
      const left = this.#waiting.get(owner)! - 1
      if (left > 0) this.#waiting.set(owner, left)
      else this.#waiting.delete(owner)
    }
  }

  /** @throws errors of starting a process and of writing to it, such as lack of memory or file descriptors */
  async #inProcess(task: ReadmeTask): Promise<Rendered> {
    clearTimeout(this.#idle)
    const html = await new Promise<Rendered>((answer) => {
      this.#answer = answer
      this.#program ??= this.#start()
      this.#program.send(task)
    })
    this.#idle = setTimeout(() => this.#drop(), idleMilliseconds).unref()
    return html
  }

  /** Gives the process none of the server's settings. The process does not keep the server alive. */
  #start(): ChildProcess {
    const program = fork(fileURLToPath(new URL('./process.ts', import.meta.url)), {
      execArgv: [`--max-old-space-size=${heapMebibytes}`, '--max-semi-space-size=8'],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const end = (html: Rendered) => {
      if (this.#program !== program) return
      this.#drop()
      this.#answer(html)
    }
    program.on('message', (html: string | null) => {
      // An answer that arrives after the process was dropped must not be taken for the answer to the next readme.
      if (this.#program === program) this.#answer(html)
    })
    program.on('error', () => end(undefined))
    // SIGABRT: too much CPU time (process.ts), or no room in V8's heap. 1: an error of rendering. Other ends do not depend on the readme.
    program.on('exit', (code, signal) => end(code === 1 || signal === 'SIGABRT' ? null : undefined))
    program.unref()
    program.channel?.unref()
    return program
  }

  #drop(): undefined {
    clearTimeout(this.#idle)
    this.#program?.kill('SIGKILL')
    this.#program = undefined
  }
}
