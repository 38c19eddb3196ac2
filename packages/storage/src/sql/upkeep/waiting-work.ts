/** Looks for waiting work of all kinds at once: a server does so every other second. */
import type { Queries } from '../../database/database.ts'
import { isFollowDue } from '../collections/followed-questions.ts'
import { isDeliveryDue } from '../events/deliveries.ts'
import { isMailDue } from '../mails/mails.ts'
import { isCommitDue, isDryRunAbandoned } from '../pushes/leases.ts'
import { isLogDue } from '../version-log/log-queue.ts'
import { isUpdateDue } from '../versions/metadata-jobs.ts'
import { isStripDue } from '../versions/version-strips.ts'
import { isDeletionDue } from './deleted-collections.ts'

/** Work that waits in rows, by kind: a condition that is true if there is some. `$1` is the caller's time. */
const conditions = {
  /** Metadata updates that no process runs. */
  updates: `exists (select from metadata_jobs where ${isUpdateDue})`,
  /** Commits that no process runs. */
  commits: `exists (select from pushes where ${isCommitDue})`,
  /** Dry runs whose process died. */
  dryRuns: `exists (select from pushes where ${isDryRunAbandoned})`,
  /** Remains of deleted collections. */
  deletions: `exists (select from deletions where ${isDeletionDue})`,
  /** Changes without a number. */
  events: 'exists (select from outbox)',
  /** Events whose webhooks were not looked for. */
  fanOut:
    'exists (select from event_numbers numbers where not exists (select from fan_out where next >= numbers.next))',
  /** Requests to webhooks. */
  deliveries: isDeliveryDue('$1'),
  /** Mails to send, and those whose process ended. */
  mails: isMailDue('$1'),
  /** Changes without a leaf in the signed log, and leaves without a signature. */
  log: isLogDue,
  /** Versions whose changes by column are not computed. */
  strips: `exists (select from version_strips where ${isStripDue})`,
  /** Saved questions whose answers may have changed. */
  questions: `exists (select from saved_questions where ${isFollowDue})`,
} as const

export type WaitingKind = keyof typeof conditions
export const waitingKinds = Object.keys(conditions) as readonly WaitingKind[]

const look = `select ${waitingKinds.map((kind) => `${conditions[kind]} as "${kind}"`).join(', ')}`

/** @returns the kinds of which work waits */
export async function findWaitingWork(at: Queries, now: Date): Promise<WaitingKind[]> {
  const { rows } = await at.lookUp<Record<WaitingKind, boolean>>(look, [now], 'find_waiting_work')
  return waitingKinds.filter((kind) => rows[0]![kind])
}
