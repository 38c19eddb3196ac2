/** Signs of life of those who do background work: without one, pushes stay unsettled, packs ungathered and nothing is swept. */
import { endChore, endOfChore, type Queries } from '@ulmus/storage'
import type { Context } from '../context.ts'

const working = 'background work'
const beatEverySeconds = 15
/** Two signs that did not come, and some patience. */
const silentSecondsMax = 40

/**
 * Where background work is done, it says so in the database; every process looks, and says in its log when nobody does and when again
 * somebody does.
 * @param patienceSeconds since its own start: who starts beside a worker does not miss it
 */
export function scheduleHeartbeat(context: Context, patienceSeconds = silentSecondsMax): void {
  const patientUntil = performance.now() + patienceSeconds * 1_000
  context.jobs.repeat('the sign of life of background work', beatEverySeconds, () => beat(context))
  let silent = false
  const look = async () => {
    if ((await context.space.isFull()) || (await isAlive(context.database)) !== silent) return
    if (performance.now() < patientUntil) return
    silent = !silent
    if (silent)
      context.log.warn(
        {},
        'Nobody does background work: start a server with `worker` in ROLES, or find out why the one there was has ended.',
      )
    else context.log.info({}, 'Background work is done again.')
  }
  context.jobs.repeat('the look for background work', beatEverySeconds, look, {
    frees: true,
    everywhere: true,
  })
}

export const beat = ({ database }: Pick<Context, 'database'>): Promise<void> =>
  database.transactOnce((tx) => endChore(tx, working, true))

/** How long ago any process gave its last sign. Undefined: none ever has. Seconds. */
export const secondsSinceBeat = async (at: Queries): Promise<number | undefined> =>
  (await endOfChore(at, working))?.secondsAgo

export async function isAlive(at: Queries): Promise<boolean> {
  const seconds = await secondsSinceBeat(at)
  return seconds !== undefined && seconds <= silentSecondsMax
}
