/**
 * Leases on push sessions. A process that commits or dry-runs a session holds its lease and renews it meanwhile. An expired lease
 * means a dead or stalled server. Another process then takes a commit over with a new lease, and the former holder can neither
 * settle the session nor make its version. A dry run is not taken over: its session is opened again.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import {
  findPush,
  listAbandonedCommits,
  type PushRow,
  type PushStanding,
  renewPushLease,
  reopenAbandonedDryRuns,
  takePushLease,
} from '@ulmus/storage'
import type { CommittedPush } from '@ulmus/wire'
import { v4 as randomId } from 'uuid'
import type { Context } from '../../context.ts'
import { RegistryError, type StoredRefusal } from '../../errors/errors.ts'
import { type CommitAnswer, runCommit } from '../commit/commit.ts'
import type { Progress } from '../commit/next-version.ts'
import { idleEnd } from '../state/idle-end.ts'
import { leaseOf } from '../state/lease.ts'

/** Lease duration. Three renewals may fail before it expires. */
const leaseSeconds = 4
/** Interval of renewals, which also write the progress. */
const renewalMilliseconds = 1_000
/** Interval of looks at the row while another process works on the session. */
const pollMilliseconds = 100
/** Commits that one process takes over concurrently; others wait, or other servers take them. */
const takenOverAtOnceMax = 4

/** Lease for work that begins now in this process. */
export const newLease = () => ({ holder: randomId(), seconds: leaseSeconds })
/** Lease of a commit that is left to a job. If no job takes it in time, `recover` does. */
export const noLease = { holder: null, seconds: leaseSeconds }

/** Leases of this process, and the commits that it takes over. One instance per process, in `sessions.ts`. */
export class CommitLeases {
  readonly #context: Context
  /** Holders of leases that are at work in this process. */
  readonly #active = new Set<string>()
  /** Number of running commits that were taken over. */
  #takenOver = 0

  constructor(context: Context) {
    this.#context = context
  }

  /** Runs `work` and renews the lease meanwhile, unless it is lost. Writes the progress of `work` to the session's row. */
  async hold<T>(push: PushRow, work: (progress: Progress) => Promise<T>): Promise<T> {
    const { holder } = leaseOf(push)
    const progress: Progress = { recordsDone: 0, recordsTotal: 0 }
    this.#active.add(holder)
    const renew = async () => {
      const lease = { holder, seconds: leaseSeconds }
      if (!(await renewPushLease(this.#context.database, push.id, lease, progress))) clearInterval(renewal)
    }
    const renewal = setInterval(() => {
      renew().catch((error: unknown) => {
        this.#context.log.warn({ err: error, pushId: push.id }, 'could not renew the lease of a commit')
      })
    }, renewalMilliseconds)
    try {
      return await work(progress)
    } finally {
      clearInterval(renewal)
      this.#active.delete(holder)
    }
  }

  /** Commits a session that an asynchronous request left to a job. A refusal becomes the session's `error`. */
  async runJob(job: { pushId: string; collectionId: string }): Promise<void> {
    const push = await findPush(this.#context.database, job.collectionId, job.pushId)
    const taken = push?.status === 'committing' ? await this.#take(push) : undefined
    if (taken !== undefined) await this.#settle(taken)
  }

  /** Takes over commits of servers whose lease expired; opens the sessions of their dry runs again. */
  async recover(): Promise<void> {
    await reopenAbandonedDryRuns(this.#context.database, idleEnd(this.#context))
    if (this.#takenOver === takenOverAtOnceMax) return
    for (const push of await listAbandonedCommits(this.#context.database)) {
      const taken = await this.#take(push)
      if (taken === undefined) continue
      this.#takenOver++
      this.#context.jobs.leave(
        this.#settle(taken).finally(() => {
          this.#takenOver--
        }),
      )
      if (this.#takenOver === takenOverAtOnceMax) return
    }
  }

  /**
   * Takes the lease of a commit. Returns undefined if another process holds it, or if this one is still at work under it, even
   * after its expiry.
   */
  async #take({ id, leaseHolder }: PushStanding): Promise<PushRow | undefined> {
    if (leaseHolder !== null && this.#active.has(leaseHolder)) return undefined
    return this.#context.database.transact((tx) => takePushLease(tx, id, newLease()))
  }

  async #settle(push: PushRow): Promise<void> {
    try {
      await this.hold(push, (progress) => runCommit(this.#context, push, progress))
    } catch (error) {
      if (!(error instanceof RegistryError))
        this.#context.log.error({ err: error, pushId: push.id }, 'a commit failed')
    }
  }

  /** Waits for the outcome of a commit that is running on any server. */
  async wait(push: PushStanding): Promise<CommitAnswer> {
    for (;;) {
      await sleep(pollMilliseconds)
      const now = await findPush(this.#context.database, push.collectionId, push.id)
      if (now?.status === 'committed')
        return { kind: 'committed', result: now.result as unknown as CommittedPush }
      if (now?.status === 'committing') continue
      const stored = now?.error as unknown as StoredRefusal | null | undefined
      if (stored) throw RegistryError.restored(stored)
      throw new RegistryError('push_not_open', { details: { status: now?.status ?? 'gone' } })
    }
  }

  /** Waits until no dry run of the session is running. @throws the signal's reason. */
  async dryRunOver(push: PushStanding, signal?: AbortSignal): Promise<void> {
    let now: PushStanding | undefined = push
    while (now?.status === 'checking') {
      await sleep(pollMilliseconds)
      signal?.throwIfAborted()
      now = await findPush(this.#context.database, push.collectionId, push.id)
    }
  }
}
