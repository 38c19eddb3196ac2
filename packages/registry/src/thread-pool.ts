/** Pools of threads for tasks that cost CPU. */
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'

type PoolOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>

/**
 * As many threads as cores, two at least; they start when first needed and end after 30 s of idleness. A task goes to a thread that has
 * begun and is idle. Piscina by itself gives tasks that had to wait to threads that are still beginning, which takes them a second, rather
 * than to one that is done in a millisecond.
 */
export function openThreadPool(options: PoolOptions): Piscina {
  const begun = new Set<number>()
  const pool = new Piscina({
    minThreads: 0,
    maxThreads: Math.max(2, availableParallelism()),
    idleTimeout: 30_000,
    loadBalancer: (_task, workers) =>
      workers.find(({ id, currentUsage }) => currentUsage === 0 && begun.has(id)) ?? null,
    ...options,
  })
  pool.on('workerCreate', ({ id }: { id: number }) => begun.add(id))
  pool.on('workerDestroy', ({ id }: { id: number }) => begun.delete(id))
  return pool
}
