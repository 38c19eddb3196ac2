/**
 * Fair queue for scarce resources, such as threads and processes. The owner with the fewest running tasks goes next; among equals, the
 * one that recently used the least time, then the one whose last turn is longest ago. One account's thousand tasks wait for each other
 * and do not delay other accounts. docs/decisions/threads.md
 */
import { OwnerTimes } from './owner-times.ts'

/** A running task of an owner. */
export interface Turn {
  readonly owner: string
  /** True if the task has exceeded its usual time: while others wait, its owner gets no further turn. */
  isCostly: boolean
  /** Aborted when the turn must end for another owner (`timing.cutAfter`). */
  readonly signal: AbortSignal
}

/** The turn of a task was cut twice, because other owners waited. */
export class TurnCutError extends Error {
  constructor() {
    super('Another owner waits for the turn of this task.')
    this.name = 'TurnCutError'
  }
}

class RunningTurn implements Turn {
  readonly owner: string
  readonly isLong: boolean
  readonly began: number
  readonly #cut = new AbortController()
  isCostly = false

  constructor(owner: string, isLong: boolean, began: number) {
    this.owner = owner
    this.isLong = isLong
    this.began = began
  }

  get signal(): AbortSignal {
    return this.#cut.signal
  }

  cut(): void {
    this.#cut.abort(new TurnCutError())
  }
}

/** Properties of a task that decide when its turn comes. */
export interface TurnFor {
  /** True: leave a place for shorter tasks. Default: false. */
  readonly isLong?: boolean
  /** Name by which other owners can adopt the task while it waits. */
  readonly key?: string
}

interface Waiting extends TurnFor {
  owner: string
  begin(turn: RunningTurn): void
  refuse(error: Error): void
}

export interface TurnsOptions {
  /** Turns that run concurrently. */
  places: number
  /** True: reserve the last free place for owners without running turns. Default: false. */
  keepsOne?: boolean
  /** True for owners limited to one turn at a time, which is never that of the last place. Default: none. */
  isSlowed?: (owner: string) => boolean
  /** Times of owners. Default: they are not measured. Milliseconds. */
  timing?: {
    /** Owners that recently used more are slowed. */
    readonly slowedAfter: number
    /**
     * A turn that has run for longer is cut while an owner waits that recently used less than half of its owner's time. Its task runs
     * again, as that of a slowed owner; cut again, it fails. Default: turns are never cut.
     */
    readonly cutAfter?: number
  }
  /** Milliseconds of a clock that never goes back. */
  now?: () => number
}

/** Interval of the search for turns to cut. Milliseconds. */
const cutMilliseconds = 200

/** The queue of one resource. */
export class Turns {
  readonly #options: TurnsOptions
  readonly #now: () => number
  readonly #times: OwnerTimes
  /** Waiting tasks by owner, in the order of the owners' last turns. */
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #running = new Set<RunningTurn>()
  #cutting: NodeJS.Timeout | undefined
  #closed: PromiseWithResolvers<void> | undefined

  constructor(options: TurnsOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#times = new OwnerTimes(this.#now)
  }

  /**
   * Runs `work` at its turn.
   * @param signal ends the wait
   * @throws the signal's reason, TurnCutError, and the rejection of `work`.
   */
  async run<T>(
    owner: string,
    work: (turn: Turn) => Promise<T>,
    signal?: AbortSignal,
    more: TurnFor = {},
  ): Promise<T> {
    for (let isFirst = true; ; isFirst = false) {
      const turn = await this.#begin(owner, more, signal)
      try {
        return await work(turn)
      } catch (error) {
        if (!turn.signal.aborted) throw error
        if (!isFirst) throw turn.signal.reason
      } finally {
        this.#end(turn)
      }
    }
  }

  /** Lets a waiting task wait for another owner too, whose turn comes sooner. */
  adopt(key: string, owner: string): void {
    const found = [...this.#waiting.values()].flat().find((waiting) => waiting.key === key)
    if (found === undefined || this.#usedBy(owner) >= this.#usedBy(found.owner)) return
    this.#forget(found)
    found.owner = owner
    this.#wait(found)
    this.#advance()
  }

  /** Refuses waiting and new requests, then waits for running ones. */
  close(): Promise<void> {
    const closed = this.#closed ?? Promise.withResolvers<void>()
    this.#closed = closed
    for (const waiting of [...this.#waiting.values()].flat()) waiting.refuse(isClosed())
    this.#waiting.clear()
    this.#watch()
    if (this.#running.size === 0) closed.resolve()
    return closed.promise
  }

  #begin(owner: string, more: TurnFor, signal?: AbortSignal): RunningTurn | Promise<RunningTurn> {
    signal?.throwIfAborted()
    if (this.#closed !== undefined) throw isClosed()
    if (!this.#waiting.has(owner) && this.#mayBegin({ owner, ...more })) return this.#take(owner, more)
    return new Promise((resolve, reject) => {
      const settled = () => signal?.removeEventListener('abort', leave)
      const waiting: Waiting = {
        ...more,
        owner,
        begin: (turn) => {
          settled()
          resolve(turn)
        },
        refuse: (error) => {
          settled()
          reject(error)
        },
      }
      const leave = () => {
        this.#forget(waiting)
        reject(signal!.reason)
        // Its place in the queue may have blocked others although its owner did not.
        this.#advance()
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#wait(waiting)
      this.#watch()
    })
  }

  #end(turn: RunningTurn): void {
    this.#running.delete(turn)
    if (this.#options.timing !== undefined) this.#times.add(turn.owner, this.#now() - turn.began)
    this.#advance()
    if (this.#running.size === 0) this.#closed?.resolve()
  }

  #take(owner: string, more: TurnFor): RunningTurn {
    const turn = new RunningTurn(owner, more.isLong ?? false, this.#now())
    this.#running.add(turn)
    return turn
  }

  #wait(waiting: Waiting): void {
    const others = this.#waiting.get(waiting.owner)
    if (others === undefined) this.#waiting.set(waiting.owner, [waiting])
    else others.push(waiting)
  }

  #forget(waiting: Waiting): void {
    const left = (this.#waiting.get(waiting.owner) ?? []).filter((other) => other !== waiting)
    if (left.length === 0) this.#waiting.delete(waiting.owner)
    else this.#waiting.set(waiting.owner, left)
  }

  #isSlowed(owner: string): boolean {
    const { isSlowed, timing } = this.#options
    if (isSlowed?.(owner)) return true
    return timing !== undefined && this.#usedBy(owner) > timing.slowedAfter
  }

  /** With the time of its running turns. */
  #usedBy(owner: string): number {
    const now = this.#now()
    let sum = this.#times.of(owner)
    for (const turn of this.#running) if (turn.owner === owner) sum += now - turn.began
    return sum
  }

  /** Number of places that must stay free of such turns. */
  #levelOf({ owner, isLong = false }: TurnFor & { owner: string }): number {
    return (isLong ? 1 : 0) + (this.#isSlowed(owner) ? 1 : 0)
  }

  /** @param without is regarded as ended */
  #mayBegin(waiting: TurnFor & { owner: string }, without?: RunningTurn): boolean {
    const { places, keepsOne = false } = this.#options
    const running = [...this.#running].filter((turn) => turn !== without)
    if (running.length >= places) return false
    const levels = Math.min(this.#levelOf(waiting), places - 1)
    for (let level = 1; level <= levels; level++)
      if (running.filter((turn) => this.#levelOf(turn) >= level).length >= places - level) return false
    const { owner } = waiting
    const own = running.filter((turn) => turn.owner === owner)
    if (own.length === 0) return true
    if (running.length >= places - (keepsOne ? 1 : 0) || this.#isSlowed(owner)) return false
    return !this.#othersWait(owner) || !own.some(({ isCostly }) => isCostly)
  }

  #othersWait(owner: string): boolean {
    return this.#waiting.size > (this.#waiting.has(owner) ? 1 : 0)
  }

  #advance(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { owner } = next
      this.#forget(next)
      // Move the owner to the end of the queue.
      const rest = this.#waiting.get(owner)
      this.#waiting.delete(owner)
      if (rest !== undefined) this.#waiting.set(owner, rest)
      next.begin(this.#take(owner, next))
    }
    this.#watch()
  }

  #next(): Waiting | undefined {
    let next: Waiting | undefined
    let least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as const
    for (const [owner, waiting] of this.#waiting) {
      const own = [...this.#running].filter((turn) => turn.owner === owner).length
      const used = this.#usedBy(owner)
      if (own > least[0] || (own === least[0] && used >= least[1])) continue
      const first = waiting.find((one) => this.#mayBegin(one))
      if (first === undefined) continue
      next = first
      least = [own, used]
    }
    return next
  }

  /** Looks for turns to cut as long as owners wait. */
  #watch(): void {
    if (this.#options.timing?.cutAfter === undefined) return
    if (this.#waiting.size === 0) {
      clearInterval(this.#cutting)
      this.#cutting = undefined
    } else this.#cutting ??= setInterval(() => this.#cutOne(), cutMilliseconds).unref()
  }

  #cutOne(): void {
    const running = [...this.#running]
    // One at a time: the place of the last one may be enough.
    if (running.some(({ signal }) => signal.aborted)) return
    const now = this.#now()
    const costliest = running
      .filter(({ began }) => now - began >= this.#options.timing!.cutAfter!)
      .map((turn) => ({ turn, used: this.#usedBy(turn.owner) }))
      .sort((a, b) => b.used - a.used)
    for (const { turn, used } of costliest)
      for (const [owner, waiting] of this.#waiting) {
        if (this.#usedBy(owner) >= used / 2 || !waiting.some((one) => this.#mayBegin(one, turn))) continue
        turn.cut()
        return
      }
  }
}

const isClosed = () => new Error('This process is being stopped.')
