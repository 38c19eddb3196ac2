/**
 * Look-ups on a server: the statements that nearly every request makes, outside of transactions, share one connection, on which each is
 * sent without waiting for the answers before it. What a statement over TCP costs both sides is mostly waking each other up; one
 * that finds the other side awake costs half. Answers come in the order of statements, each closed by a message of its own, also when
 * a statement fails.
 *
 * A slow statement would hold up those behind it, so only those that are `prepared` come here: they read a row or two by a key.
 */
import { NodePgSession } from 'drizzle-orm/node-postgres'
import type { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'

/** A connection that has not answered for so long is given up, with all that was asked on it. Milliseconds. */
const silenceMillisecondsMax = 10_000

export class LookUps {
  readonly pool: pg.Pool
  #held: Promise<pg.PoolClient> | undefined
  #underWay = 0

  /**
   * @param config of a pool; its `max` does not count
   * @param silenceMilliseconds less in tests
   */
  constructor(config: pg.PoolConfig, silenceMilliseconds = silenceMillisecondsMax) {
    this.pool = new pg.Pool({
      ...config,
      max: 1,
      pipeline: true,
      query_timeout: silenceMilliseconds,
    })
  }

  /** What a session runs its statements on. */
  get client(): pg.Client {
    const query = (statement: pg.QueryConfig, values: unknown[]) => this.#query(statement, values)
    return { query } as unknown as pg.Client
  }

  async #query(statement: pg.QueryConfig, values: unknown[]): Promise<pg.QueryResult> {
    this.#held ??= this.pool.connect()
    const held = this.#held
    this.#underWay++
    try {
      return await (await held).query(statement, values)
    } finally {
      if (--this.#underWay === 0) {
        this.#held = undefined
        // The pool drops a connection that is broken.
        held.then(
          (client) => client.release(),
          () => undefined,
        )
      }
    }
  }
}

type Session = NodePgSession<Record<string, never>, Record<string, never>>

/** Drizzle's session, but for statements that were prepared under a name. */
export class LookingUpSession extends NodePgSession<Record<string, never>, Record<string, never>> {
  readonly #lookUps: Session

  constructor(pool: pg.Pool, dialect: PgDialect, lookUps: LookUps) {
    super(pool, dialect, undefined)
    this.#lookUps = new NodePgSession(lookUps.client, dialect, undefined)
  }

  override prepareQuery: Session['prepareQuery'] = (query, fields, name, ...rest) =>
    name === undefined
      ? super.prepareQuery(query, fields, name, ...rest)
      : this.#lookUps.prepareQuery(query, fields, name, ...rest)
}
