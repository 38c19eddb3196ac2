/** Tells whether code runs inside a transaction that is still open, to refuse what would wait for itself. */
import { AsyncLocalStorage } from 'node:async_hooks'

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
