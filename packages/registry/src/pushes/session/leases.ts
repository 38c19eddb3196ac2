/**
 * Leases on push sessions. A process that commits or dry-runs a session holds its lease and renews it meanwhile. An expired lease
 * means a dead or stalled server. Another process then takes a commit over with a new lease, and the former holder can neither
 * settle the session nor make its version. A dry run is not taken over: its session is opened again.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import {
  claimCommits,
  findPush,
  type PushRow,
  type PushStanding,
  renewPushLease,
  reopenAbandonedDryRuns,
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
/** Commits without a waiting request that one process runs at the same time; others wait, or other servers take them. */
const atOnce = 4

/** Lease for work that begins now in this process. */
export const newLease = () => ({ holder: randomId(), seconds: leaseSeconds })
/** Lease of a commit that any process may take. */
export const noLease = { holder: null, seconds: 0 }

/** Leases of this process, and the commits that it takes over. One instance per process, in `sessions.ts`. */
export class CommitLeases {
  readonly #context: Context
  /** Holders of leases that are at work in this process. */
  readonly #active = new Set<string>()

  /** Also defines the background work of leases. */
  constructor(context: Context) {
    const { database, jobs } = context
    this.#context = context
    jobs.take('commits', {
      atOnce,
      claim: (most) =>
        database.transactOnce((tx) =>
          claimCommits(tx, { most, seconds: leaseSeconds, except: [...this.#active] }),
        ),
      run: (push) => this.#settle(push),
    })
    jobs.clear('dryRuns', () => database.transactOnce((tx) => reopenAbandonedDryRuns(tx, idleEnd(context))))
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
