/** The sweep that nobody has to ask for. */
import { claimPeriodicTask } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { sweep, sweeping } from '../sweep.ts'
import { SweepTooLarge } from './most.ts'

const sweepEverySeconds = 86_400
const lookEverySeconds = 600

/**
 * Sweeps once a day, on whichever server comes first.
 * @param demandSame rejects when the two stores are not of one installation (any more)
 */
export function scheduleSweeps(context: Context, demandSame: () => Promise<void>): void {
  const sweepIfDue = async () => {
    const due = await context.database.transact((tx) => claimPeriodicTask(tx, sweeping, sweepEverySeconds))
    if (due) await sweepAlone(context, demandSame)
  }
  context.jobs.repeat('the daily sweep', lookEverySeconds, sweepIfDue, { frees: true })
}

async function sweepAlone(context: Context, demandSame: () => Promise<void>): Promise<void> {
  await demandSame()
  try {
    const report = await sweep(context, { uploadDays: context.limits.uploadDays })
    context.log.info({ ...report }, 'swept')
  } catch (error) {
    if (!(error instanceof SweepTooLarge)) throw error
    context.log.error({ bytes: error.bytes, storeBytes: error.storeBytes }, error.message)
  }
}
