/**
 * Version metadata. An update merges a patch into the latest version's metadata and makes the next patch version. interface.md
 * "Version metadata", http-api §5.
 *
 * Every update is a job row, even a synchronous one. A running row occupies its collection's only update slot:
 *
 *     (none) ── accepted ──▶ running ── version made, or nothing to change ──▶ completed
 *                               └────── refused, or failed unforeseen ───────▶ failed
 *
 * A row leaves `running` in the transaction that makes its version. An update that runs twice, on any servers, therefore makes
 * one version. Updates that a dead server left running are waiting work, as are those that no request waits for.
 */
import {
  claimMetadataJobs,
  findCollectionById,
  findMetadataJob,
  findRunningMetadataJob,
  insertMetadataJob,
  isUniqueViolation,
  type MetadataJobRow,
} from '@ulmus/storage'
import type { MetadataJob as JobAnswer, MetadataResult } from '@ulmus/wire'
import { v7 as newId } from 'uuid'
import { type Acting, authorityOf, demandNow, onMissingRow } from '../access/authority.ts'
import { findCollectionTo } from '../access/find-collection.ts'
import { mayPublish } from '../access/policy.ts'
import { isUuid } from '../answers/pages.ts'
import { instantText, instantTextOrNull } from '../clock.ts'
import type { CollectionPath } from '../collections/collections.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError, type StoredRefusal, storedRefusal } from '../errors/errors.ts'
import { demandCaller, meansOf, type Principal } from '../principal.ts'
import { digestOfView, semverOf } from '../versions/content.ts'
import {
  endOf,
  type FittedPatch,
  fitPatch,
  type Made,
  type Patch,
  readPatch,
  readUpdate,
  settle,
  type Update,
} from './update.ts'

/** Answer to a poll. If it failed: the refusal of the synchronous call. */
export type MetadataJob = Omit<JobAnswer, 'error'> & { error?: StoredRefusal }

export type Metadata = ReturnType<typeof metadataOf>

/** An update that runs longer may run twice, which does no harm. Seconds. */
const leaseSeconds = 3
/** Updates without a waiting request that one process runs at the same time. */
const atOnce = 4

export function metadataOf(context: Context) {
  /** Updates that this process is running. */
  const running = new Set<string>()
  const during = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    running.add(id)
    try {
      return await work()
    } finally {
      running.delete(id)
    }
  }
  context.jobs.take('updates', {
    atOnce,
    claim: (most) =>
      context.database.transactOnce((tx) =>
        claimMetadataJobs(tx, { most, seconds: leaseSeconds, except: [...running] }),
      ),
    run: (id) =>
      during(id, async () => {
        const update = await readUpdate(context, id)
        if (update !== undefined) await settle(context, update)
      }),
  })

  return {
    /** See `readPatch`. */
    read: (who: Principal, body: AsyncIterable<Uint8Array>): Promise<Patch> => readPatch(context, who, body),

    /**
     * Merges `patch` into the latest version's metadata.
     * @throws collection_not_found, not_a_member, key_limited, invalid_request, no_versions, too_large,
     * metadata_update_in_progress with `job_id`, version_conflict if a version landed meanwhile, unavailable if the database lost the
     * update in a failover.
     */
    async update(who: Principal, path: CollectionPath, patch: Patch): Promise<MetadataResult> {
      const update = await accept(context, who, path, patch, leaseSeconds)
      const end = await during(update.id, () => settle(context, update))
      if (end === 'gone') throw await refusalOfGone(context, update, path)
      if ('refusal' in end) throw end.refusal
      return resultOf(end)
    },

    /** Starts the same update as a durable job. @throws the errors of `update` before it takes the slot. */
    async start(who: Principal, path: CollectionPath, patch: Patch) {
      const update = await accept(context, who, path, patch, 0)
      context.jobs.wake('updates')
      return { job_id: update.id, status: 'running' as const, base_semver: semverOf(update.base) }
    },

    /** @throws unauthenticated, collection_not_found, not_a_member, key_limited, job_not_found. */
    async job(who: Principal, path: CollectionPath, jobId: string): Promise<MetadataJob> {
      const { collection } = await findCollectionTo('poll', context, who, path)
      const row = isUuid(jobId) ? await findMetadataJob(context.database, jobId) : undefined
      if (row === undefined || row.collectionId !== collection.id) throw new RegistryError('job_not_found')
      return jobAnswer(context, row)
    },
  }
}

/** Makes every check that needs no job, then takes the slot. @param seconds of the lease; 0: any process may run the update */
async function accept(
  context: Context,
  who: Principal,
  path: CollectionPath,
  patch: Patch,
  seconds: number,
): Promise<Update> {
  const { collection, owner, head } = await findCollectionTo('write', context, who, path)
  demand(mayPublish(who, collection))
  const by = { who: demandCaller(who), collection, owner }
  const fitted = await fitPatch(context, who, patch, head)
  for (;;) {
    try {
      return await onMissingRow('collection_not_found', path, () =>
        takeSlot(context, { by, path, patch }, fitted, seconds),
      )
    } catch (error) {
      if (!isUniqueViolation(error, 'metadata_jobs_slot')) throw error
      const holder = await findRunningMetadataJob(context.database, collection.id)
      // The update ended between the two queries: the slot may be free now.
      if (holder === undefined) continue
      throw new RegistryError('metadata_update_in_progress', { details: { job_id: holder.id }, cause: error })
    }
  }
}

async function takeSlot(
  context: Context,
  seen: { by: Acting; path: CollectionPath; patch: Patch },
  { base, patch, text }: FittedPatch,
  seconds: number,
): Promise<Update> {
  const { database } = context
  const id = newId()
  const collectionId = seen.by.collection.id
  const authority = authorityOf(context, seen.by)
  const slot = {
    ...{ id, collectionId, patch: text, startedAt: context.now() },
    ...{ baseId: base.id, baseSemver: semverOf(base), means: meansOf(seen.by.who) },
  }
  const isTaken = await database.transactOnce((tx) => insertMetadataJob(tx, slot, seconds, authority))
  if (isTaken) return { id, collectionId, base, patch, by: seen.by }
  await demandNow(context, seen.by)
  // Use the current head. It may be an older version, if the previous one was withdrawn; the number of that one stays taken.
  const found = await findCollectionById(database, collectionId, seen.by.who.accountId)
  if (!found?.head) throw new RegistryError('collection_not_found', { say: seen.path })
  const by = { ...seen.by, collection: found.collection }
  const fitted = await fitPatch(context, by.who, seen.patch, found.head)
  return takeSlot(context, { ...seen, by }, fitted, seconds)
}

/** The row is gone with its collection, or a failover lost it, as its commit waited for no sync. */
async function refusalOfGone(
  { database }: Context,
  { collectionId }: Update,
  path: CollectionPath,
): Promise<RegistryError> {
  const isThere = (await findCollectionById(database, collectionId, null)) !== undefined
  return isThere ? new RegistryError('unavailable') : new RegistryError('collection_not_found', { say: path })
}

const resultOf = ({ version, unchanged, metadata }: Made): MetadataResult => ({
  semver: semverOf(version),
  hash: digestOfView(version, 'full'),
  metadata,
  ...(unchanged ? { unchanged: true } : {}),
})

async function jobAnswer(context: Context, row: MetadataJobRow): Promise<MetadataJob> {
  const job: MetadataJob = {
    job_id: row.id,
    status: row.status,
    base_semver: row.baseSemver,
    started_at: instantText(row.startedAt),
    finished_at: instantTextOrNull(row.finishedAt),
  }
  if (row.status === 'running') return job
  const end = await endOf(context, row)
  if (end === 'gone') throw new RegistryError('job_not_found')
  // Also if the version that it made was withdrawn since: there is no result to show.
  if ('refusal' in end) return { ...job, status: 'failed', error: storedRefusal(end.refusal) }
  return { ...job, result: resultOf(end) }
}
