/** Leases on push sessions: their holder commits the session, or makes a dry run of it. */
import type { Queries, Tx } from '../../database/database.ts'
import type { Means } from '../audit/audit-events.ts'
import { Values } from '../columns/rows.ts'
import {
  commitColumns,
  isHeldBy,
  type PushRow,
  type PushStanding,
  pushes,
  standingColumns,
} from './pushes.ts'

/** Lease on a session for its commit or dry run. */
export interface PushLease {
  /** Null: not taken yet. */
  holder: string | null
  /** At most 8. */
  seconds: number
}

const leaseUntil = (seconds: string) => `now() + make_interval(secs => ${seconds})`

interface PushClaim {
  now: Date
  expiresAt: Date
  lease: PushLease
}

/** Moves an open session, unless it has expired by `now`, to `committing`, and puts off its end. */
export const claimPush = (
  tx: Tx,
  id: string,
  { committer, ...claim }: PushClaim & { committer: { id: string; means: Means } },
): Promise<PushRow | undefined> =>
  claimOpenPush(tx, id, claim, {
    status: 'committing',
    error: null,
    committerId: committer.id,
    committerMeans: committer.means,
  })

/** The same to `checking`, which no version comes of: `land_version` ends sessions that are `committing`. */
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

/** Says that the holder is alive, and how far it is. False: it holds the session no longer. */
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

/** Longer than any lease: one that ends later than that from now was given by a clock that has turned back since. Seconds. */
const leaseSecondsMax = 8
const isLeaseOver = `(lease_until is null or lease_until < now()
  or lease_until > clock_timestamp() + make_interval(secs => ${leaseSecondsMax}))`

/** Takes a commit that no process has leased, or whose lease has expired; undefined for all callers but one. */
export async function takePushLease(
  tx: Tx,
  id: string,
  { holder, seconds }: { holder: string; seconds: number },
): Promise<PushRow | undefined> {
  const { rows } = await tx.query<PushRow>(
    `update pushes set lease_holder = $2, lease_until = ${leaseUntil('$3')}
     where id = $1 and status = 'committing' and (lease_holder is null or ${isLeaseOver}) returning ${commitColumns}`,
    [id, holder, seconds],
  )
  return rows[0]
}

/** Committing sessions with an expired lease, or that no process took in time; the longest silent first. */
export async function listAbandonedCommits(at: Queries): Promise<PushStanding[]> {
  const { rows } = await at.query<PushStanding>(
    `select ${standingColumns} from pushes where status = 'committing' and ${isLeaseOver} order by lease_until`,
  )
  return rows
}

/** Opens sessions again whose dry run fell silent, and puts off their end. */
export async function reopenAbandonedDryRuns(at: Queries, expiresAt: Date): Promise<void> {
  await at.query(
    `update pushes set status = 'open', expires_at = $1 where status = 'checking' and ${isLeaseOver}`,
    [expiresAt],
  )
}
