/**
 * Look-ups: statements that nearly every request makes outside of transactions. They share one connection and are pipelined:
 * each is sent without waiting for earlier answers. Most of the cost of a statement to another process or thread is waking the other
 * side; a statement that finds it awake costs half. Answers arrive in the order of the statements, each ended by its own
 * message, also when a statement fails.
 *
 * A slow statement delays those behind it. So where there are other connections, only statements by `lookUp` use this one: they read a
 * row or two by key.
 */
import pg from 'pg'
import { isUnavailable } from '../errors/unavailable.ts'

/** Silence after which the connection is closed and all its pending statements fail. Milliseconds. */
const silenceMillisecondsMax = 10_000

/**
 * A pool with a single connection to a server, for look-ups.
 * @param config of a pool
 * @param silenceMilliseconds less in tests
 */
export const poolForLookUps = (
  config: pg.PoolConfig,
  silenceMilliseconds = silenceMillisecondsMax,
): pg.Pool => new pg.Pool({ ...config, max: 1, pipeline: true, query_timeout: silenceMilliseconds })

/** A connection that look-ups use until all of them are answered. */
interface Hold {
  readonly client: Promise<pg.PoolClient>
  isTaken: boolean
  /** True if the connection itself has failed, not only a statement on it. */
  isBroken: boolean
  underWay: number
}

export class LookUps {
  readonly #pool: pg.Pool
  #hold: Hold | undefined

  /** @param pool of one connection in pipeline mode. Other waiters get it before later look-ups. */
  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const hold = this.#current()
    hold.underWay++
    try {
      return await (await hold.client).query(statement)
    } catch (error) {
      if (isUnavailable(error)) this.#leave(hold).isBroken = true
      throw error
    } finally {
      if (--hold.underWay === 0) {
        this.#leave(hold).client.then(
          (client) => client.release(hold.isBroken),
          () => undefined,
        )
      }
    }
  }

  #current(): Hold {
    if (this.#hold !== undefined && !(this.#hold.isTaken && this.#pool.waitingCount > 0)) return this.#hold
    const hold: Hold = { client: this.#pool.connect(), isTaken: false, isBroken: false, underWay: 0 }
    hold.client.then(
      () => {
        hold.isTaken = true
      },
      () => undefined,
    )
    this.#hold = hold
    return hold
  }

  /** Makes later look-ups use another connection. */
  #leave(hold: Hold): Hold {
    if (this.#hold === hold) this.#hold = undefined
    return hold
  }
}
