/** Heartbeats of processes that do background work. Without that work, asynchronous commits wait and no sweep runs. */
import { endPeriodicTask, lastEndOf, type Queries } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { schedule } from '../schedule.ts'

/** Name of the heartbeat's row in the table of periodic tasks, the same for all processes of a registry. */
const working = 'background work'
/** Two missed beats and some tolerance. */
const silentSecondsMax = 40

/**
 * Processes with the role `worker` write a heartbeat to the database. Every process reads it, and logs once when it is missing
 * and once when it is back.
 * @param patienceSeconds since the start of this process: a worker may be starting at the same time
 */
export function scheduleHeartbeat(context: Context, patienceSeconds = silentSecondsMax): void {
  const patientUntil = performance.now() + patienceSeconds * 1_000
  context.jobs.repeat(schedule.heartbeat, () => beat(context))
  let silent = false
  const look = async () => {
    if ((await context.space.isFull()) || (await isAlive(context.database)) !== silent) return
    if (performance.now() < patientUntil) return
    silent = !silent
    if (silent)
      context.log.warn(
        {},
        'No worker is running: start a server with `worker` in ROLES, or find out why the last one ended.',
      )
    else context.log.info({}, 'Background work is done again.')
  }
  context.jobs.repeat(schedule.heartbeatWatch, look)
}

/** Writes a heartbeat. */
export const beat = ({ database }: Pick<Context, 'database'>): Promise<void> =>
  database.transactOnce((tx) => endPeriodicTask(tx, working, true))

/** Seconds since the last heartbeat of any process; undefined if there was none. */
export const secondsSinceBeat = async (at: Queries): Promise<number | undefined> =>
  (await lastEndOf(at, working))?.secondsAgo

/** True if any process does background work. */
export async function isAlive(at: Queries): Promise<boolean> {
  const seconds = await secondsSinceBeat(at)
  return seconds !== undefined && seconds <= silentSecondsMax
}
