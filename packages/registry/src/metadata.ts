/**
 * Version metadata: merged into the latest version's, which makes its next patch version. interface.md "Version metadata",
 * http-api §5.
 *
 * Every update is a job row, also a synchronous one. A running row is its collection's one update slot:
 *
 *     (none) ── accepted ──▶ running ── version made, or nothing to change ──▶ completed
 *                               └────── refused, or failed unforeseen ───────▶ failed
 *
 * A row leaves `running` in the transaction that makes its version, so running an update twice, by whichever server, makes one
 * version; what a dead server left running is run again by `recover`.
 */
import {
  canonicalize,
  type JsonObject,
  mergeMetadata,
  metadataBytes,
  metadataBytesMax,
  metadataIssues,
  nextSemver,
} from '@ulmus/content'
import {
  findHead,
  findMetadataJob,
  findRunningMetadataJob,
  findVersionById,
  finishMetadataJob,
  insertMetadataJob,
  isUniqueViolation,
  listRunningMetadataJobs,
  lockCollection,
  lockRunningMetadataJob,
  type MetadataJobRow,
  openObjectWriter,
  type Tx,
  type VersionRow,
} from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import type { CollectionPath } from './collections.ts'
import type { Context } from './context.ts'
import { demand, RegistryError, refusalFrom, type StoredRefusal, storedRefusal } from './errors.ts'
import { instantText, instantTextOrNull } from './instants.ts'
import { isUuid } from './pages.ts'
import { mayWork } from './policy.ts'
import type { Principal } from './principal.ts'
import { seeCollection } from './seen.ts'
import {
  documentOf,
  makeVersion,
  readContent,
  semverOf,
  shownDigest,
  withMetadata,
} from './version-making.ts'

export interface MetadataResult {
  semver: string
  /** `private:` and the digest of the full view: only members update and poll. */
  hash: string
  metadata: JsonObject
  /** The patch changed nothing and no version was made. */
  unchanged?: true
}

export interface MetadataJob {
  job_id: string
  status: MetadataJobRow['status']
  base_semver: string
  started_at: string
  finished_at: string | null
  /** When completed: what the synchronous call answers. */
  result?: MetadataResult
  /** When failed: what the synchronous call is refused with. */
  error?: StoredRefusal
}

export type Metadata = ReturnType<typeof metadataOf>

const updating = 'update-metadata'
const recoverySeconds = 1
/** A running job older than this may have lost its server. Seconds. */
const recoveredAfterSeconds = 2
const recoveredAtOnce = 100

export function metadataOf(context: Context) {
  /** Jobs that this process is running: recovery leaves them alone. */
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
  // At the start every running job is taken for a dead server's, perhaps this one's own a second ago.
  let age = 0
  context.jobs.repeat('recovery of metadata updates', recoverySeconds, async () => {
    const since = new Date(context.now().getTime() - age)
    age = recoveredAfterSeconds * 1000
    for (const id of await listRunningMetadataJobs(context.database, since, recoveredAtOnce)) await run(id)
  })

  return {
    /**
     * Merges `patch` into the latest version's metadata.
     * @throws collection_not_found, not_a_member, key_limited, invalid_request, no_versions, too_large,
     *   metadata_update_in_progress with `job_id`, version_conflict when a version landed meanwhile.
     */
    async update(who: Principal, path: CollectionPath, patch: JsonObject): Promise<MetadataResult> {
      const update = await accept(context, who, path, patch)
      running.add(update.id)
      try {
        const end = await settle(context, update)
        if ('refusal' in end) throw end.refusal
        return await resultOf(context, end)
      } finally {
        running.delete(update.id)
      }
    },

    /** The same as a durable job. @throws what `update` throws before the slot is taken. */
    async start(who: Principal, path: CollectionPath, patch: JsonObject) {
      const update = await accept(context, who, path, patch, (tx, jobId) =>
        context.jobs.enqueue(tx, updating, { jobId }),
      )
      context.jobs.poke(updating)
      return { job_id: update.id, status: 'running' as const, base_semver: semverOf(update.base) }
    },

    /** @throws unauthenticated, collection_not_found, not_a_member, key_limited, job_not_found. */
    async job(who: Principal, path: CollectionPath, jobId: string): Promise<MetadataJob> {
      const { collection, owner, role } = await seeCollection(context, who, path)
      demand(mayWork(who, collection, role, 'read'), { owner: owner.slug })
      const row = isUuid(jobId) ? await findMetadataJob(context.database, jobId) : undefined
      if (row === undefined || row.collectionId !== collection.id) throw new RegistryError('job_not_found')
      return shownJob(context, row)
    },
  }
}

/** An update that holds its collection's slot. */
interface Update {
  id: string
  collectionId: string
  base: VersionRow
  patch: JsonObject
}

/** How an update ended. */
type End = { version: VersionRow; unchanged: boolean } | { refusal: RegistryError }

/** Everything that can be refused before there is a job; then the slot is taken. */
async function accept(
  context: Context,
  who: Principal,
  path: CollectionPath,
  patch: JsonObject,
  also?: (tx: Tx, jobId: string) => Promise<void>,
): Promise<Update> {
  const { collection, owner, role, head } = await seeCollection(context, who, path)
  demand(mayWork(who, collection, role, 'write'), { owner: owner.slug })
  checkPatch(patch)
  if (head === null) throw new RegistryError('no_versions')
  mergedInto((await documentOf(context, head, 'full')).metadata, patch)
  for (;;) {
    try {
      return await context.database.transact((tx) => takeSlot(context, tx, collection.id, patch, also))
    } catch (error) {
      if (!isUniqueViolation(error, 'metadata_jobs_slot')) throw error
      const holder = await findRunningMetadataJob(context.database, collection.id)
      // Ended between the two looks: the slot may be free now.
      if (holder === undefined) continue
      throw new RegistryError('metadata_update_in_progress', { details: { job_id: holder.id }, cause: error })
    }
  }
}

async function takeSlot(
  context: Context,
  tx: Tx,
  collectionId: string,
  patch: JsonObject,
  also?: (tx: Tx, jobId: string) => Promise<void>,
): Promise<Update> {
  if ((await lockCollection(tx, collectionId, 'key share')) === undefined)
    throw new RegistryError('collection_not_found')
  const base = await findHead(tx, collectionId)
  if (base === undefined || base === null) throw new RegistryError('no_versions')
  const id = newId()
  await insertMetadataJob(tx, {
    id,
    collectionId,
    baseId: base.id,
    baseSemver: semverOf(base),
    patch: JSON.stringify(patch),
    startedAt: context.now(),
  })
  await also?.(tx, id)
  return { id, collectionId, base, patch }
}

function checkPatch(patch: JsonObject): void {
  const issues = metadataIssues(patch)
  if (issues.length === 0) return
  const named = issues.map(({ path, message }) => ({ path: path.slice(1), message }))
  throw new RegistryError('invalid_request', { details: { issues: named } })
}

function mergedInto(metadata: JsonObject, patch: JsonObject): JsonObject {
  const merged = mergeMetadata(metadata, patch)
  if (metadataBytes(merged) <= metadataBytesMax) return merged
  const limit = `${metadataBytesMax} bytes (1 MiB) in canonical form`
  throw new RegistryError('too_large', {
    say: { what: 'The merged metadata', limit },
    details: { limitBytes: metadataBytesMax },
  })
}

/** Undefined: there is nothing to do any more. */
async function readUpdate(context: Context, id: string): Promise<Update | undefined> {
  const row = await findMetadataJob(context.database, id)
  if (row === undefined || row.status !== 'running' || row.patch === null) return undefined
  const base = await findVersionById(context.database, row.baseId)
  // Without its base it has gone with its collection since.
  return base && { id, collectionId: row.collectionId, base, patch: JSON.parse(row.patch) as JsonObject }
}

/** Somebody else ended the job, or its collection was deleted. */
class Settled extends Error {}

/**
 * Runs an update to its end, whatever happens on the way, and says how it ended, if by somebody else's hand.
 * @throws only when the database is away: then the job is still running, and recovery ends it.
 */
async function settle(context: Context, update: Update): Promise<End> {
  try {
    return await execute(context, update)
  } catch (error) {
    if (!(error instanceof Settled)) {
      const refusal = error instanceof RegistryError ? error : new RegistryError('internal', { cause: error })
      if (refusal.code === 'internal')
        context.log.error({ err: error, job: update.id }, 'a metadata update failed')
      await context.database.transact((tx) =>
        finishMetadataJob(tx, update.id, {
          at: context.now(),
          status: 'failed',
          error: { ...storedRefusal(refusal) },
        }),
      )
    }
    return endOf(context, await findMetadataJob(context.database, update.id), error)
  }
}

/** What the row says. @param error What was met on the way, kept as the cause. */
async function endOf(context: Context, row: MetadataJobRow | undefined, error: unknown): Promise<End> {
  if (row === undefined) return { refusal: new RegistryError('collection_not_found') }
  if (row.status === 'failed') return { refusal: refusalFrom(row.error as unknown as StoredRefusal, error) }
  const version =
    row.resultVersionId === null ? undefined : await findVersionById(context.database, row.resultVersionId)
  if (version === undefined) throw new Error(`metadata job ${row.id} is ${row.status} and has no version`)
  return { version, unchanged: row.unchanged }
}

async function execute(context: Context, { id, collectionId, base, patch }: Update): Promise<End> {
  const content = await readContent(context, base)
  const metadata = mergedInto(content.full.metadata, patch)
  const claim = async (tx: Tx): Promise<void> => {
    if (!(await lockRunningMetadataJob(tx, id))) throw new Settled()
  }
  const complete = (tx: Tx, version: VersionRow, unchanged: boolean): Promise<void> =>
    finishMetadataJob(tx, id, {
      at: context.now(),
      status: 'completed',
      resultVersionId: version.id,
      unchanged,
    })

  if (canonicalize(metadata) === canonicalize(content.full.metadata)) {
    await context.database.transact(async (tx) => {
      await claim(tx)
      await demandHead(tx, collectionId, base)
      await complete(tx, base, true)
    })
    return { version: base, unchanged: true }
  }
  const version = await makeVersion(context, {
    collection: { id: collectionId },
    base,
    semver: nextSemver(base, 'other'),
    content: withMetadata(content, metadata),
    writer: openObjectWriter({ database: context.database, blobs: context.blobs }),
    before: claim,
    also: (tx, made) => complete(tx, made, false),
  })
  return { version, unchanged: false }
}

/** @throws version_conflict when a version landed after `base`. */
async function demandHead(tx: Tx, collectionId: string, base: VersionRow): Promise<void> {
  const head = await findHead(tx, collectionId)
  if (head?.id === base.id) return
  throw new RegistryError('version_conflict', {
    details: { currentVersion: head ? semverOf(head) : null },
    say: { baseVersion: semverOf(base) },
  })
}

async function resultOf(
  context: Context,
  end: { version: VersionRow; unchanged: boolean },
): Promise<MetadataResult> {
  const { metadata } = await documentOf(context, end.version, 'full')
  return {
    semver: semverOf(end.version),
    hash: shownDigest(end.version, 'full'),
    metadata,
    ...(end.unchanged ? { unchanged: true as const } : {}),
  }
}

async function shownJob(context: Context, row: MetadataJobRow): Promise<MetadataJob> {
  const job: MetadataJob = {
    job_id: row.id,
    status: row.status,
    base_semver: row.baseSemver,
    started_at: instantText(row.startedAt),
    finished_at: instantTextOrNull(row.finishedAt),
  }
  if (row.status === 'running') return job
  const end = await endOf(context, row, undefined)
  return 'refusal' in end
    ? { ...job, error: storedRefusal(end.refusal) }
    : { ...job, result: await resultOf(context, end) }
}
