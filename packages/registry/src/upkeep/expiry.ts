/** Housekeeping of the database: drops expired rows, vacuums an embedded database. */
import {
  claimPeriodicTask,
  dropEndedDeviceLogins,
  dropEndedInvitations,
  dropEndedMetadataJobs,
  dropEndedPushes,
  dropEndedSessions,
  dropOldAuditEvents,
  dropRenderedReadmes,
  dropRequestCounts,
  type Tx,
  vacuumTables,
} from '@ulmus/storage'
import type { Context } from '../context.ts'
import { schedule } from '../schedule.ts'

/** How long a metadata update can be polled after its end. */
const metadataJobHours = 24
/** How long an ended push session tells its outcome. */
const pushDays = 7
/** Lifetime of request counts since their last share. */
const requestCountHours = 0.1
/** How long a rendered readme stays cached after its last use: no longer than a deleted collection stays set aside. */
const renderedReadmeDays = 7
/** Rows dropped in one transaction, which others may have to wait for. */
const rowsAtOnce = 2_000
const hourMilliseconds = 3_600_000

export type ExpiryContext = Pick<Context, 'database' | 'limits' | 'now'>

/** Once an hour, on whichever server comes first, and not while one starts. */
export function scheduleExpiry(context: Context): void {
  context.jobs.repeat(schedule.expiry, async () => {
    const due = await context.database.transact((tx) =>
      claimPeriodicTask(tx, 'expiry', schedule.expiry.onceInSeconds),
    )
    if (due) await expireRows(context)
  })
}

export async function expireRows(context: ExpiryContext): Promise<void> {
  const { database } = context
  const ago = (hours: number) => new Date(context.now().getTime() - hours * hourMilliseconds)
  await dropAll(context, (tx) => dropEndedMetadataJobs(tx, ago(metadataJobHours), rowsAtOnce))
  await dropAll(context, (tx) => dropEndedPushes(tx, ago(pushDays * 24), rowsAtOnce))
  await dropAll(context, (tx) => dropEndedSessions(tx, context.now(), rowsAtOnce))
  await dropAll(context, (tx) => dropOldAuditEvents(tx, ago(context.limits.auditDays * 24), rowsAtOnce))
  await database.transact((tx) => dropEndedDeviceLogins(tx, context.now()))
  await database.transact((tx) => dropEndedInvitations(tx, context.now()))
  await database.transactOnce((tx) => dropRequestCounts(tx, ago(requestCountHours)))
  await database.transactOnce((tx) => dropRenderedReadmes(tx, ago(renderedReadmeDays * 24)))
  if (database.kind === 'embedded') await vacuumTables(database)
}

async function dropAll({ database }: ExpiryContext, drop: (tx: Tx) => Promise<number>): Promise<void> {
  for (let dropped = rowsAtOnce; dropped === rowsAtOnce; ) dropped = await database.transact(drop)
}
