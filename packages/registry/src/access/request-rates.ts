/**
 * Rate limits per caller and clock minute. Each process counts its own requests. Processes on one database exchange the counts of
 * active callers in the background, so no request waits for the exchange. While the database is down, each process counts alone.
 */
import { hash, randomUUID } from 'node:crypto'
import { type CountOfCaller, shareRequestCounts } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { schedule } from '../schedule.ts'

/**
 * Share a caller's count from this part of the limit on; at once, when the unshared requests reach this part of the remaining
 * quota.
 */
const sharedPart = 1 / 10
const minuteMilliseconds = 60_000
/** Maximum callers in memory. When half as many have made requests since the last eviction, the others are evicted. */
const rememberedMax = 100_000

/** A caller's quota after a request. */
export interface RateState {
  readonly isOver: boolean
  readonly remaining: number
  /** Seconds until the minute ends, 1–60. */
  readonly resetSeconds: number
}

/** Requests of one caller in this minute. */
interface Count {
  /** Excludes refused requests: a caller over the limit must cause no work. */
  own: number
  /** The part of `own` that other processes can know. */
  shared: number
  others: number
}

/** Shares this process's counts of a minute and returns those of the others. */
export type Share = (minute: Date, counts: readonly CountOfCaller[]) => Promise<readonly CountOfCaller[]>

/** The counter of this process; shares counts if other processes use the same database. */
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

/** Counts of this process and, as far as known, of the others in the current minute. */
export class RequestRates {
  readonly #now: () => Date
  readonly #share: Share | undefined
  #minute = 0
  /** Counts by caller. A caller's next request moves its count from `#earlier` to `#recent`. */
  #recent = new Map<string, Count>()
  #earlier = new Map<string, Count>()
  readonly #untold = new Map<string, Count>()
  #sharing: Promise<void> | undefined
  /**
   * True if the last exchange succeeded. After a failure only the scheduled exchange retries, within a second; requests start
   * none.
   */
  #isHeard = true

  constructor(now: () => Date, share?: Share) {
    this.#now = now
    this.#share = share
  }

  /**
   * Counts a request, unless the caller is over the limit.
   * @param kind of limit; the same name is counted separately for each kind
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
    // Share the count of such a fast caller at once. The periodic exchange logs failures.
    this.share().catch(() => undefined)
  }

  async #shareUntold(): Promise<void> {
    if (this.#share === undefined || this.#untold.size === 0) return
    const shared = new Map<string, Count>()
    const counts: CountOfCaller[] = []
    for (const [who, count] of this.#untold) {
      // Hash the caller: addresses are private.
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
      // Keep the higher count: a crash of the database server empties the table.
      count.others = Math.max(count.others, requests)
    }
  }
}
