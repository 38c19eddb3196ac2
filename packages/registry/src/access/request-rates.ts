/**
 * Rate limits per caller and clock minute. Each process counts its own requests; processes on one database exchange the counts of
 * active callers in the background, so no request waits for that. While the database is down, each process counts alone.
 */
import { hash, randomUUID } from 'node:crypto'
import { type CountOfCaller, shareRequestCounts } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { schedule } from '../schedule.ts'

/** Share a caller's count once it reaches this part of the limit, and at once when it reaches this part of the rest. */
const sharedPart = 1 / 10
const minuteMilliseconds = 60_000
/** Callers in memory: at this number, those without a request since it was half as large are evicted. */
const rememberedMax = 100_000

/** A caller's quota after a request. */
export interface RateState {
  readonly isOver: boolean
  readonly remaining: number
  /** Until the minute ends. Seconds, 1–60. */
  readonly resetSeconds: number
}

/** Requests of one caller in this minute. */
interface Count {
  /** Excludes refused requests: a caller over the limit must cause no work. */
  own: number
  /** Of `own`, those that others can know of. */
  shared: number
  others: number
}

/** Tells of counts in a minute, and what others have counted. */
export type Share = (minute: Date, counts: readonly CountOfCaller[]) => Promise<readonly CountOfCaller[]>

export function requestRatesOf({ database, jobs, now }: Pick<Context, 'database' | 'jobs' | 'now'>) {
  // An embedded database has no other process.
  if (database.kind === 'embedded') return new RequestRates(now)
  const process = randomUUID()
  const rates = new RequestRates(now, (minute, counts) =>
    database.transactOnce((tx) => shareRequestCounts(tx, { process, minute, counts })),
  )
  jobs.repeat(schedule.requestRates, () => rates.share())
  return rates
}

export class RequestRates {
  readonly #now: () => Date
  readonly #share: Share | undefined
  #minute = 0
  /** By who they are of. Those who ask are taken over from `#earlier` into `#recent`. */
  #recent = new Map<string, Count>()
  #earlier = new Map<string, Count>()
  readonly #untold = new Map<string, Count>()
  #sharing: Promise<void> | undefined
  /** Whether the last exchange was answered. After a failure the next is a second later, not at the next request. */
  #isHeard = true

  constructor(now: () => Date, share?: Share) {
    this.#now = now
    this.#share = share
  }

  /**
   * Counts a request, unless it is over the limit.
   * @param kind of limit: the same name is counted separately for each
   * @param limit requests a minute
   */
  count(kind: string, name: string, limit: number): RateState {
    const now = this.#now().getTime()
    this.#turnTo(Math.floor(now / minuteMilliseconds))
    const who = `${kind} ${name}`
    const count = this.#countOf(who)
    const isOver = count.own + count.others >= limit
    if (!isOver) count.own++
    const remaining = Math.max(0, limit - count.own - count.others)
    if (count.own >= limit * sharedPart && count.own > count.shared) this.#tellOf(who, count, remaining)
    return {
      isOver,
      remaining,
      resetSeconds: Math.ceil(((this.#minute + 1) * minuteMilliseconds - now) / 1000),
    }
  }

  /** Exchanges counts with other processes, one exchange at a time. Rejects if the database does not answer. */
  share(): Promise<void> {
    this.#sharing ??= this.#shareUntold().finally(() => {
      this.#sharing = undefined
    })
    return this.#sharing
  }

  #turnTo(minute: number): void {
    if (minute === this.#minute) return
    this.#minute = minute
    this.#recent = new Map()
    this.#earlier = new Map()
    this.#untold.clear()
  }

  #countOf(who: string): Count {
    const known = this.#recent.get(who)
    if (known !== undefined) return known
    if (this.#recent.size >= rememberedMax / 2) {
      this.#earlier = this.#recent
      this.#recent = new Map()
    }
    const count = this.#earlier.get(who) ?? { own: 0, shared: 0, others: 0 }
    this.#recent.set(who, count)
    return count
  }

  #tellOf(who: string, count: Count, remaining: number): void {
    if (this.#share === undefined) return
    this.#untold.set(who, count)
    if (count.own - count.shared < remaining * sharedPart || !this.#isHeard) return
    // A caller this fast is shared at once. The periodic exchange logs failures.
    this.share().catch(() => undefined)
  }

  async #shareUntold(): Promise<void> {
    if (this.#share === undefined || this.#untold.size === 0) return
    const shared = new Map<string, Count>()
    const counts: CountOfCaller[] = []
    for (const [who, count] of this.#untold) {
      // Addresses are private.
      const caller = hash('sha256', who, 'base64url')
      shared.set(caller, count)
      counts.push({ caller, requests: count.own })
    }
    this.#untold.clear()
    this.#isHeard = false
    const others = await this.#share(new Date(this.#minute * minuteMilliseconds), counts)
    this.#isHeard = true
    for (const { caller, requests } of counts) shared.get(caller)!.shared = requests
    for (const { caller, requests } of others) {
      const count = shared.get(caller)!
      // A crash of the database server empties the table.
      count.others = Math.max(count.others, requests)
    }
  }
}
