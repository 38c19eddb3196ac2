/** Pools of threads for tasks that cost CPU. */
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'

type PoolOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>

/**
 * As many threads as cores, two at least; they start when first needed and end after 30 s of idleness. A task that had to wait goes to an
 * idle thread that has begun, if there is one. Piscina prefers threads that are still beginning, which takes them a second. They are not
 * passed over: where none takes a task, Piscina begins as many more as it may, and while it closes does nothing else any more.
 */
export function openThreadPool(options: PoolOptions): Piscina {
  const begun = new Set<number>()
  const pool = new Piscina({
    minThreads: 0,
    maxThreads: Math.max(2, availableParallelism()),
    idleTimeout: 30_000,
    loadBalancer: (_task, workers) => {
      const idle = workers.filter(({ currentUsage }) => currentUsage === 0)
      return idle.find(({ id }) => begun.has(id)) ?? idle[0] ?? null
    },
    ...options,
  })
  pool.on('workerCreate', ({ id }: { id: number }) => begun.add(id))
  pool.on('workerDestroy', ({ id }: { id: number }) => begun.delete(id))
  return pool
}
