/** Turning a push session that is `committing` into a version, or settling why not. Runs on whichever server holds its lease. */
import {
  changeBetween,
  documentDigest,
  type Hash,
  type JsonObject,
  mergeMetadata,
  nextSemver,
} from '@ulmus/content'
import {
  findCollectionById,
  findPush,
  markFilesInViews,
  markFilesUsed,
  movePush,
  NotLanded,
  type ObjectWriter,
  openObjectWriter,
  type PushRow,
  type VersionRow,
} from '@ulmus/storage'
import { type Acting, demandNow, onBehalfOf } from '../../access/authority.ts'
import type { Context } from '../../context.ts'
import { RegistryError, storedRefusal } from '../../errors/errors.ts'
import { refusalOf } from '../../errors/refusals.ts'
import { knownFiles, recordInherited } from '../../files/known-files.ts'
import { retryIfSwept } from '../../upkeep/retry-if-swept.ts'
import { semverOf, shownCounts, shownDigest, type VersionContent } from '../../versions/content.ts'
import { abortOnError, makeVersion } from '../../versions/land.ts'
import { ReferringTypes, recordWarnings } from '../references/record-warnings.ts'
import { byType } from '../schemas/push-schema.ts'
import { broughtSchemas } from '../schemas/session-schemas.ts'
import type { PushWarning, PushWarnings } from '../schemas/warnings.ts'
import type { EntriesSource, PushEntry } from '../spills/entries.ts'
import { dropSpills, mergedEntries, tieredSpills } from '../spills/spills.ts'
import { TemporarySpills } from '../spills/temporary-spills.ts'
import { idleEnd } from '../state/idle-end.ts'
import { leaseLost, leaseOf } from '../state/lease.ts'
import { statesFor } from '../state/states.ts'
import { type Base, demandBase, emptyDocument, readBase } from './base.ts'
import { type Built, buildContent } from './build.ts'
import { checkCarriedOver } from './carried-over-check.ts'
import { refuseTwoHashes, snapshotEntries } from './snapshot-entries.ts'

/** The answer to a commit. */
export interface CommitResult {
  semver: string
  hash: string
  recordCount: number
  fileCount: number
  changes: Built['changes']
  /** Of its records: the first 100, and how many there are. */
  warnings: PushWarning[]
  totalWarnings: number
}

export type CommitAnswer =
  | { kind: 'committed'; result: CommitResult }
  | { kind: 'committing'; session_id: string; status: 'committing' }

/** How far a commit is, in lines of a delta and records of a snapshot's manifest; its row shows it. */
export interface Progress {
  recordsDone: number
  recordsTotal: number
}

/**
 * Refusals that leave the session open, with all it has received: what its owner can mend, and what may pass by itself. The
 * rest, a base that is no longer the head, ends it.
 */
const mendable = new Set<string>([
  'files_missing',
  'internal',
  'manifest_incomplete',
  'no_changes',
  'records_missing',
  'schema_violation',
  'storage_full',
  'too_costly',
  'unavailable',
])

/**
 * Makes the version of a session whose lease the caller has; its state is settled in any case. Undefined: somebody else has settled
 * it or is about to, and its row says how.
 * @param push as it was when the lease was taken
 * @param by whose request waits for it; none: it is done on behalf of the account that asked for it
 * @throws RegistryError what refused it: version_conflict, files_missing, schema_violation, no_changes; of a
 * snapshot also manifest_incomplete, manifest_conflict, records_missing.
 */
export async function runCommit(
  context: Context,
  push: PushRow,
  progress: Progress,
  by?: Acting,
): Promise<CommitResult | undefined> {
  try {
    const result = await retryIfSwept(context.objects, () => commit(context, push, progress, by))
    context.commitCounters.committed(progress.recordsTotal)
    return result
  } catch (error) {
    if (await isSettledElsewhere(context, push, error)) return undefined
    context.commitCounters.refused(refusalOf(error).code)
    throw error
  }
}

/** Settles a session whose commit failed, unless it is no longer the caller's, or is committed and only the answer was lost. */
async function isSettledElsewhere(context: Context, push: PushRow, error: unknown): Promise<boolean> {
  const refusal = refusalOf(error)
  const end = {
    status: mendable.has(refusal.code) ? ('open' as const) : ('failed' as const),
    error: { ...storedRefusal(refusal) },
    expiresAt: idleEnd(context),
  }
  const settled = await context.database.transact((tx) =>
    movePush(tx, push.id, statesFor('fail'), end, leaseOf(push).holder),
  )
  if (settled) return false
  // Otherwise it has gone with its collection.
  return (await findPush(context.database, push.collectionId, push.id)) !== undefined
}

async function commit(
  context: Context,
  push: PushRow,
  progress: Progress,
  asked: Acting | undefined,
): Promise<CommitResult> {
  const { database, objects, blobs } = context
  progress.recordsDone = 0
  await demandBase(context, push)
  const by = asked ?? (await behalfOfCommitter(context, push))
  await demandNow(context, by)
  // The work is counted for the account that owns the collection, whoever asked for it.
  const owner = by.owner.id
  const kept = await broughtSchemas(context, push)
  const brought = kept && byType(kept.list)
  const base = await readBase(context, push, brought)
  const schemas = brought ?? base.schemas
  const spills = await tieredSpills(context, leaseOf(push), refuseTwoHashes)
  progress.recordsTotal = push.manifestExpected ?? spills.reduce((sum, spill) => sum + spill.entries, 0)
  const referring = new ReferringTypes(schemas)
  const entries: EntriesSource =
    push.kind === 'delta'
      ? (passed) => counted(mergedEntries(context, spills), passed)
      : await snapshotEntries(context, push, { base, spills })
  await checkCarriedOver(context, { base: base.full, baseSchemas: base.schemas, schemas, entries, owner })
  const writer = openObjectWriter({ database, blobs, objects })
  const passing = new TemporarySpills(context, push.id)
  try {
    const patch = push.metadata === null ? {} : (JSON.parse(push.metadata) as JsonObject)
    const made = await abortOnError(writer, async () => {
      const built = await buildContent(
        { objects, writer, workers: context.workers, owner },
        {
          base,
          baseSchemas: base.schemas,
          schemas,
          entries: referring.noting(entries),
          metadata: mergeMetadata(base.full.metadata, patch),
          declared: push.files as Hash[],
          replacesDeclared: push.kind === 'snapshot',
          fileSizes: (files) => sizesOfKnown(context, push.collectionId, files),
          passing,
          progress,
        },
      )
      const change = demandChange(base, built)
      const look = { base: base.full, schemas, entries, owner }
      return { built, change, warnings: await recordWarnings(context, referring, look) }
    })
    return await land(context, push, { base, ...made, writer, progress, by })
  } finally {
    await passing.drop()
  }
}

/** @throws collection_not_found. */
async function behalfOfCommitter(context: Context, push: PushRow): Promise<Acting> {
  const found = await findCollectionById(context.database, push.collectionId, null)
  if (found === undefined) throw new RegistryError('collection_not_found')
  return onBehalfOf(push.committerId ?? push.accountId, found)
}

async function* counted(
  entries: AsyncGenerator<PushEntry[]>,
  passed: (records: number) => void = () => undefined,
): AsyncGenerator<PushEntry[]> {
  for await (const batch of entries) {
    passed(batch.length)
    yield batch
  }
}

/** @throws files_missing naming those that are not known. */
function demandFiles(files: readonly Hash[], known: { has(file: Hash): boolean }): void {
  const missing = files.filter((file) => !known.has(file))
  if (missing.length === 0) return
  throw new RegistryError('files_missing', {
    details: { filesNeeded: missing.sort().map((file) => `sha256:${file}`) },
  })
}

/** @throws files_missing naming those that the collection does not know. */
async function sizesOfKnown(
  context: Context,
  collectionId: string,
  files: readonly Hash[],
): Promise<Map<Hash, number>> {
  const known = await knownFiles(context, collectionId, files)
  demandFiles(files, known)
  return known
}

async function land(
  context: Context,
  push: PushRow,
  made: {
    base: Base
    built: Built
    change: Change
    warnings: PushWarnings
    writer: ObjectWriter
    progress: Progress
    by: Acting
  },
): Promise<CommitResult> {
  const { base, built, change, warnings, writer } = made
  const files = built.filesEntered.full
  try {
    const version = await makeVersion(context, {
      collection: { id: push.collectionId },
      by: made.by,
      base: base.version,
      semver: nextSemver(base.version, change),
      content: built.content,
      writer,
      message: push.message,
      appId: push.appId,
      actorId: push.actorId,
      ends: (version) => ({ push: pushEnd(push, made.progress, answerTo(version)) }),
      also: async (tx) => {
        demandFiles(files, await markFilesUsed(tx, files))
        await recordInherited(tx, push.collectionId, files)
        await markFilesInViews(tx, push.collectionId, built.filesEntered)
      },
    })
    void dropSpills(context, push.id)
    return answerTo(version)
  } catch (error) {
    throw error instanceof NotLanded ? leaseLost() : error
  }

  function answerTo(version: VersionRow): CommitResult {
    const { recordCount, fileCount } = shownCounts(version, 'full')
    const hash = shownDigest(version, 'full')
    const told = { warnings: warnings.listed, totalWarnings: warnings.total }
    return { semver: semverOf(version), hash, recordCount, fileCount, changes: built.changes, ...told }
  }
}

const pushEnd = (push: PushRow, { recordsDone, recordsTotal }: Progress, answer: CommitResult) => ({
  ...{ id: push.id, holder: leaseOf(push).holder, recordsDone, recordsTotal },
  answer: { ...answer },
})

type Change = Exclude<ReturnType<typeof changeBetween>, 'none'>

/**
 * A first version needs something in it; a later one something that differs, be it only what is private.
 * @throws no_changes.
 */
function demandChange(base: Base, { content }: Built): Change {
  const change = changeFrom(base, content)
  if (change === 'none') throw new RegistryError('no_changes')
  return change
}

function changeFrom(base: Base, content: VersionContent): ReturnType<typeof changeBetween> {
  if (base.version === null) {
    const isEmpty = documentDigest(content.full) === documentDigest(emptyDocument)
    return isEmpty ? 'none' : 'first'
  }
  const change = changeBetween({ full: base.full, public: base.public }, content)
  return change === 'none' && base.sidecarHash !== content.sidecar ? 'other' : change
}
