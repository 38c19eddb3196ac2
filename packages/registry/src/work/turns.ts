/**
 * Fair queue for scarce resources, such as threads. The owner with the fewest running tasks goes next; among equals, the one
 * whose last turn is longest ago. One account's thousand tasks wait for each other and do not delay other accounts.
 */

/** A running task of an owner. */
export interface Turn {
  readonly owner: string
  /** True if the task has exceeded its usual time: while others wait, its owner gets no further turn. */
  isCostly: boolean
}

interface Waiting {
  begin(): void
  refuse(error: Error): void
}

export interface TurnsOptions {
  /** Turns that run concurrently. */
  places: number
  /** True: reserve the last free place for owners without running turns. Default: false. */
  keepsOne?: boolean
  /** True for owners limited to one turn at a time. Default: none. */
  isSlowed?: (owner: string) => boolean
}

/** The queue of one resource. */
export class Turns {
  readonly #options: Required<TurnsOptions>
  /** Waiting tasks by owner, in the order of the owners' last turns. */
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #underWay = new Map<string, Set<Turn>>()
  #taken = 0
  #closed: PromiseWithResolvers<void> | undefined

  constructor(options: TurnsOptions) {
    this.#options = { keepsOne: false, isSlowed: () => false, ...options }
  }

  /**
   * Runs `work` at its turn.
   * @param signal ends the wait
   * @throws the signal's reason, and the rejection of `work`.
   */
  async run<T>(owner: string, work: (turn: Turn) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn: Turn = { owner, isCostly: false }
    await this.#begin(turn, signal)
    try {
      return await work(turn)
    } finally {
      this.#end(turn)
    }
  }

  /** Refuses waiting and new requests, then waits for running ones. */
  close(): Promise<void> {
    const closed = this.#closed ?? Promise.withResolvers<void>()
    this.#closed = closed
    for (const waiting of [...this.#waiting.values()].flat()) waiting.refuse(isClosed())
    this.#waiting.clear()
    if (this.#taken === 0) closed.resolve()
    return closed.promise
  }

  #begin(turn: Turn, signal: AbortSignal | undefined): Promise<void> | undefined {
    signal?.throwIfAborted()
    if (this.#closed !== undefined) throw isClosed()
    const { owner } = turn
    if (!this.#waiting.has(owner) && this.#mayBegin(owner)) {
      this.#take(turn)
      return undefined
    }
    return new Promise((resolve, reject) => {
      const waiting = {
        begin: () => {
          signal?.removeEventListener('abort', leave)
          this.#take(turn)
          resolve()
        },
        refuse: (error: Error) => {
          signal?.removeEventListener('abort', leave)
          reject(error)
        },
      }
      const leave = () => {
        this.#forget(owner, waiting)
        reject(signal!.reason)
        // Its place in the queue may have blocked others although its owner did not.
        this.#advance()
      }
      signal?.addEventListener('abort', leave, { once: true })
      const others = this.#waiting.get(owner)
      if (others === undefined) this.#waiting.set(owner, [waiting])
      else others.push(waiting)
    })
  }

  #end(turn: Turn): void {
    const own = this.#underWay.get(turn.owner)!
    own.delete(turn)
    if (own.size === 0) this.#underWay.delete(turn.owner)
    this.#taken--
    this.#advance()
    if (this.#taken === 0) this.#closed?.resolve()
  }

  #take(turn: Turn): void {
    const own = this.#underWay.get(turn.owner)
    if (own === undefined) this.#underWay.set(turn.owner, new Set([turn]))
    else own.add(turn)
    this.#taken++
  }

  #forget(owner: string, waiting: Waiting): void {
    const left = this.#waiting.get(owner)!.filter((other) => other !== waiting)
    if (left.length === 0) this.#waiting.delete(owner)
    else this.#waiting.set(owner, left)
  }

  #mayBegin(owner: string): boolean {
    const { places, keepsOne, isSlowed } = this.#options
    const own = this.#underWay.get(owner)
    if (own === undefined) return this.#taken < places
    if (this.#taken >= places - (keepsOne ? 1 : 0) || isSlowed(owner)) return false
    return !this.#othersWait(owner) || ![...own].some(({ isCostly }) => isCostly)
  }

  #othersWait(owner: string): boolean {
    return this.#waiting.size > (this.#waiting.has(owner) ? 1 : 0)
  }

  #advance(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [first, ...rest] = this.#waiting.get(next)!
      // Move the owner to the end of the queue.
      this.#waiting.delete(next)
      if (rest.length > 0) this.#waiting.set(next, rest)
      first!.begin()
    }
  }

  #next(): string | undefined {
    let next: string | undefined
    let least = Number.POSITIVE_INFINITY
    for (const owner of this.#waiting.keys()) {
      const own = this.#underWay.get(owner)?.size ?? 0
      if (own >= least || !this.#mayBegin(owner)) continue
      next = owner
      least = own
    }
    return next
  }
}

const isClosed = () => new Error('This process is being stopped.')
