/**
 * Reads and checks metadata patches, and runs the update that has its collection's slot (metadata.ts). Several processes may run
 * one update: only the transaction that ends its row counts.
 */
import {
  canonicalize,
  InputError,
  type JsonObject,
  mergeMetadata,
  metadataBytes,
  metadataBytesMax,
  parseJson,
} from '@ulmus/content'
import {
  findCollectionById,
  findHead,
  findMetadataJob,
  findVersionById,
  finishMetadataJob,
  type MetadataJobRow,
  NotLandedError,
  openObjectWriter,
  type Tx,
  type VersionRow,
} from '@ulmus/storage'
import { type Acting, demandStill, onBehalfOf } from '../access/authority.ts'
import type { Context } from '../context.ts'
import { RegistryError, refusalOf, type StoredRefusal, storedRefusal } from '../errors/errors.ts'
import { type Principal, taskFor } from '../principal.ts'
import { retryIfSwept } from '../upkeep/retry-if-swept.ts'
import { documentOf, readContent, refusalOfWithdrawn, semverOf, withMetadata } from '../versions/content.ts'
import { makeVersion, numberAfter } from '../versions/land.ts'
import { fitMetadata, readBody } from '../versions/metadata-tasks.ts'

/** An update that holds its collection's slot. */
export interface Update {
  id: string
  collectionId: string
  base: VersionRow
  patch: JsonObject
  by: Acting
}

/** Outcome of an update; `gone` if its collection was deleted. */
export type End = 'gone' | Made | { refusal: RegistryError }

/** The version made, or the base if there was nothing to change. */
export interface Made {
  version: VersionRow
  unchanged: boolean
  metadata: JsonObject
}

/** Merges the patch into `metadata`. @throws too_large */
export function mergedInto(metadata: JsonObject, patch: JsonObject): JsonObject {
  const merged = mergeMetadata(metadata, patch)
  if (metadataBytes(merged) <= metadataBytesMax) return merged
  throw mergedTooLarge()
}

export function mergedTooLarge(): RegistryError {
  const limit = `${metadataBytesMax} bytes (1 MiB) in canonical form`
  return new RegistryError('too_large', {
    say: { what: 'The merged metadata', limit },
    details: { limitBytes: metadataBytesMax },
  })
}

/** Reads a running update; undefined if nothing is left to do. */
export async function readUpdate(context: Context, id: string): Promise<Update | undefined> {
  const row = await findMetadataJob(context.database, id)
  if (row === undefined || row.status !== 'running' || row.patch === null) return undefined
  const base = await findVersionById(context.database, row.baseId)
  const found = await findCollectionById(context.database, row.collectionId, null)
  // A row without its base was deleted with its collection meanwhile.
  if (base === undefined || found === undefined) return undefined
  const patch = parseJson(row.patch) as JsonObject
  return { id, collectionId: row.collectionId, base, patch, by: onBehalfOf(row, found) }
}

/**
 * Runs an update to its end, with retries, and returns its outcome, even if another process finished it.
 * @throws only if the database is unavailable: the job is then still running, and recovery ends it.
 */
export async function settle(context: Context, update: Update): Promise<End> {
  try {
    return await retryIfSwept(context.objects, () => execute(context, update))
  } catch (error) {
    if (!(error instanceof NotLandedError)) await fail(context, update.id, error)
    return endOf(context, await findMetadataJob(context.database, update.id))
  }
}

async function fail(context: Context, id: string, error: unknown): Promise<void> {
  const refusal = refusalOf(error)
  if (refusal !== error) context.log.error({ err: error, job: id }, 'a metadata update failed')
  const stored = { ...storedRefusal(refusal) }
  await context.database.transact((tx) =>
    finishMetadataJob(tx, id, { at: context.now(), status: 'failed', error: stored }),
  )
}

/** Reads the outcome of an update from its row. */
export async function endOf(context: Context, row: MetadataJobRow | undefined): Promise<End> {
  if (row === undefined) return 'gone'
  if (row.status === 'failed')
    return { refusal: RegistryError.restored(row.error as unknown as StoredRefusal) }
  const made =
    row.resultVersionId === null ? undefined : await findVersionById(context.database, row.resultVersionId)
  if (made === undefined) {
    // The collection and its row may have been deleted between the two queries.
    if ((await findMetadataJob(context.database, row.id)) === undefined) return 'gone'
    throw new Error(`metadata job ${row.id} is ${row.status} and has no version`)
  }
  if (made.withdrawnAt !== null) return { refusal: refusalOfWithdrawn(made) }
  const { metadata } = await documentOf(context, made, 'full')
  return { version: made, unchanged: row.unchanged, metadata }
}

async function execute(context: Context, { id, collectionId, base, patch, by }: Update): Promise<End> {
  const content = await readContent(context, base)
  const before = canonicalize(content.full.metadata)
  const after = canonicalize(mergedInto(content.full.metadata, patch))
  // Use canonical order, as in the stored document.
  const metadata = parseJson(after) as JsonObject
  if (before === after) {
    await context.database.transact(async (tx) => {
      await demandStill(context, tx, by)
      await demandHead(tx, collectionId, base)
      const end = {
        at: context.now(),
        status: 'completed' as const,
        resultVersionId: base.id,
        unchanged: true,
      }
      if (!(await finishMetadataJob(tx, id, end))) throw new NotLandedError('update_ended')
    })
    return { version: base, unchanged: true, metadata }
  }
  const version = await makeVersion(context, {
    collection: { id: collectionId },
    by,
    base,
    semver: numberAfter(base, by.collection.newestWithdrawn, 'other'),
    content: withMetadata(content, metadata),
    // The landing statement keeps existing rows, so the writer need not look them up.
    writer: openObjectWriter({
      database: context.database,
      blobs: context.blobs,
      inline: true,
      lookUp: false,
    }),
    ends: () => ({ job: id }),
  })
  return { version, unchanged: false, metadata }
}

/** @throws version_conflict if a version landed after `base`. */
async function demandHead(tx: Tx, collectionId: string, base: VersionRow): Promise<void> {
  const head = await findHead(tx, collectionId)
  if (head?.id === base.id) return
  throw new RegistryError('version_conflict', {
    details: { currentVersion: head ? semverOf(head) : null },
    say: { baseVersion: semverOf(base) },
  })
}

/** A patch, or its strictly checked JSON, which may be too long to parse on the event loop. */
export type Patch = JsonObject | string

/**
 * Maximum body of a metadata patch, as in docs/limits.md: 1 MiB of merged metadata, and as much for removals. Change it together
 * with `metadataPatchBytesMax` of pushes. Bytes.
 */
const patchBytesMax = 2 * 1024 ** 2

/** A validated patch, parsed to run and as text to store. */
export interface FittedPatch {
  /** The version that it was checked against. */
  base: VersionRow
  patch: JsonObject
  text: string
}

/**
 * Reads and parses a body, in a worker thread if it is long.
 * @throws InputError; invalid_request, too_large, busy, too_costly.
 */
export async function readPatch(
  context: Context,
  who: Principal,
  body: AsyncIterable<Uint8Array>,
): Promise<Patch> {
  const read = await context.bodies.gather(who, body, patchBytesMax, (bytes) =>
    context.work.run(readBody, { bytes }, taskFor(who)),
  )
  if (read.kind === 'malformed') throw new InputError(read.code, read.message)
  if (read.kind === 'patch') return read.text
  const issues = [{ path: '', message: 'must be a JSON object' }]
  throw new RegistryError('invalid_request', { details: { issues } })
}

/**
 * Checks a patch against its base version, in a worker thread if it is long. Leaves out removals of absent members, so a patch
 * for another version needs a new check.
 * @throws invalid_request, no_versions, too_large.
 */
export async function fitPatch(
  context: Context,
  who: Principal,
  patch: Patch,
  head: VersionRow | null,
): Promise<FittedPatch> {
  const base = head === null ? {} : (await documentOf(context, head, 'full')).metadata
  const task = { patch: typeof patch === 'string' ? patch : JSON.stringify(patch), base }
  const outcome = await context.work.run(fitMetadata, task, taskFor(who))
  if (outcome.kind === 'faulty') {
    const issues = outcome.issues.map(({ path, message }) => ({ path: path.slice(1), message }))
    throw new RegistryError('invalid_request', { details: { issues } })
  }
  if (head === null) throw new RegistryError('no_versions')
  if (outcome.kind !== 'fits') throw mergedTooLarge()
  return { base: head, patch: parseJson(outcome.patch) as JsonObject, text: outcome.patch }
}
