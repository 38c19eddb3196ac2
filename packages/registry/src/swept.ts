/** What to do when a sweep was quicker than a commit. */
import { ObjectsSwept } from '@ulmus/storage'

const runsMax = 4

/** Runs `work`, which builds a version and makes it, again when a sweep removed what it relied on; nothing of it was recorded then. */
export async function againIfSwept<T>(work: () => Promise<T>): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ObjectsSwept) || run === runsMax) throw error
    }
  }
}
