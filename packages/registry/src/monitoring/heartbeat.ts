/**
 * Heartbeats of the processes of a registry. A newer release finds running servers by them (packages/storage/src/database/other-servers.ts),
 * and every process finds out whether any does background work: without it, asynchronous commits wait and no sweep runs.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import {
  noteServer,
  noteServerEnd,
  type Queries,
  type ServerProcess,
  secondsSinceWork,
  silentSecondsMax,
} from '@ulmus/storage'
import type { Context } from '../context.ts'
import { schedule } from '../schedule.ts'
import { inTime } from './in-time.ts'

/** This process, as others see it. */
export interface Server extends ServerProcess {
  /** True if it does background work. */
  readonly works: boolean
}

export const newServer = (release: string, works: boolean): Server => ({
  id: randomUUID(),
  host: hostname(),
  release,
  works,
})

/**
 * Writes heartbeats of this process. Every process looks for workers, and logs once when all are missing and once when one is back.
 * @param patienceSeconds since the start of this process: a worker may be starting at the same time
 */
export function scheduleHeartbeat(
  context: Context,
  server: Server,
  patienceSeconds = silentSecondsMax,
): void {
  const patience = () => performance.now() + patienceSeconds * 1_000
  let patientUntil = patience()
  context.jobs.repeat(schedule.heartbeat, () => beat(context, server))
  let silent = false
  const alive = () =>
    isAlive(context.database).catch((error: unknown) => {
      // Without a database no worker could write a heartbeat.
      patientUntil = patience()
      throw error
    })
  const look = async () => {
    if ((await context.space.isFull()) || (await alive()) !== silent) return
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

/** Writes a heartbeat. On a full disk, background work pauses, and the embedded database, which no other process uses, has no room for rows. */
export async function beat(
  { database, space }: Pick<Context, 'database' | 'space'>,
  { works, ...server }: Server,
): Promise<void> {
  const isFull = await space.isFull()
  if (isFull && database.kind === 'embedded') return
  await database.transactOnce((tx) => noteServer(tx, server, works && !isFull))
}

/** Records the end of this process on a database that others share, so that a newer release need not wait for its silence. Never rejects. */
export async function endBeats({ database }: Pick<Context, 'database'>, { id }: Server): Promise<void> {
  if (database.kind === 'server') await inTime(database.transactOnce((tx) => noteServerEnd(tx, id)))
}

/** Seconds since the last heartbeat of any worker; undefined if there was none. */
export const secondsSinceBeat = secondsSinceWork

/** True if any process does background work. */
export async function isAlive(at: Queries): Promise<boolean> {
  const seconds = await secondsSinceBeat(at)
  return seconds !== undefined && seconds <= silentSecondsMax
}
