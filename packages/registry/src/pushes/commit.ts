/** Turning a push session that is `committing` into a version, or settling why not. Runs on whichever server holds its lease. */
import {
  changeBetween,
  documentDigest,
  emptyTree,
  type Hash,
  type JsonObject,
  mergeMetadata,
  nextSemver,
  type Schema,
  type ViewDocument,
} from '@ulmus/content'
import {
  deletePushRuns,
  expirePushes,
  findHead,
  findPush,
  findVersionById,
  listEndedPushesWithRuns,
  listPushRuns,
  markFilesInViews,
  movePush,
  openObjectWriter,
  type PushRow,
  type VersionRow,
} from '@ulmus/storage'
import { type Aside, emptyAside, readAside } from '../aside.ts'
import type { Context } from '../context.ts'
import { RegistryError, storedRefusal } from '../errors.ts'
import { knownFiles, recordInherited } from '../known-files.ts'
import { makeVersion, readContent, semverOf, shownCounts, shownDigest } from '../version-making.ts'
import { type Built, buildContent } from './build.ts'
import { checkCarriedOver } from './carried-over-check.ts'
import type { PushEntry } from './entry.ts'
import { mergeRuns } from './merge.ts'
import { readRun } from './run.ts'
import { restoreSchemas, schemasOf } from './schemas.ts'
import { statesFor } from './states.ts'

/** The answer to a commit. */
export interface CommitResult {
  semver: string
  hash: string
  recordCount: number
  fileCount: number
  changes: Built['changes']
}

export type CommitAnswer =
  | { kind: 'committed'; result: CommitResult }
  | { kind: 'committing'; session_id: string; status: 'committing' }

/** Refusals that the session's owner can mend: it goes back to `open`, with all it has received. */
const mendable = new Set<string>(['files_missing', 'schema_violation', 'no_changes', 'unavailable'])

/**
 * Makes the version of a committing session; its state is settled in any case.
 * @throws RegistryError what refused it: version_conflict, files_missing, schema_violation, no_changes.
 */
export async function runCommit(context: Context, push: PushRow): Promise<CommitResult> {
  try {
    return await commit(context, push)
  } catch (error) {
    const settled = await settle(context, push, error)
    if (settled !== undefined) return settled
    throw error
  }
}

/** Somebody else may have finished the session meanwhile: then their result is the answer. */
async function settle(context: Context, push: PushRow, error: unknown): Promise<CommitResult | undefined> {
  const refusal = error instanceof RegistryError ? error : new RegistryError('internal', { cause: error })
  // What nobody foresaw may pass (a store away for a moment): nothing received is lost to it.
  const mend = mendable.has(refusal.code) || refusal.code === 'internal'
  await context.database.transact((tx) =>
    movePush(tx, push.id, statesFor('fail'), {
      status: mend ? 'open' : 'failed',
      error: { ...storedRefusal(refusal) },
    }),
  )
  const now = await findPush(context.database, push.collectionId, push.id)
  return now?.status === 'committed' ? (now.result as unknown as CommitResult) : undefined
}

async function commit(context: Context, push: PushRow): Promise<CommitResult> {
  const { database, objects, blobs } = context
  await demandBase(context, push)
  const base = await readBase(context, push)
  const schemas = push.schemas === null ? base.schemas : restoreSchemas(push.schemas)
  const runs = await listPushRuns(database, push.id)
  const entries = (): AsyncGenerator<PushEntry[]> =>
    mergeRuns(runs.map((run) => readRun(blobs.stream(run.name))))
  await checkCarriedOver(objects, { base: base.full, baseSchemas: base.schemas, schemas, entries })
  const writer = openObjectWriter({ database, blobs, objects })
  try {
    const patch = push.metadata === null ? {} : (JSON.parse(push.metadata) as JsonObject)
    const built = await buildContent(
      { objects, writer },
      {
        base,
        baseSchemas: base.schemas,
        schemas,
        entries,
        metadata: mergeMetadata(base.full.metadata, patch),
        declared: push.files as Hash[],
        fileSizes: (files) => sizesOfKnown(context, push.collectionId, files),
      },
    )
    return await landVersion(context, push, { base, built, writer })
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/** Asked before the work, and by `makeVersion` again when it is done. */
async function demandBase(context: Context, push: PushRow): Promise<void> {
  const head = await findHead(context.database, push.collectionId)
  if (head === undefined) throw new RegistryError('collection_not_found')
  if ((head?.id ?? null) === push.baseId) return
  const currentVersion = head === null ? null : semverOf(head)
  throw new RegistryError('version_conflict', {
    details: { currentVersion },
    say: { baseVersion: push.baseSemver },
  })
}

interface Base {
  version: VersionRow | null
  full: ViewDocument
  public: ViewDocument
  aside: Aside
  asideHash: Hash | null
  schemas: Map<string, Schema>
}

const emptyDocument: ViewDocument = Object.freeze({ files: emptyTree, metadata: {}, types: {} })

async function readBase(context: Context, push: PushRow): Promise<Base> {
  if (push.baseId === null) {
    const empty = { full: emptyDocument, public: emptyDocument, aside: emptyAside() }
    return { version: null, ...empty, asideHash: null, schemas: new Map() }
  }
  const version = await findVersionById(context.database, push.baseId)
  if (version === undefined) throw new RegistryError('collection_not_found')
  const content = await readContent(context, version)
  return {
    version,
    full: content.full,
    public: content.public,
    aside: await readAside(context.objects, content.aside),
    asideHash: content.aside,
    schemas: await schemasOf(context.objects, content.full),
  }
}

/** @throws files_missing naming those that the collection does not know. */
async function sizesOfKnown(
  context: Context,
  collectionId: string,
  files: readonly Hash[],
): Promise<Map<Hash, number>> {
  const known = await knownFiles(context, collectionId, files)
  const missing = files.filter((file) => !known.has(file))
  if (missing.length === 0) return known
  throw new RegistryError('files_missing', {
    details: { filesNeeded: missing.sort().map((file) => `sha256:${file}`) },
  })
}

async function landVersion(
  context: Context,
  push: PushRow,
  made: { base: Base; built: Built; writer: ReturnType<typeof openObjectWriter> },
): Promise<CommitResult> {
  const { base, built, writer } = made
  const { content } = built
  const change = changeFrom(base, built)
  if (change === 'none') throw new RegistryError('no_changes')
  let result: CommitResult | undefined
  await makeVersion(context, {
    collection: { id: push.collectionId },
    base: base.version,
    semver: nextSemver(base.version, change),
    content,
    writer,
    message: push.message,
    appId: push.appId,
    actorId: push.actorId,
    also: async (tx, version) => {
      await recordInherited(tx, push.collectionId, built.filesEntered.full)
      await markFilesInViews(tx, push.collectionId, built.filesEntered)
      const { recordCount, fileCount } = shownCounts(version, 'full')
      const hash = shownDigest(version, 'full')
      result = { semver: semverOf(version), hash, recordCount, fileCount, changes: built.changes }
      const moved = await movePush(tx, push.id, statesFor('done'), {
        status: 'committed',
        result: { ...result },
        error: null,
      })
      if (moved === undefined)
        throw new RegistryError('push_not_open', { say: { status: 'no longer committing' } })
    },
  })
  void dropRuns(context, push.id)
  return result!
}

/** A first version needs something in it; a later one something that differs, be it only what is private. */
function changeFrom(base: Base, { content }: Built): ReturnType<typeof changeBetween> {
  if (base.version === null) {
    const isEmpty = documentDigest(content.full) === documentDigest(emptyDocument)
    return isEmpty ? 'none' : 'first'
  }
  const change = changeBetween({ full: base.full, public: base.public }, content)
  return change === 'none' && base.asideHash !== content.aside ? 'other' : change
}

/** What an ended session had received is of no more use. Failing is harmless: the next tidying does it. */
export async function dropRuns(context: Context, pushId: string): Promise<void> {
  try {
    for (const run of await listPushRuns(context.database, pushId)) await context.blobs.remove(run.name)
    await context.database.transact((tx) => deletePushRuns(tx, pushId))
  } catch (error) {
    context.log.warn({ err: error, pushId }, 'could not drop the runs of an ended push session')
  }
}

/** Ends sessions that nobody used in time, and drops what ended ones had received. */
export async function tidySessions(context: Context): Promise<void> {
  await context.database.transact((tx) => expirePushes(tx, context.now()))
  for (const pushId of await listEndedPushesWithRuns(context.database)) await dropRuns(context, pushId)
}

/** Those of some declared files that the collection does not know yet. */
export const filesNeeded = async (
  context: Context,
  collectionId: string,
  files: readonly Hash[],
): Promise<string[]> => {
  const known = await knownFiles(context, collectionId, files)
  return files.filter((file) => !known.has(file)).map((file) => `sha256:${file}`)
}
