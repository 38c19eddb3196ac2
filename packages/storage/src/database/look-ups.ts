/**
 * Look-ups: the statements that nearly every request makes, outside of transactions, share one connection, on which each is sent without
 * waiting for the answers before it. What a statement to another process or thread costs both sides is mostly waking each other
 * up; one that finds the other side awake costs half. Answers come in the order of statements, each closed by a message of its
 * own, also when a statement fails.
 *
 * A slow statement holds up those behind it, so where there are other connections only those made by `lookUp` come here: they read a
 * row or two by a key.
 */
import pg from 'pg'
import { isUnavailable } from '../errors/unavailable.ts'

/** A connection that has not answered for so long is given up, with all that was asked on it. Milliseconds. */
const silenceMillisecondsMax = 10_000

/**
 * One connection to a server, for look-ups alone.
 * @param config of a pool
 * @param silenceMilliseconds less in tests
 */
export const poolForLookUps = (
  config: pg.PoolConfig,
  silenceMilliseconds = silenceMillisecondsMax,
): pg.Pool => new pg.Pool({ ...config, max: 1, pipeline: true, query_timeout: silenceMilliseconds })

/** A connection in use by look-ups until all of them are answered. */
interface Hold {
  readonly client: Promise<pg.PoolClient>
  isTaken: boolean
  /** It has failed itself, and not only a statement on it. */
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
