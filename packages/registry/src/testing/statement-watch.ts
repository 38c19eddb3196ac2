/** A database that records its named statements, and can run a function before one of them. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, Queries } from '@ulmus/storage'

export interface StatementWatch {
  /** Names of the statements of `query`, in order. */
  made: string[]
  /** Runs once, before the next statement of that name, in a transaction of its own. */
  before: { name: string; work: () => Promise<unknown> } | undefined
}

type Query = Queries['query']

export function watchingStatements(database: Database, watch: StatementWatch): Database {
  const watched =
    (query: Query, outside: (work: () => Promise<unknown>) => Promise<unknown>): Query =>
    async (text, values, name) => {
      const { before } = watch
      if (name !== undefined && before?.name === name) {
        watch.before = undefined
        await outside(before.work)
      }
      if (name !== undefined) watch.made.push(name)
      return query(text, values, name)
    }
  const transacting =
    (transact: Database['transact']): Database['transact'] =>
    (work) => {
      const outside = AsyncLocalStorage.snapshot()
      return transact((tx) => work(Object.create(tx, { query: { value: watched(tx.query, outside) } })))
    }
  return {
    ...database,
    query: watched(database.query, (work) => work()),
    transact: transacting(database.transact),
    transactOnce: transacting(database.transactOnce),
  }
}
