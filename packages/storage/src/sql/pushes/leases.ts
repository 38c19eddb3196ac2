/** Leases on push sessions: their holder commits the session, or makes a dry run of it. */
import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm'
import type { Queries, Tx } from '../../database/database.ts'
import type { Means } from '../audit/audit-events.ts'
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

const leased = ({ holder, seconds }: PushLease) => ({
  leaseHolder: holder,
  leaseUntil: sql`now() + make_interval(secs => ${seconds})`,
})

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
    ...{ status: 'committing', error: null },
    ...{ committerId: committer.id, committerMeans: committer.means },
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
  const [row] = await tx.orm
    .update(pushes)
    .set({ ...to, recordsDone: 0, expiresAt, ...leased(lease) })
    .where(and(eq(pushes.id, id), eq(pushes.status, 'open'), gt(pushes.expiresAt, now)))
    .returning(commitColumns)
  return row
}

/** Says that the holder is alive, and how far it is. False: it holds the session no longer. */
export async function renewPushLease(
  at: Queries,
  id: string,
  { holder, seconds }: { holder: string; seconds: number },
  progress: { recordsDone: number; recordsTotal: number },
): Promise<boolean> {
  const renewed = await at.orm
    .update(pushes)
    .set({ ...leased({ holder, seconds }), ...progress })
    .where(and(eq(pushes.id, id), isHeldBy(holder)))
    .returning({ id: pushes.id })
  return renewed.length === 1
}

/** Longer than any lease: one that ends later than that from now was given by a clock that has turned back since. Seconds. */
const leaseSecondsMax = 8
const isLeaseOver = or(
  isNull(pushes.leaseUntil),
  lt(pushes.leaseUntil, sql`now()`),
  gt(pushes.leaseUntil, sql`clock_timestamp() + make_interval(secs => ${leaseSecondsMax})`),
)
const isAbandoned = and(eq(pushes.status, 'committing'), isLeaseOver)

/** Takes a commit that no process has leased, or whose lease has expired; undefined for all callers but one. */
export async function takePushLease(
  tx: Tx,
  id: string,
  lease: { holder: string; seconds: number },
): Promise<PushRow | undefined> {
  const isFree = and(eq(pushes.status, 'committing'), isNull(pushes.leaseHolder))
  const [row] = await tx.orm
    .update(pushes)
    .set(leased(lease))
    .where(and(eq(pushes.id, id), or(isFree, isAbandoned)))
    .returning(commitColumns)
  return row
}

/** Committing sessions with an expired lease, or that no process took in time; the longest silent first. */
export async function listAbandonedCommits(at: Queries): Promise<PushStanding[]> {
  return at.orm.select(standingColumns).from(pushes).where(isAbandoned).orderBy(pushes.leaseUntil)
}

/** Opens sessions again whose dry run fell silent, and puts off their end. */
export async function reopenAbandonedDryRuns(at: Queries, expiresAt: Date): Promise<void> {
  await at.orm
    .update(pushes)
    .set({ status: 'open', expiresAt })
    .where(and(eq(pushes.status, 'checking'), isLeaseOver))
}
