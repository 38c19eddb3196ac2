/** Who commits a push session: whoever holds its lease. */
import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm'
import type { Queries, Tx } from '../../database/database.ts'
import {
  commitColumns,
  isHeldBy,
  type PushRow,
  type PushStanding,
  pushes,
  standingColumns,
} from './pushes.ts'

/** Who commits a session, and for how long that is believed. */
export interface PushLease {
  /** Null: nobody yet, but soon. */
  holder: string | null
  seconds: number
}

const leased = ({ holder, seconds }: PushLease) => ({
  leaseHolder: holder,
  leaseUntil: sql`now() + make_interval(secs => ${seconds})`,
})

/** Moves an open session, unless it has expired by `now`, to `committing`, and puts off its end. */
export async function claimPush(
  tx: Tx,
  id: string,
  {
    now,
    expiresAt,
    lease,
    committerId,
  }: { now: Date; expiresAt: Date; lease: PushLease; committerId: string },
): Promise<PushRow | undefined> {
  const [row] = await tx.orm
    .update(pushes)
    .set({ status: 'committing', error: null, recordsDone: 0, expiresAt, committerId, ...leased(lease) })
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

const isAbandoned = and(
  eq(pushes.status, 'committing'),
  or(isNull(pushes.leaseUntil), lt(pushes.leaseUntil, sql`now()`)),
)

/** Takes a commit that nobody has, or whose holder fell silent; undefined for all callers but one. */
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

/** Sessions that are committing and whose holder fell silent, or that nobody took in time; the longest silent first. */
export async function listAbandonedCommits(at: Queries): Promise<PushStanding[]> {
  return at.orm.select(standingColumns).from(pushes).where(isAbandoned).orderBy(pushes.leaseUntil)
}
