/** Push sessions of both kinds: opened against the head, committed once, polled, cancelled. http-api §9. */
import {
  claimPush,
  claimPushForDryRun,
  countOpenPushes,
  findConfirmations,
  findPush,
  insertPush,
  lockAccount,
  movePush,
  type PushRow,
  type PushStanding,
  touchOpenPush,
} from '@ulmus/storage'
import type { CollectionPath, CommittedPush, DryRun } from '@ulmus/wire'
import { validate as isId, v7 as newId } from 'uuid'
import { type Acting, demandNow, demandStill } from '../../access/authority.ts'
import { findCollectionTo, type VisibleCollection } from '../../access/find-collection.ts'
import { mayPublish } from '../../access/policy.ts'
import { demandRoom } from '../../accounts/quotas.ts'
import { instantText } from '../../clock.ts'
import type { Context } from '../../context.ts'
import { demand, RegistryError, type StoredRefusal } from '../../errors/errors.ts'
import { filesNeeded } from '../../files/known-files.ts'
import { type Caller, demandCaller, meansOf, type Principal } from '../../principal.ts'
import { schedule } from '../../schedule.ts'
import { semverOf } from '../../versions/content.ts'
import type { TaskFor } from '../../work/task.ts'
import { type CommitAnswer, type CommitOptions, type DryRunOptions, runCommit } from '../commit/commit.ts'
import { runDryRun } from '../commit/dry-run.ts'
import { confirmingAlso, withConfirmations } from '../opening/confirmations.ts'
import { declaredFiles, lackingFiles } from '../opening/declared-files.ts'
import type { ReadOpening } from '../opening/opening.ts'
import type { PushOpening } from '../opening/opening-body.ts'
import type { AcceptedSchemas } from '../schemas/accept-schemas.ts'
import { accepted, demandHead, fitted } from '../schemas/accepted.ts'
import { demandConfirmed } from '../schemas/made-public.ts'
import { readSchemas } from '../schemas/session-schemas.ts'
import { noWarnings, type PushWarnings } from '../schemas/warnings.ts'
import { dropSpills, expireSessions } from '../spills/spills.ts'
import { idleEnd, isWorthPuttingOff } from '../state/idle-end.ts'
import { statesFor } from '../state/states.ts'
import { CommitLeases, newLease, noLease } from './leases.ts'
import type { PushStateAnswer } from './state-answer.ts'
import { UnderWay } from './under-way.ts'

export type PushKind = PushRow['kind']

/** Everything that delta pushes (pushes.ts) and snapshots (snapshots.ts) have in common. */
export class PushSessions {
  readonly #context: Context
  readonly #leases: CommitLeases
  readonly #underWay = new UnderWay()

  /** Also defines the background work of sessions. */
  constructor(context: Context) {
    this.#context = context
    this.#leases = new CommitLeases(context)
    context.jobs.repeat(schedule.pushExpiry, () => expireSessions(context))
  }

  /** The collection, if the caller may push to it, or poll. */
  workplace(who: Principal, path: CollectionPath, to: 'write' | 'poll'): Promise<VisibleCollection> {
    return findCollectionTo(to, this.#context, who, path)
  }

  /** @throws push_not_found. */
  async find(seen: VisibleCollection, kind: PushKind, id: string): Promise<PushStanding> {
    const push = isId(id) ? await findPush(this.#context.database, seen.collection.id, id) : undefined
    if (push?.kind !== kind) throw new RegistryError('push_not_found')
    return push.status === 'open' && push.expiresAt <= this.#context.now()
      ? { ...push, status: 'expired' }
      : push
  }

  /** Like `find`, for polling. A poll is a request, too, and postpones the session's end. */
  async watch(seen: VisibleCollection, kind: PushKind, id: string): Promise<PushStanding> {
    const push = await this.find(seen, kind, id)
    if (push.status !== 'open' || !isWorthPuttingOff(this.#context, push.expiresAt)) return push
    const touch = { now: this.#context.now(), expiresAt: idleEnd(this.#context), receivedRecords: 0 }
    const isOpen = await this.#context.database.transact((tx) => touchOpenPush(tx, push.id, touch))
    return isOpen ? { ...push, expiresAt: touch.expiresAt } : this.find(seen, kind, id)
  }

  async findOpen(who: Principal, path: CollectionPath, kind: PushKind, id: string) {
    const found = await this.findToWrite(who, path, kind, id)
    demandOpen(found.push)
    return found
  }

  /** @throws push_not_found; publishers_only, but for `cancel` */
  async findToWrite(who: Principal, path: CollectionPath, kind: PushKind, id: string, to?: 'cancel') {
    const by = { ...(await this.workplace(who, path, 'write')), who: demandCaller(who) }
    // Or others could add records to the session of a job, which would land as the job's.
    if (to !== 'cancel') demand(mayPublish(by.who, by.collection))
    return { push: await this.find(by, kind, id), by }
  }

  /**
   * @throws collection_not_found, publishers_only, version_conflict, quota_exceeded, too_costly, invalid_schema, private_field_made_public,
   * too_many_types, too_many_pushes, invalid_request, too_large.
   */
  async open(
    who: Caller,
    seen: VisibleCollection,
    { opening, schemas, metadata }: ReadOpening<PushOpening>,
    as: { kind: PushKind; manifestExpected?: number },
    task: TaskFor,
  ): Promise<{ push: PushStanding; totalFiles: number; neededFiles: string[]; warnings: PushWarnings }> {
    const by = { ...seen, who }
    demand(mayPublish(who, seen.collection))
    demandHead(seen, opening.base_version)
    // A caller over quota could only fill the store with data that a later check refuses.
    await demandRoom(this.#context, this.#context.database, by, { more: 1 })
    if (schemas !== undefined || metadata !== undefined) await demandNow(this.#context, by)
    const pushed = schemas && (await accepted(this.#context, seen.head, { schemas, kind: as.kind }, task))
    if (pushed !== undefined) {
      const base = { collectionId: seen.collection.id, head: seen.head }
      const [next, confirmed] = [await readSchemas(pushed.text), opening.confirm_public ?? []]
      await demandConfirmed(this.#context, base, { next, confirmed }, task)
    }
    const patch = metadata === undefined ? null : await fitted(this.#context, seen, metadata, task)
    const names = declaredFiles(opening.files ?? [])
    const files = [...names.keys()]
    const row = {
      id: newId(),
      collectionId: seen.collection.id,
      accountId: who.accountId,
      kind: as.kind,
      status: 'open' as const,
      baseId: seen.head?.id ?? null,
      baseSemver: seen.head === null ? null : semverOf(seen.head),
      manifestExpected: as.manifestExpected ?? null,
      metadata: patch,
      confirmPublic: withConfirmations(null, opening.confirm_public) ?? null,
      files,
      stripUnknownFields: opening.strip_unknown_fields ?? false,
      message: opening.message ?? null,
      appId: opening.app_id ?? null,
      actorId: opening.actor_id ?? null,
      createdAt: this.#context.now(),
      expiresAt: idleEnd(this.#context),
    }
    const push = await this.#insertOpened(row, pushed, by)
    const needed = await filesNeeded(this.#context, seen.collection.id, files)
    const warnings = pushed?.warnings ?? noWarnings
    return { push, totalFiles: files.length, neededFiles: needed.map((file) => names.get(file)!), warnings }
  }

  /** Runs work for a session; a cancellation in this process aborts it. @throws push_not_open then; errors of `work`. */
  during<T>(push: PushStanding, by: TaskFor, work: (by: TaskFor) => Promise<T>): Promise<T> {
    return this.#underWay.run(push.id, by, work)
  }

  /** Commits a session, after any running dry run. @throws the refusal of the commit; see `runCommit`. */
  async commit(
    who: Principal,
    path: CollectionPath,
    kind: PushKind,
    id: string,
    options: CommitOptions,
  ): Promise<CommitAnswer> {
    const { push, by } = await this.findToWrite(who, path, kind, id)
    if (push.status === 'committed') {
      return { kind: 'committed', result: push.result as unknown as CommittedPush }
    }
    if (push.status === 'committing') return options.async ? committing(push) : this.#leases.wait(push)
    if (push.status === 'checking') {
      await this.#leases.dryRunOver(push)
      return this.commit(who, path, kind, id, options)
    }
    demandOpen(push)
    const claimed = await this.#claim(push, by, options)
    // Another request was faster: return its outcome.
    if (claimed === undefined) return this.commit(who, path, kind, id, options)
    if (options.async) {
      this.#context.jobs.wake('commits')
      return committing(claimed)
    }
    const result = await this.#leases.hold(claimed, (progress) =>
      runCommit(this.#context, claimed, progress, by),
    )
    return result === undefined ? this.#leases.wait(claimed) : { kind: 'committed', result }
  }

  /** Returns the result that `commit` would have, after any running dry run. @throws its refusal; see `runDryRun`. */
  async dryRun(
    who: Principal,
    path: CollectionPath,
    kind: PushKind,
    id: string,
    options: DryRunOptions = {},
  ): Promise<DryRun> {
    const { push, by } = await this.findToWrite(who, path, kind, id)
    if (push.status !== 'checking') {
      demandOpen(push)
      const claimed = await this.#context.database.transact(async (tx) => {
        await demandStill(this.#context, tx, by)
        const [now, expiresAt] = [this.#context.now(), idleEnd(this.#context)]
        return claimPushForDryRun(tx, push.id, { now, expiresAt, lease: newLease() })
      })
      if (claimed !== undefined) {
        const tried = confirmingAlso(claimed, options.confirmPublic)
        return this.#leases.hold(claimed, (progress) => runDryRun(this.#context, tried, progress, by))
      }
    }
    await this.#leases.dryRunOver(push, options.signal)
    return this.dryRun(who, path, kind, id, options)
  }

  /** @param filesAfter `next_files_after` of the previous answer. @throws invalid_request */
  async state(push: PushStanding, neededRecords: number, filesAfter?: string): Promise<PushStateAnswer> {
    const files = await lackingFiles(this.#context, push, filesAfter)
    return {
      session_id: push.id,
      status: push.status,
      base_version: push.baseSemver,
      total_records: push.manifestExpected ?? push.receivedRecords,
      needed_records: neededRecords,
      ...files,
      records_done: push.recordsDone,
      records_total: push.recordsTotal,
      expires_at: instantText(push.expiresAt),
      result: push.result as unknown as CommittedPush | null,
      error: push.error as unknown as StoredRefusal | null,
    }
  }

  /** Ends a session that has not been committed; cancelling twice is harmless. */
  async cancel(who: Principal, path: CollectionPath, kind: PushKind, id: string): Promise<void> {
    const { push, by } = await this.findToWrite(who, path, kind, id, 'cancel')
    const moved = await this.#context.database.transact(async (tx) => {
      await demandStill(this.#context, tx, by)
      return movePush(tx, push.id, statesFor('cancel'), { status: 'cancelled' })
    })
    if (!moved) throw new RegistryError('push_not_open', { details: { status: push.status } })
    this.#underWay.end(push.id)
    await dropSpills(this.#context, push.id)
  }

  async #insertOpened(
    row: Parameters<typeof insertPush>[1],
    pushed: AcceptedSchemas | undefined,
    by: Acting,
  ): Promise<PushStanding> {
    const schemas = pushed && { schemas: pushed.text, schemasHash: pushed.hash }
    return this.#context.database.transact(async (tx) => {
      await lockAccount(tx, by.who.accountId)
      await demandStill(this.#context, tx, by)
      const max = this.#context.limits.openPushesMax
      if ((await countOpenPushes(tx, by.who.accountId, this.#context.now())) >= max)
        throw new RegistryError('too_many_pushes', { say: { max } })
      const push = await insertPush(tx, { ...row, ...schemas })
      await demandRoom(this.#context, tx, by)
      return push
    })
  }

  /** Moves an open session to `committing`; with `async`, any process may commit it. */
  #claim(push: PushStanding, by: Acting, options: CommitOptions): Promise<PushRow | undefined> {
    return this.#context.database.transact(async (tx) => {
      await demandStill(this.#context, tx, by)
      const confirmed = options.confirmPublic?.length ? await findConfirmations(tx, push.id) : null
      return claimPush(tx, push.id, {
        now: this.#context.now(),
        expiresAt: idleEnd(this.#context),
        lease: options.async ? noLease : newLease(),
        committer: { id: by.who.accountId, means: meansOf(by.who) },
        confirmPublic: withConfirmations(confirmed, options.confirmPublic),
      })
    })
  }
}

const committing = (push: PushStanding): CommitAnswer => ({
  kind: 'committing',
  session_id: push.id,
  status: 'committing',
})

function demandOpen(push: PushStanding): void {
  if (push.status !== 'open') throw new RegistryError('push_not_open', { details: { status: push.status } })
}
