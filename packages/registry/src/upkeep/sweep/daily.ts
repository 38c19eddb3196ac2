/**
 * Schedules the daily sweep. Before each sweep it checks that database and blob store belong together: with the database of another
 * installation, the sweep would take every object for unneeded.
 */
import { claimPeriodicTask } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { schedule } from '../../schedule.ts'
import { sweep, sweeping } from '../sweep.ts'
import { SweepTooLargeError } from './most.ts'

const daySeconds = 86_400

/**
 * Sweeps once a day, on one of the servers.
 * @param demandSame rejects if the two stores do not belong to one installation (any more)
 */
export function scheduleSweeps(context: Context, demandSame: () => Promise<void>): void {
  const sweepIfDue = async () => {
    const due = await context.database.transact((tx) =>
      claimPeriodicTask(tx, sweeping, schedule.sweep.onceInSeconds),
    )
    if (due) await sweepAlone(context, demandSame)
  }
  context.jobs.repeat(schedule.sweep, sweepIfDue)
}

async function sweepAlone(context: Context, demandSame: () => Promise<void>): Promise<void> {
  await demandSame()
  try {
    const { uploadDays, keepDeletedDays } = context.limits
    const report = await sweep(context, { uploadDays, asideSeconds: keepDeletedDays * daySeconds })
    context.log.info({ ...report }, 'swept')
  } catch (error) {
    if (!(error instanceof SweepTooLargeError)) throw error
    context.log.error({ bytes: error.bytes, storeBytes: error.storeBytes }, error.message)
  }
}
