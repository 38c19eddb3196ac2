/** A database behind a pool of connections: statements and transactions, whatever is at the other end. */
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import type { Database, Tx } from './database.ts'
import type { Orm } from './orm.ts'
import { isConflict } from './sql-errors.ts'
import { refuseInsideTransaction, runInTransaction, singleStatement } from './transaction-scope.ts'

const runsAgainMax = 3

export const ormOn = (client: pg.Pool | pg.PoolClient): Orm => drizzle({ client })

/** Every `bigint` is a count, or bytes: none is above 2^53 − 1. */
export const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** Runs statements outside of transactions. */
export interface Outside {
  readonly orm: Orm
  run(statement: pg.QueryConfig): Promise<pg.QueryResult>
  lookUp(statement: pg.QueryConfig): Promise<pg.QueryResult>
}

/** @param parts.pool of connections for transactions */
export function pooledDatabase(parts: {
  kind: Database['kind']
  pool: pg.Pool
  outside: Outside
  close: () => Promise<void>
}): Database {
  const { kind, pool, close } = parts
  const { orm, run, lookUp } = parts.outside
  const query: Database['query'] = async (text, values, name) => rowsOf(await run({ text, values, name }))
  return {
    kind,
    get orm() {
      refuseInsideTransaction()
      return orm
    },
    async query(...statement) {
      refuseInsideTransaction()
      return query(...statement)
    },
    async lookUp(text, values, name) {
      refuseInsideTransaction()
      return rowsOf(await lookUp({ text, values, name }))
    },
    async transact(work) {
      refuseInsideTransaction()
      return againOnConflict(() => runInTransaction(() => transactOn(pool, work)))
    },
    async transactOnce(work) {
      refuseInsideTransaction()
      return againOnConflict(() => runInTransaction(() => work(singleStatement(query))))
    },
    connections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async ping() {
      await pool.query('select 1')
    },
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

async function transactOn<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const query: Tx['query'] = async (text, values, name) =>
      rowsOf(await client.query({ text, values, name }))
    const result = await work({ orm: ormOn(client), query, lookUp: query } as Tx)
    const ended = await client.query('commit')
    // A failed statement whose error was swallowed leaves a transaction that "commit" rolls back without an error.
    if (ended.command !== 'COMMIT')
      throw new Error('The transaction was rolled back: one of its statements had failed.')
    client.release()
    return result
  } catch (error) {
    const rolledBack = await client.query('rollback').catch(() => undefined)
    client.release(rolledBack === undefined)
    throw error
  }
}

/** Several statements at once answer with an array of results. */
function rowsOf<Row>(result: pg.QueryResult | pg.QueryResult[]): { rows: Row[] } {
  return { rows: Array.isArray(result) ? result.flatMap((one) => one.rows) : result.rows }
}
