/**
 * Leases on push sessions. A process that commits a session or makes a dry run of it holds its lease and renews it while it works. An
 * expired lease means a dead or stalled server: another process takes the commit over with a lease of its own, and the former holder can
 * neither settle the session nor make its version. A dry run is not taken over; its session is opened again.
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

/** How long a silent server counts as alive. Three renewals may fail within it. */
const leaseSeconds = 4
const renewalMilliseconds = 1_000
const pollMilliseconds = 100
/** Commits that one process takes over side by side; others wait, or other servers take them. */
const takenOverAtOnceMax = 4

export const newLease = () => ({ holder: randomId(), seconds: leaseSeconds })
/** Of a commit that is left to a job; when no job takes it in time, `recover` does. */
export const noLease = { holder: null, seconds: leaseSeconds }

export class CommitLeases {
  readonly #context: Context
  /** Holders that are at work in this process. */
  readonly #active = new Set<string>()
  /** How many commits are under way that were taken over. */
  #takenOver = 0

  constructor(context: Context) {
    this.#context = context
  }

  /** Does `work` while vouching for the session, as long as its lease is not lost, and keeps in its row what `work` reports. */
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

  /** Commits a session that an asynchronous request left to a job; its refusal is the session's `error`. */
  async runJob(job: { pushId: string; collectionId: string }): Promise<void> {
    const push = await findPush(this.#context.database, job.collectionId, job.pushId)
    const taken = push?.status === 'committing' ? await this.#take(push) : undefined
    if (taken !== undefined) await this.#settle(taken)
  }

  /** Takes over and continues the commits of servers that fell silent; opens the sessions of their dry runs again. */
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

  /** Returns undefined if another holder has the lease, or if this process stalled past its expiry. */
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

  /** The outcome of a commit that is under way, wherever it is. */
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

  /** Resolves when no dry run of the session is under way any more. @throws the signal's reason. */
  async dryRunOver(push: PushStanding, signal?: AbortSignal): Promise<void> {
    let now: PushStanding | undefined = push
    while (now?.status === 'checking') {
      await sleep(pollMilliseconds)
      signal?.throwIfAborted()
      now = await findPush(this.#context.database, push.collectionId, push.id)
    }
  }
}
