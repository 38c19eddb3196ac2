/**
 * Implements `Database` over a pool of connections, for both kinds of database: embedded/database.ts and server.ts only open the pool, and
 * differ in how statements outside of transactions run.
 */
import { parseJson } from '@ulmus/content'
import pg from 'pg'
import { isUnavailable, noteDatabaseError } from '../errors/unavailable.ts'
import type { Database, Queries, Tx } from './database.ts'
import { isConflict } from './sql-errors.ts'
import { refuseInsideTransaction, runInTransaction, singleStatement } from './transaction-scope.ts'

/** Further runs of a transaction after a serialization failure or a deadlock. */
const runsAgainMax = 3

/** Every `bigint` is a count, or bytes: none is above 2^53 − 1. */
export const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)
for (const type of [pg.types.builtins.JSON, pg.types.builtins.JSONB]) types.setTypeParser(type, parseJson)

/** A text with several statements is answered by an array of results. */
type Run = (statement: pg.QueryConfig) => Promise<pg.QueryResult | pg.QueryResult[]>

/** Runs statements outside of transactions. */
export interface Outside {
  readonly run: Run
  readonly lookUp: Run
}

/** Receives the errors of connections that fail or cannot be made. */
type Lost = (error: Error) => void

async function noting<T>(lost: Lost, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (noteDatabaseError(error)) lost(error as Error)
    throw error
  }
}

/** An error gets the statement and its values as non-enumerable members, for the log (errors/logged-error.ts). */
function queryOn(run: Run, lost: Lost): Queries['query'] {
  return async (text, values, name) => {
    try {
      const result = await noting(lost, () => run({ text, values, name }))
      return { rows: Array.isArray(result) ? result.flatMap(({ rows }) => rows) : result.rows }
    } catch (error) {
      const member = (value: unknown) => ({ value, configurable: true })
      if (error instanceof Error)
        Object.defineProperties(error, { query: member(text), params: member(values) })
      throw error
    }
  }
}

/**
 * @param parts.pool of connections for transactions
 * @param parts.lost default: such errors are only those of the statements
 */
export function pooledDatabase(
  parts: Pick<Database, 'kind' | 'notify' | 'listen' | 'close'> & {
    pool: pg.Pool
    outside: Outside
    lost?: Lost | undefined
  },
): Database {
  const { kind, pool, notify, listen, close, lost = () => undefined } = parts
  const query = queryOn(parts.outside.run, lost)
  const lookUp = queryOn(parts.outside.lookUp, lost)
  return {
    kind,
    async query(...statement) {
      refuseInsideTransaction()
      return query(...statement)
    },
    async lookUp(...statement) {
      refuseInsideTransaction()
      return lookUp(...statement)
    },
    async transact(work) {
      refuseInsideTransaction()
      return againOnConflict(() => runInTransaction(() => transactOn({ pool, lost }, work)))
    },
    async transactOnce(work) {
      refuseInsideTransaction()
      return againOnConflict(() => runInTransaction(() => work(singleStatement(query))))
    },
    connections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async ping() {
      await pool.query('select 1')
    },
    notify,
    listen,
    close,
  }
}

async function againOnConflict<T>(transact: () => Promise<T>): Promise<T> {
  for (let run = 0; ; run++) {
    try {
      return await transact()
    } catch (error) {
      if (run === runsAgainMax || !isConflict(error)) throw error
    }
  }
}

async function transactOn<T>(
  { pool, lost }: { pool: pg.Pool; lost: Lost },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const client = await noting(lost, () => pool.connect())
  try {
    await noting(lost, () => client.query('begin'))
    const query = queryOn((statement) => client.query(statement), lost)
    const result = await work({ query, lookUp: query } as Tx)
    const ended = await noting(lost, () => client.query('commit'))
    // If the caller swallowed the error of a failed statement, "commit" rolls the transaction back without an error.
    if (ended.command !== 'COMMIT')
      throw new Error('The transaction was rolled back: one of its statements had failed.')
    client.release()
    return result
  } catch (error) {
    const rolledBack = await client.query('rollback').catch(() => undefined)
    // A server that became read-only still rolls back: later transactions need another one.
    client.release(rolledBack === undefined || isUnavailable(error))
    throw error
  }
}
