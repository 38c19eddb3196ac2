/**
 * Retries the making of a version if a sweep removed objects that it relied on. Commits, metadata updates and forks reuse stored
 * objects without locking them; the landing transaction detects the loss (storage's sql/objects/sweeps.ts).
 */
import { type ObjectReader, ObjectsSweptError } from '@ulmus/storage'

/** Maximum runs, the first included. Each further one means that a sweep removed objects again. */
const runsMax = 4

/**
 * Runs `work`, which builds and lands a version, and retries it if a sweep removed objects that it relied on: nothing was
 * recorded then.
 * @param objects the reader that `work` uses: its cache of locations may be outdated
 */
export async function retryIfSwept<T>(
  objects: Pick<ObjectReader, 'forget'>,
  work: () => Promise<T>,
): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ObjectsSweptError) || run === runsMax) throw error
      for (const { kind, hash } of error.objects) objects.forget(kind, hash)
    }
  }
}
