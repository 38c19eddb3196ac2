/** The inside of a transaction: whether code runs in one, to refuse what would wait for itself; and one of a single statement. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Queries, Tx } from './database.ts'

const scopes = new AsyncLocalStorage<{ open: boolean }>()

/** Runs `work` as the inside of a transaction, which ends with it. */
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

/** @throws Error when called inside a transaction, of whatever database. */
export function refuseInsideTransaction(): void {
  if (scopes.getStore()?.open !== true) return
  throw new Error(
    'Inside a transaction, statements run on its `tx`: on the database itself they would wait for it.',
  )
}

/** A transaction that is a single statement. @throws Error from the second, which would not be part of it. */
export function singleStatement(query: Queries['query']): Tx {
  let isMade = false
  const once: Queries['query'] = async (text, values, name) => {
    if (isMade) throw new Error('A transaction of a single statement made another.')
    isMade = true
    return query(text, values, name)
  }
  return { query: once, lookUp: once } as Tx
}
