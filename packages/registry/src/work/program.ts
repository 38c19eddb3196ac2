/**
 * Child process for untrusted input that may be costly. It gets none of the server's settings, has a limited heap, and exits when
 * idle. Tasks run one after the other, in turns of their owners.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { cpuOf, limitCpu } from './cpu-limit.ts'
import { Turns } from './turns.ts'

export interface ProgramOptions {
  /** Handles one `Task` message at a time and sends an answer; exits with code 1 or SIGABRT on a task that is too costly. */
  readonly program: URL
  /** Limit of the JavaScript heap: a task that needs more ends the process. MiB. */
  readonly heapMebibytes: number
  /** Limits of waiting and running tasks, per owner and in total. Further tasks are refused. */
  readonly tasksMax: { readonly owner: number; readonly all: number }
  /** The process exits after this time without a task, to free its memory. Milliseconds. */
  readonly idleMilliseconds: number
  /** True: tasks rely on earlier ones in the same process, so none is tried again in a new one. Default: false. */
  readonly keepsState?: boolean
  /** Niceness of the process, up to 19 for work without a waiting caller: it gets the processor time that others leave. Default: 0. */
  readonly niceness?: number
}

export interface TaskLimits {
  /**
   * CPU time: a task that uses more ends the process and is too costly. One that waits for too long ends it, too, and is `unavailable`. Default: none, the program keeps its limits itself.
   */
  readonly cpuMilliseconds?: number
  /** Ends the task and the process: the result is `unavailable`. */
  readonly signal?: AbortSignal
}

export type ProgramResult<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** The task ended the process by exceeding a limit, or by an error. */
  | { readonly kind: 'too_costly' }
  /** Not run: too many tasks wait, the process was killed, or none can be started now. */
  | { readonly kind: 'unavailable' }

/** CPU time for starting a process, added to the limit of its first task. Milliseconds. */
const startMilliseconds = 2_000

/** Results of tasks that took too long: working, or waiting. */
const late = { costly: { kind: 'too_costly' }, waiting: { kind: 'unavailable' } } as const

export class Program<Task extends object, Answer> {
  readonly #options: ProgramOptions
  readonly #turns = new Turns({ places: 1 })
  /** Waiting and running tasks by owner. */
  readonly #tasks = new Map<string, number>()
  #process: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined
  #resolve: (result: ProgramResult<Answer>) => void = () => {}

  constructor(options: ProgramOptions) {
    this.#options = options
  }

  /** Never rejects. */
  async run(owner: string, task: Task, limits: TaskLimits = {}): Promise<ProgramResult<Answer>> {
    const { tasksMax } = this.#options
    const own = this.#tasks.get(owner) ?? 0
    const all = [...this.#tasks.values()].reduce((a, b) => a + b, 0)
    if (own >= tasksMax.owner || all >= tasksMax.all) return { kind: 'unavailable' }
    this.#tasks.set(owner, own + 1)
    try {
      return await this.#turns.run(owner, () => this.#runAlone(task, limits))
    } catch {
      this.#end()
      return { kind: 'unavailable' }
    } finally {
      const left = this.#tasks.get(owner)! - 1
      if (left > 0) this.#tasks.set(owner, left)
      else this.#tasks.delete(owner)
    }
  }

  async #runAlone(task: Task, limits: TaskLimits): Promise<ProgramResult<Answer>> {
    if (this.#process === undefined) return this.#send(task, limits)
    const result = await this.#send(task, limits).catch(() => undefined)
    const isFinal =
      result?.kind === 'answer' || result === late.costly || result === late.waiting || limits.signal?.aborted
    if (isFinal || this.#options.keepsState) return result ?? { kind: 'unavailable' }
    // The process may have ended late because of the previous task.
    this.#end()
    return this.#send(task, limits)
  }

  /** @throws errors of starting or writing to the process, such as lack of memory or file descriptors */
  async #send(task: Task, { cpuMilliseconds, signal }: TaskLimits): Promise<ProgramResult<Answer>> {
    clearTimeout(this.#idle)
    if (signal?.aborted) return { kind: 'unavailable' }
    const allowance = this.#process === undefined ? startMilliseconds : 0
    let endLimit = () => {}
    const abort = () => this.close()
    signal?.addEventListener('abort', abort)
    const result = await new Promise<ProgramResult<Answer>>((resolve) => {
      this.#resolve = resolve
      this.#process ??= this.#start()
      this.#process.send(task)
      if (cpuMilliseconds === undefined) return
      const { pid } = this.#process
      const used = () => cpuOf(pid)
      endLimit = limitCpu(cpuMilliseconds + allowance, used, (isCostly) => {
        this.#end()
        resolve(isCostly ? late.costly : late.waiting)
      })
    })
    endLimit()
    signal?.removeEventListener('abort', abort)
    this.#idle = setTimeout(() => this.#end(), this.#options.idleMilliseconds).unref()
    return result
  }

  /** Starts the process, which does not keep the server alive. */
  #start(): ChildProcess {
    const { program, heapMebibytes, niceness } = this.#options
    const started = fork(fileURLToPath(program), {
      execArgv: [`--max-old-space-size=${heapMebibytes}`, '--max-semi-space-size=8'],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    // On Linux a priority is that of a thread, and threads inherit it: the process has no other threads yet.
    if (niceness !== undefined && started.pid !== undefined) setPriority(started.pid, niceness)
    const ended = (kind: 'too_costly' | 'unavailable') => {
      if (this.#process !== started) return
      this.#end()
      this.#resolve({ kind })
    }
    started.on('message', (answer: Answer) => {
      // Ignore an answer that arrives after its process was dropped: it does not belong to the next task.
      if (this.#process === started) this.#resolve({ kind: 'answer', answer })
    })
    started.on('error', () => ended('unavailable'))
    // SIGABRT: a limit of the program, or a full V8 heap. 1: an error of the task. Other exits do not depend on the task.
    started.on('exit', (code, signal) =>
      ended(code === 1 || signal === 'SIGABRT' ? 'too_costly' : 'unavailable'),
    )
    started.unref()
    started.channel?.unref()
    return started
  }

  /** Ends the process and the task that it runs. */
  close(): void {
    this.#end()
    this.#resolve({ kind: 'unavailable' })
  }

  #end(): void {
    clearTimeout(this.#idle)
    this.#process?.kill('SIGKILL')
    this.#process = undefined
  }
}
