/**
 * Who commits a session: the server that holds its lease, which it renews while it works. A lease that ran out means that its
 * server is dead, and another takes the commit over; that both should finish is prevented by the transaction at the end.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { findPush, listAbandonedCommits, type PushRow, renewPushLease, takePushLease } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { RegistryError, type StoredRefusal } from '../errors.ts'
import { type CommitAnswer, type CommitResult, type Progress, runCommit } from './commit.ts'

/** How long a silent server counts as alive. Milliseconds. Three renewals may fail within it. */
const leaseMilliseconds = 4_000
const renewalMilliseconds = 1_000
const pollMilliseconds = 100

export class CommitLeases {
  readonly #context: Context
  /** Sessions that this process commits. */
  readonly #held = new Set<string>()

  constructor(context: Context) {
    this.#context = context
  }

  end(): Date {
    return new Date(this.#context.now().getTime() + leaseMilliseconds)
  }

  /** Does `work` while vouching for the session, and keeps in its row what `work` reports. */
  async hold<T>(push: PushRow, work: (progress: Progress) => Promise<T>): Promise<T> {
    const progress: Progress = { recordsDone: 0, recordsTotal: 0 }
    this.#held.add(push.id)
    const renewal = setInterval(() => {
      const alive = { leaseUntil: this.end(), ...progress }
      renewPushLease(this.#context.database, push.id, alive).catch((error: unknown) => {
        this.#context.log.warn({ err: error, pushId: push.id }, 'could not renew the lease of a commit')
      })
    }, renewalMilliseconds)
    try {
      return await work(progress)
    } finally {
      clearInterval(renewal)
      this.#held.delete(push.id)
    }
  }

  /** Commits a session that an asynchronous request left to a job; its refusal is the session's `error`. */
  async runJob(job: { pushId: string; collectionId: string }): Promise<void> {
    const push = await findPush(this.#context.database, job.collectionId, job.pushId)
    if (push?.status !== 'committing' || this.#held.has(push.id)) return
    await this.#settle(push)
  }

  /** Takes over the commits of servers that fell silent. */
  async recover(): Promise<void> {
    const { database } = this.#context
    for (const push of await listAbandonedCommits(database, this.#context.now())) {
      if (this.#held.has(push.id)) continue
      const taken = await database.transact((tx) =>
        takePushLease(tx, push.id, this.#context.now(), this.end()),
      )
      if (taken !== undefined) await this.#settle(taken)
    }
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
  async wait(push: PushRow): Promise<CommitAnswer> {
    for (;;) {
      await sleep(pollMilliseconds)
      const now = await findPush(this.#context.database, push.collectionId, push.id)
      if (now?.status === 'committed')
        return { kind: 'committed', result: now.result as unknown as CommitResult }
      if (now?.status === 'committing') continue
      const stored = now?.error as unknown as StoredRefusal | null | undefined
      if (stored) throw RegistryError.restored(stored)
      throw new RegistryError('push_not_open', { details: { status: now?.status ?? 'gone' } })
    }
  }
}
