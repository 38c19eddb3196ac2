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
 * one version. A periodic task runs the updates that a dead server left running.
 */
import type { JsonObject } from '@ulmus/content'
import {
  findCollectionById,
  findMetadataJob,
  findRunningMetadataJob,
  insertMetadataJob,
  isUniqueViolation,
  listRunningMetadataJobs,
  type MetadataJobRow,
  type Tx,
} from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import { type Acting, authorityOf, demandNow, onMissingRow } from '../access/authority.ts'
import { findVisibleCollection } from '../access/find-collection.ts'
import { mayPublish, mayWork } from '../access/policy.ts'
import { isUuid } from '../answers/pages.ts'
import { instantText, instantTextOrNull } from '../clock.ts'
import type { CollectionPath } from '../collections/collections.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError, type StoredRefusal, storedRefusal } from '../errors/errors.ts'
import { demandCaller, meansOf, type Principal } from '../principal.ts'
import { schedule } from '../schedule.ts'
import { semverOf, shownDigest } from '../versions/content.ts'
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

/** Answer to an update. Its fields are public: change them together with packages/wire/src/metadata.ts. */
export interface MetadataResult {
  semver: string
  /** `private:` and the digest of the full view: only members update and poll. */
  hash: string
  metadata: JsonObject
  /** True if the patch changed nothing, so that no version was made. */
  unchanged?: true
}

/** Answer to a poll of an update. Its fields are public, too. */
export interface MetadataJob {
  job_id: string
  status: MetadataJobRow['status']
  base_semver: string
  started_at: string
  finished_at: string | null
  /** If completed: the answer of the synchronous call. */
  result?: MetadataResult
  /** If failed: the refusal of the synchronous call. */
  error?: StoredRefusal
}

export type Metadata = ReturnType<typeof metadataOf>

/** Queue of updates that no request waits for. */
const updating = 'update-metadata'
/** A job seen running for this long may have lost its server. Milliseconds. */
const recoveredAfterMilliseconds = 2_000
/** Jobs recovered in one run. */
const recoveredAtOnce = 100

export function metadataOf(context: Context) {
  /** Jobs that this process is running; recovery skips them. */
  const running = new Set<string>()
  const run = async (id: string): Promise<void> => {
    if (running.has(id)) return
    const update = await readUpdate(context, id)
    if (update === undefined) return
    running.add(id)
    try {
      await settle(context, update)
    } finally {
      running.delete(id)
    }
  }
  context.jobs.define(updating, (payload) => run(String(payload['jobId'])))
  /** Monotonic time at which each job was first seen running. The stored start time is wall-clock time, which can jump back. */
  let seen = new Map<string, number>()
  // After a start, recover every running job at once: it may belong to the previous run of this server.
  let patience = 0
  context.jobs.repeat(schedule.updateRecovery, async () => {
    const ids = await listRunningMetadataJobs(context.database, recoveredAtOnce)
    const now = performance.now()
    seen = new Map(ids.map((id) => [id, seen.get(id) ?? now]))
    const lost = ids.filter((id) => now - seen.get(id)! >= patience)
    patience = recoveredAfterMilliseconds
    for (const id of lost) await run(id)
  })

  return {
    /** See `readPatch`. */
    read: (who: Principal, body: AsyncIterable<Uint8Array>): Promise<Patch> => readPatch(context, who, body),

    /**
     * Merges `patch` into the latest version's metadata.
     * @throws collection_not_found, not_a_member, key_limited, invalid_request, no_versions, too_large,
     * metadata_update_in_progress with `job_id`, version_conflict if a version landed meanwhile.
     */
    async update(who: Principal, path: CollectionPath, patch: Patch): Promise<MetadataResult> {
      const update = await accept(context, who, path, patch)
      running.add(update.id)
      try {
        const end = await settle(context, update)
        if (end === 'gone') throw new RegistryError('collection_not_found', { say: path })
        if ('refusal' in end) throw end.refusal
        return resultOf(end)
      } finally {
        running.delete(update.id)
      }
    },

    /** Starts the same update as a durable job. @throws the errors of `update` before it takes the slot. */
    async start(who: Principal, path: CollectionPath, patch: Patch) {
      const update = await accept(context, who, path, patch, (tx, jobId) =>
        context.jobs.enqueue(tx, updating, { jobId }),
      )
      context.jobs.poke(updating)
      return { job_id: update.id, status: 'running' as const, base_semver: semverOf(update.base) }
    },

    /** @throws unauthenticated, collection_not_found, not_a_member, key_limited, job_not_found. */
    async job(who: Principal, path: CollectionPath, jobId: string): Promise<MetadataJob> {
      const { collection, owner, role } = await findVisibleCollection(context, who, path)
      demand(mayWork(who, collection, role, 'read'), { owner: owner.slug })
      const row = isUuid(jobId) ? await findMetadataJob(context.database, jobId) : undefined
      if (row === undefined || row.collectionId !== collection.id) throw new RegistryError('job_not_found')
      return shownJob(context, row)
    },
  }
}

/** Makes every check that needs no job, then takes the slot. */
async function accept(
  context: Context,
  who: Principal,
  path: CollectionPath,
  patch: Patch,
  also?: (tx: Tx, jobId: string) => Promise<void>,
): Promise<Update> {
  const { collection, owner, role, head } = await findVisibleCollection(context, who, path)
  demand(mayWork(who, collection, role, 'write'), { owner: owner.slug })
  demand(mayPublish(who, collection))
  const by = { who: demandCaller(who), collection, owner }
  const fitted = await fitPatch(context, who, patch, head)
  for (;;) {
    try {
      return await onMissingRow('collection_not_found', path, () =>
        takeSlot(context, { by, path, patch }, fitted, also),
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
  also?: (tx: Tx, jobId: string) => Promise<void>,
): Promise<Update> {
  const { database } = context
  const id = newId()
  const collectionId = seen.by.collection.id
  const authority = authorityOf(context, seen.by)
  const slot = {
    ...{ id, collectionId, patch: text, startedAt: context.now() },
    ...{ baseId: base.id, baseSemver: semverOf(base), means: meansOf(seen.by.who) },
  }
  const isTaken =
    also === undefined
      ? // This job is acknowledged only with its version, whose commit syncs it, too.
        await database.transactOnce((tx) => insertMetadataJob(tx, slot, false, authority))
      : await database.transact(async (tx) => {
          if (!(await insertMetadataJob(tx, slot, true, authority))) return false
          await also(tx, id)
          return true
        })
  if (isTaken) return { id, collectionId, base, patch, by: seen.by }
  await demandNow(context, seen.by)
  // Use the current head. It may be an older version, if the previous one was withdrawn; the number of that one stays taken.
  const found = await findCollectionById(database, collectionId, seen.by.who.accountId)
  if (!found?.head) throw new RegistryError('collection_not_found', { say: seen.path })
  const by = { ...seen.by, collection: found.collection }
  const fitted = await fitPatch(context, by.who, seen.patch, found.head)
  return takeSlot(context, { ...seen, by }, fitted, also)
}

const resultOf = ({ version, unchanged, metadata }: Made): MetadataResult => ({
  semver: semverOf(version),
  hash: shownDigest(version, 'full'),
  metadata,
  ...(unchanged ? { unchanged: true } : {}),
})

async function shownJob(context: Context, row: MetadataJobRow): Promise<MetadataJob> {
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
