/** Background work that failed, of all queues, for operators: what, when and why, without the content of collections. */
import {
  accountSlugs,
  type FailedDeletion,
  type FailedDeliveries,
  type FailedMail,
  type FailedStrip,
  type FailedWrite,
  lastEndOf,
  listFailedDeletions,
  listFailedDeliveries,
  listFailedMails,
  listFailedStrips,
  listFailedWrites,
  retryDeletion,
  retryFailedDeliveries,
  retryMail,
  retryPeriodicTask,
  retryStrip,
  type Tx,
} from '@ulmus/storage'
import { demandCredential } from '../access/authority.ts'
import { isUuid } from '../answers/pages.ts'
import type { Context } from '../context.ts'
import type { FailedTask } from '../failed-tasks.ts'
import type { Caller } from '../principal.ts'
import { schedule } from '../schedule.ts'
import type { InstalledTables } from '../tables/find-table.ts'
import type { TableFailure } from '../tables/folder/failures.ts'
import { sweeping } from '../upkeep/sweep.ts'
import { stripAttemptsMax } from '../versions/strip/strips.ts'

/** Jobs of each queue in a list. */
const listedMax = 50
/** Deliveries of a webhook that one retry makes due. */
const deliveriesMax = 1_000
/** Errors of the server; others are answers to the author of the write. */
const serverErrors = ['internal', 'object_corrupt', 'storage_full', 'unavailable']

/** A table that could not be built, with the slug of the account that owns the collection. */
export type FailedTable = TableFailure & { readonly account: string | undefined }

/** Of the whole registry; `tasks` and `tables` of this server. */
export interface FailedJobs {
  readonly deliveries: readonly FailedDeliveries[]
  readonly writes: readonly FailedWrite[]
  readonly deletions: readonly FailedDeletion[]
  readonly strips: readonly FailedStrip[]
  readonly mails: readonly FailedMail[]
  /** Time of the last sweep, if it failed. */
  readonly sweep: Date | undefined
  readonly tasks: readonly FailedTask[]
  readonly tables: readonly FailedTable[]
}

export const retriedQueues = ['delivery', 'deletion', 'strip', 'mail', 'sweep', 'task', 'table'] as const

/** Jobs that can be retried, with the id of the webhook, the deletion, the version, the mail or the table, or the name of the task. */
export interface RetriedJob {
  readonly queue: (typeof retriedQueues)[number]
  readonly id: string
}

export async function failedJobs(context: Context, installed: InstalledTables | string): Promise<FailedJobs> {
  const { database, jobs, now } = context
  const failures = typeof installed === 'string' ? [] : installed.files.failures.list().slice(0, listedMax)
  const [deliveries, writes, deletions, strips, mails, sweep, slugs] = await Promise.all([
    listFailedDeliveries(database, listedMax),
    listFailedWrites(database, serverErrors, listedMax),
    listFailedDeletions(database, listedMax),
    listFailedStrips(database, stripAttemptsMax + 1, listedMax),
    listFailedMails(database, listedMax),
    lastEndOf(database, sweeping),
    accountSlugs(database, [...new Set(failures.map(({ owner }) => owner))]),
  ])
  const isSwept = sweep === undefined || sweep.succeeded
  return {
    ...{ deliveries, writes, deletions, strips, mails, tasks: jobs.failed() },
    sweep: isSwept ? undefined : new Date(now().getTime() - sweep.secondsAgo * 1_000),
    tables: failures.map((failure) => ({ ...failure, account: slugs.get(failure.owner) })),
  }
}

/** Makes failed work due now. Returns false if it does not wait for that any more. */
export async function retryJob(
  context: Context,
  caller: Caller,
  installed: InstalledTables | string,
  { queue, id }: RetriedJob,
): Promise<boolean> {
  const { database, jobs, now } = context
  const inRows = (retry: (tx: Tx) => Promise<boolean>) =>
    database.transact(async (tx) => {
      await demandCredential(context, tx, caller)
      return retry(tx)
    })
  if (queue === 'task') return jobs.retry(id)
  if (queue === 'table') return typeof installed !== 'string' && installed.files.failures.forget(id)
  if (queue === 'sweep') {
    const isDue = await inRows((tx) => retryPeriodicTask(tx, sweeping))
    if (isDue) jobs.retry(schedule.sweep.name)
    return isDue
  }
  if (!isUuid(id)) return false
  const { kind, retry } = {
    delivery: {
      kind: 'deliveries' as const,
      retry: async (tx: Tx) => (await retryFailedDeliveries(tx, id, { most: deliveriesMax, now: now() })) > 0,
    },
    deletion: { kind: 'deletions' as const, retry: (tx: Tx) => retryDeletion(tx, id) },
    strip: { kind: 'strips' as const, retry: (tx: Tx) => retryStrip(tx, id, stripAttemptsMax + 1) },
    mail: { kind: 'mails' as const, retry: (tx: Tx) => retryMail(tx, id, now()) },
  }[queue]
  const isDue = await inRows(retry)
  if (isDue) jobs.wake(kind)
  return isDue
}
