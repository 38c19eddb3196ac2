/** A process that dies at a chosen step: nothing that it does afterwards reaches its database or its store. */
import { type Database, openObjectReader } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { manualJobs } from './context.ts'

class KilledError extends Error {}

/**
 * The context of a process that dies before its `at`-th statement, commit or call of the store. An open transaction is rolled back, as the
 * database does when a connection closes.
 */
export function dyingProcess(context: Context, at: number) {
  let steps = 0
  const step = () => {
    if (++steps >= at) throw new KilledError('killed')
  }
  const stepping = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          step()
          return Reflect.apply(value, target, given)
        }
      },
    })
  const { transact, transactOnce } = context.database
  const database: Database = {
    ...stepping({ ...context.database }),
    transact(work) {
      step()
      return transact(async (tx) => {
        const result = await work(stepping(tx))
        step()
        return result
      })
    },
    transactOnce: (work) => transactOnce((tx) => work(stepping(tx))),
  }
  const blobs = stepping(context.blobs)
  const objects = openObjectReader({ database, blobs, cacheBytesMax: 1_024 ** 2 })
  const { jobs, run, settled } = manualJobs()
  const died = () => steps >= at
  return { context: { ...context, database, blobs, objects, jobs }, run, settled, died }
}
