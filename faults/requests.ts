/** Requests to the servers. Checks every answer against the rules that hold during any fault. */
import type { JsonObject } from '@ulmus/content'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import type { FaultyServer } from './server.ts'

export interface Answer {
  /** 0: no complete answer. */
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** True if the request certainly did not reach a server. */
  readonly isUnheard: boolean
  readonly server: FaultyServer
}

export interface Ask {
  readonly json?: unknown
  /** NDJSON. */
  readonly lines?: readonly unknown[]
  readonly body?: string
  /** Default: any, as a load balancer would. */
  readonly server?: FaultyServer
  /** Default: the workers' key; empty: none. */
  readonly key?: string
  /** The caller hangs up after this time, and the answer has status 0. Milliseconds. */
  readonly hangsUpAfter?: number
}

/**
 * Outcome of a write. `open`: it may have happened or not. `refused`: it did not happen, for a valid reason. `wrong`: it was refused
 * without a valid reason; this has been reported.
 */
export type Fate = 'done' | 'open' | 'refused' | 'wrong'

/** Longer than any fault and any timeout: later answers count as stuck. Milliseconds. */
export const answerMillisecondsMax = 120_000
/** 503 `unavailable`, 507 `storage_full`: permitted answers while a store is broken. */
const saysOfStores = [503, 507]

/** Maximum time of an answer from a server that is not frozen itself. Milliseconds. */
const answeredMillisecondsMax = 30_000

/** Active faults that may change answers. */
export interface Weather {
  /** False during a fault, and shortly after it, while connections may still fail because of it. */
  isCalm: boolean
  /** Number of faults so far. */
  changes: number
  /** True if the disk is full, or was a moment ago. */
  isFull: boolean
}

export class Requests {
  readonly #servers: readonly FaultyServer[]
  readonly #report: Report
  readonly #weather: Weather
  #key = ''
  /** Keys of the collaborators by user. */
  readonly #keys = new Map<string, string>()
  /** Number of unanswered requests. */
  underWay = 0

  constructor(servers: readonly FaultyServer[], report: Report, weather: Weather) {
    this.#servers = servers
    this.#report = report
    this.#weather = weather
  }

  get key(): string {
    return this.#key
  }

  set key(key: string) {
    this.#key = key
  }

  setKeys(keys: ReadonlyMap<string, string>): void {
    for (const [user, key] of keys) this.#keys.set(user, key)
  }

  /** The key of a collaborator. @throws Error for other users */
  keyOf(user: string): string {
    const key = this.#keys.get(user)
    if (key === undefined) throw new Error(`The user ${user} has no key.`)
    return key
  }

  async ask(random: Random, method: string, path: string, asked: Ask = {}): Promise<Answer> {
    const server = asked.server ?? random.pick(this.#servers)
    const wasCalm = this.#weather.isCalm
    const began = performance.now()
    this.underWay++
    try {
      const answer = await this.#send(server, method, path, asked)
      const took = performance.now() - began
      const hungUp = answer.status === 0 && took >= (asked.hangsUpAfter ?? Number.POSITIVE_INFINITY)
      const isCalm = wasCalm && this.#weather.isCalm && !hungUp
      this.#examine(`${method} ${path.slice(0, 200)} at ${server.name}`, answer, isCalm)
      this.#report.waited('answer', took)
      if (took > answeredMillisecondsMax && server.stoodStillAt < began)
        this.#report.violation(
          `${method} ${path} at ${server.name} was answered ${answer.status} after ${Math.round(took / 1000)} s`,
        )
      return answer
    } finally {
      this.underWay--
    }
  }

  async #send(server: FaultyServer, method: string, path: string, asked: Ask): Promise<Answer> {
    const { json, lines, body } = asked
    const type = lines ? 'application/x-ndjson' : json !== undefined ? 'application/json' : undefined
    const key = asked.key ?? this.#key
    const headers = {
      ...(key !== '' && { authorization: `Bearer ${key}` }),
      ...(type && { 'content-type': type }),
    }
    const text = json === undefined ? body : JSON.stringify(json)
    const sent = lines?.map((line) => JSON.stringify(line)).join('\n') ?? text
    try {
      const answer = await fetch(server.url + path, {
        ...{
          method,
          headers,
          redirect: 'manual',
          signal: AbortSignal.timeout(asked.hangsUpAfter ?? answerMillisecondsMax),
        },
        ...(sent !== undefined && { body: sent }),
      })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, text, isUnheard: false, server }
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string }
      return { status: 0, headers: new Headers(), text: '', isUnheard: code === 'ECONNREFUSED', server }
    }
  }

  /** Checks an answer: the only permitted failures are unavailable and full stores, and these must be reported correctly. */
  #examine(what: string, { status, headers, text }: Answer, wasCalm: boolean): void {
    if (status >= 500 && !saysOfStores.includes(status))
      this.#report.violation(`${what} answered ${status}: ${text.slice(0, 300)}`)
    if (status === 503 && !(Number(headers.get('retry-after')) > 0))
      this.#report.violation(`${what} answered 503 without Retry-After`)
    if (wasCalm && (status === 0 || saysOfStores.includes(status)))
      this.#report.violation(`${what} answered ${status} while nothing was broken: ${text.slice(0, 300)}`)
    if (status === 507 && !this.#weather.isFull)
      this.#report.violation(`${what} answered 507 though the disk has room: ${text.slice(0, 300)}`)
  }

  /**
   * True if a recently open push may have expired: a single server uses its own clock, so after the clock is corrected, sessions seem older
   * than they are. Several servers use PostgreSQL's clock.
   */
  #mayHaveExpired({ clockTurnedAt }: FaultyServer): boolean {
    return this.#servers.length === 1 && performance.now() - clockTurnedAt < answeredMillisecondsMax
  }

  /** Outcome of a write. @param wanted statuses that acknowledge it. @param mayRefuse other expected statuses */
  fateOf(what: string, answer: Answer, wanted: readonly number[], mayRefuse: readonly number[] = []): Fate {
    const { status, isUnheard, text, server } = answer
    if (wanted.includes(status)) return 'done'
    if (isUnheard || status === 507 || status === 429 || mayRefuse.includes(status)) return 'refused'
    if (status === 0 || status >= 500) return 'open'
    if (status === 409 && text.includes('push_not_open') && this.#mayHaveExpired(server)) return 'refused'
    this.#report.violation(`${what} at ${server.name} was refused with ${status}: ${text.slice(0, 300)}`)
    return 'wrong'
  }
}

export const bodyOf = (answer: Answer): JsonObject => JSON.parse(answer.text) as JsonObject
export const textOf = (answer: Answer, member: string): string => String(bodyOf(answer)[member])
