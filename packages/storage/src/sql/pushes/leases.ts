/**
 * Leases on push sessions: one process runs a session's commit or dry run and renews its lease; if it crashes, the lease expires, and
 * another process takes the commit over. Times are by the database's clock. `land_version` checks the holder again.
 */
import type { Queries, Tx } from '../../database/database.ts'
import type { Means } from '../audit/audit-events.ts'
import { isLeaseOver, leaseUntil } from '../columns/leases.ts'
import { Values } from '../columns/rows.ts'
import { commitColumns, isHeldBy, type PushRow, pushes } from './pushes.ts'

/** Lease on a session for its commit or dry run. */
export interface PushLease {
  /** Null: not taken yet. */
  holder: string | null
  /** Duration from now, at most `leaseSecondsMax`. */
  seconds: number
}

/** Longest lease. Seconds. */
const leaseSecondsMax = 8
const isFree = isLeaseOver(leaseSecondsMax)
/** True for a commit that no process runs, also one that no process took yet. */
export const isCommitDue = `status = 'committing' and ${isFree}`
/** True for a session whose dry run stopped renewing its lease. */
export const isDryRunAbandoned = `status = 'checking' and ${isFree}`

/** Data of a session's move to a commit or dry run. */
interface PushClaim {
  now: Date
  expiresAt: Date
  lease: PushLease
}

/**
 * Moves an open, unexpired session to `committing`, and extends its expiry. `confirmPublic` replaces what the session confirmed, so that a
 * process that takes the commit over knows it, too.
 */
export const claimPush = (
  tx: Tx,
  id: string,
  {
    committer,
    confirmPublic,
    ...claim
  }: PushClaim & { committer: { id: string; means: Means }; confirmPublic?: string | undefined },
): Promise<PushRow | undefined> =>
  claimOpenPush(tx, id, claim, {
    status: 'committing',
    error: null,
    committerId: committer.id,
    committerMeans: committer.means,
    ...(confirmPublic !== undefined && { confirmPublic }),
  })

/** Likewise to `checking`, which cannot make a version: `land_version` ends only sessions that are `committing`. */
export const claimPushForDryRun = (tx: Tx, id: string, claim: PushClaim): Promise<PushRow | undefined> =>
  claimOpenPush(tx, id, claim, { status: 'checking' })

async function claimOpenPush(
  tx: Tx,
  id: string,
  { now, expiresAt, lease }: PushClaim,
  to: Partial<typeof pushes.$inferInsert>,
): Promise<PushRow | undefined> {
  const values = new Values(id, now, lease.seconds)
  const changes = values.changes(pushes, { ...to, recordsDone: 0, expiresAt, leaseHolder: lease.holder })
  const { rows } = await tx.query<PushRow>(
    `update pushes set ${changes}, lease_until = ${leaseUntil('$3')}
     where id = $1 and status = 'open' and expires_at > $2 returning ${commitColumns}`,
    values.given,
  )
  return rows[0]
}

/** Renews the holder's lease and records its progress. Returns false if it has lost the lease. */
export async function renewPushLease(
  at: Queries,
  id: string,
  { holder, seconds }: { holder: string; seconds: number },
  { recordsDone, recordsTotal }: { recordsDone: number; recordsTotal: number },
): Promise<boolean> {
  const { rows } = await at.query(
    `update pushes set lease_until = ${leaseUntil('$3')}, records_done = $4, records_total = $5
     where id = $1 and ${isHeldBy('$2')} returning 1`,
    [id, holder, seconds, recordsDone, recordsTotal],
  )
  return rows.length === 1
}

/**
 * Takes commits that no process runs, each with a new lease; those that wait longest first. Of concurrent callers, one gets each.
 * @param seconds of the leases
 * @param except holders with running work in the caller's process, although their leases have expired
 */
export async function claimCommits(
  tx: Tx,
  { most, seconds, except }: { most: number; seconds: number; except: readonly string[] },
): Promise<PushRow[]> {
  const { rows } = await tx.query<PushRow>(
    `update pushes set lease_holder = gen_random_uuid(), lease_until = ${leaseUntil('$2')}
     where id in (
       select id from pushes where ${isCommitDue} and (lease_holder is null or lease_holder <> all($3::uuid[]))
       order by lease_until limit $1 for update skip locked)
     returning ${commitColumns}`,
    [most, seconds, except],
  )
  return rows
}

/** Reopens sessions whose dry run was abandoned, and extends their expiry. */
export async function reopenAbandonedDryRuns(tx: Tx, expiresAt: Date): Promise<void> {
  await tx.query(`update pushes set status = 'open', expires_at = $1 where ${isDryRunAbandoned}`, [expiresAt])
}
