/** Housekeeping of the database: deletes expired rows, vacuums an embedded database. */
import {
  claimPeriodicTask,
  dropClosedReports,
  dropEndedDeviceLogins,
  dropEndedInvitations,
  dropEndedMetadataJobs,
  dropEndedOpenings,
  dropEndedPushes,
  dropEndedSessions,
  dropEndedWorkloadKeys,
  dropOldAuditEvents,
  dropOldEvents,
  dropOldMails,
  dropOrphanedWebhooks,
  dropRenderedReadmes,
  dropRequestCounts,
  dropSilentServers,
  dropUsedTokens,
  dropWebhookRequests,
  type Tx,
  vacuumTables,
} from '@ulmus/storage'
import type { Context } from '../context.ts'
import { schedule } from '../schedule.ts'

/** Retention of metadata jobs after their end, for polling. Hours. */
const metadataJobHours = 24
/** Retention of push sessions after their end, for their outcome. Days. */
const pushDays = 7
/** Retention of request counts after their last exchange. Hours. */
const requestCountHours = 0.1
/** Retention of rendered readmes after their last use, in days: no longer than a deleted collection stays set aside. */
const renderedReadmeDays = 7
/** Retention of a publisher's keys after their end, so that a late job gets the reason. Hours. */
const workloadKeyHours = 24
/** Retention of mails, in days: no invitation lives longer. */
const mailDays = 14
/** Retention of servers after their last heartbeat. Hours. */
const silentServerHours = 24
/** Rows deleted in one transaction; others may have to wait for it. */
const rowsAtOnce = 2_000
const hourMilliseconds = 3_600_000

export type ExpiryContext = Pick<Context, 'database' | 'limits' | 'now'>

/** Runs once an hour on one of the servers. */
export function scheduleExpiry(context: Context): void {
  context.jobs.repeat(schedule.expiry, async () => {
    const due = await context.database.transact((tx) =>
      claimPeriodicTask(tx, 'expiry', schedule.expiry.onceInSeconds),
    )
    if (due) await expireRows(context)
  })
}

/** Deletes all expired rows, table by table in transactions of their own, so that an interrupted run loses nothing. */
export async function expireRows(context: ExpiryContext): Promise<void> {
  const { database } = context
  const ago = (hours: number) => new Date(context.now().getTime() - hours * hourMilliseconds)
  await dropAll(context, (tx) => dropEndedMetadataJobs(tx, ago(metadataJobHours), rowsAtOnce))
  await dropAll(context, (tx) => dropEndedPushes(tx, ago(pushDays * 24), rowsAtOnce))
  await dropAll(context, (tx) => dropEndedSessions(tx, context.now(), rowsAtOnce))
  await dropAll(context, (tx) => dropEndedWorkloadKeys(tx, ago(workloadKeyHours), rowsAtOnce))
  await dropAll(context, (tx) => dropUsedTokens(tx, context.now(), rowsAtOnce))
  await dropAll(context, (tx) => dropOldAuditEvents(tx, ago(context.limits.auditDays * 24), rowsAtOnce))
  await dropAll(context, (tx) => dropClosedReports(tx, ago(context.limits.auditDays * 24), rowsAtOnce))
  await dropAll(context, (tx) => dropOldEvents(tx, ago(context.limits.eventDays * 24), rowsAtOnce))
  await dropAll(context, (tx) => dropOrphanedWebhooks(tx, rowsAtOnce))
  await dropAll(context, (tx) => dropOldMails(tx, ago(mailDays * 24), rowsAtOnce))
  await database.transact((tx) => dropEndedDeviceLogins(tx, context.now()))
  await database.transact((tx) => dropEndedInvitations(tx, context.now()))
  await database.transact((tx) => dropEndedOpenings(tx, context.now()))
  await database.transactOnce((tx) => dropWebhookRequests(tx, ago(requestCountHours)))
  await database.transactOnce((tx) => dropSilentServers(tx, ago(silentServerHours)))
  await database.transactOnce((tx) => dropRequestCounts(tx, ago(requestCountHours)))
  await database.transactOnce((tx) => dropRenderedReadmes(tx, ago(renderedReadmeDays * 24)))
  if (database.kind === 'embedded') await vacuumTables(database)
}

async function dropAll({ database }: ExpiryContext, drop: (tx: Tx) => Promise<number>): Promise<void> {
  for (let dropped = rowsAtOnce; dropped === rowsAtOnce; ) dropped = await database.transact(drop)
}
