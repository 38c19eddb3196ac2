/** State of the registry for operators: failed jobs, load and disk space. */

import { demandOperator } from '../access/operators.ts'
import type { Context } from '../context.ts'
import type { Load, LoadSample } from '../monitoring/load.ts'
import type { Principal } from '../principal.ts'
import { type RefusedWrites, refusedWrites } from '../stores/write-watch.ts'
import { type Disk, type DiskPlaces, type DiskUsage, diskUsageOf, findDisks } from './disk-usage.ts'
import { type FailedJobs, failedJobs, type RetriedJob, retryJob } from './failed-jobs.ts'

export interface OperatorState extends DiskPlaces {
  readonly load: Load
}

/** @throws unauthenticated, insufficient_scope, key_limited, not_an_operator */
export const operatorStateOf = (context: Context, { load, ...places }: OperatorState) => ({
  async failed(who: Principal): Promise<FailedJobs> {
    await demandOperator(context, who)
    return failedJobs(context, places.installed)
  },

  /** Makes failed work due now. Returns false if it does not wait for that any more. */
  async retry(who: Principal, job: RetriedJob): Promise<boolean> {
    const caller = await demandOperator(context, who)
    return retryJob(context, caller, places.installed, job)
  },

  /** Load of this server, the oldest sample first. */
  async load(who: Principal): Promise<readonly LoadSample[]> {
    await demandOperator(context, who)
    return load.samples()
  },

  /** Stores that refuse writes now, as this server met them. */
  async refusedWrites(who: Principal): Promise<readonly RefusedWrites[]> {
    await demandOperator(context, who)
    return refusedWrites(context)
  },

  async disks(who: Principal): Promise<readonly Disk[]> {
    await demandOperator(context, who)
    return findDisks(places)
  },

  /** Reads a row for each pack and file, and the facts of each table file. */
  async disk(who: Principal): Promise<DiskUsage> {
    await demandOperator(context, who)
    return diskUsageOf(context, places)
  },
})
