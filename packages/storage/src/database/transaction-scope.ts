/**
 * Detects code that runs inside a transaction, to refuse statements on the database itself: with one session, as embedded, they would
 * deadlock. Also makes single-statement transactions.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Queries, Tx } from './database.ts'

const scopes = new AsyncLocalStorage<{ open: boolean }>()

/** Marks `work` as running inside a transaction that ends with it. */
export function runInTransaction<T>(work: () => Promise<T>): Promise<T> {
  const scope = { open: true }
  return scopes.run(scope, async () => {
    try {
      return await work()
    } finally {
      scope.open = false
    }
  })
}

/** @throws Error if called inside a transaction of any database. */
export function refuseInsideTransaction(): void {
  if (scopes.getStore()?.open !== true) return
  throw new Error(
    'Inside a transaction, statements run on its `tx`: on the database itself they would wait for it.',
  )
}

/** A transaction of a single statement. @throws Error from the second statement, which would not be part of it. */
export function singleStatement(query: Queries['query']): Tx {
  let isMade = false
  const once: Queries['query'] = async (text, values, name) => {
    if (isMade) throw new Error('A transaction of a single statement made another.')
    isMade = true
    return query(text, values, name)
  }
  return { query: once, lookUp: once } as Tx
}
