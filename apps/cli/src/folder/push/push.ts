/**
 * Publishes or resumes a push, then makes the new version the folder's base, then removes the push state: in this order, so that
 * `settlePush` can finish a push that was killed in between.
 */
import {
  type DryRunResult,
  type FileUpload,
  type PushProgress,
  type PushResult,
  type Snapshot,
  UlmusError,
} from '@ulmus/client'
import { fileReferences, type Json } from '@ulmus/content'
import type { RecordLine } from '@ulmus/wire'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import type { BaseVersion } from '../base/state.ts'
import { checkView, readHead, type VersionSource } from '../base/verified-version.ts'
import type { Folder } from '../changes/changes.ts'
import type { StoredFile } from '../files/content.ts'
import type { FileIndex } from '../files/file-index.ts'
import { contentTypeOf } from '../files/file-names.ts'
import { blobInside } from '../files/inside.ts'
import { parseLine } from '../files/record-line.ts'
import { entriesInOrder } from '../files/sequence.ts'
import { adoptPush } from './adopt.ts'
import { refusedExposures } from './exposures.ts'
import { beginPlan, hasPlan, type PushPlan, plannedChanges, schemasOf } from './push-plan.ts'
import { forgetPush, forgetState, type PushState, readPushState, writePushState } from './push-state.ts'

export interface Pushing {
  readonly folder: Folder
  readonly plan: PushPlan
  readonly source: VersionSource
  readonly host: string
  readonly message: string | undefined
  readonly onProgress: (progress: PushProgress) => void
  /** Called for private content of earlier versions, known only to the registry, that `--publish-private` makes public. */
  readonly onExposed: (what: string) => void
}

/**
 * Settles an interrupted push: if it was published, makes that version the folder's base. Leaves a resumable push alone.
 * @returns the version, if it was published
 */
export async function settlePush(
  root: string,
  base: BaseVersion | null,
  index: FileIndex,
  source: VersionSource,
  host: string,
): Promise<PushResult | undefined> {
  const state = readPushState(root)
  const isOurs = state?.host === host && state.collection === source.collection
  const result = state !== undefined && isOurs && hasPlan(root) ? await resultOf(source, state) : undefined
  if (result === 'open') return undefined
  if (result !== undefined) adoptPush({ root, index, base, head: await readHead(source, result.semver) })
  forgetPush(root)
  return result
}

/** Interval between polls of a committing session. Milliseconds. */
const pollMs = 500

async function resultOf(
  { client, collection, signal }: VersionSource,
  { session }: PushState,
): Promise<PushResult | 'open' | undefined> {
  for (;;) {
    try {
      const state = await client.pushSessions.get(collection, session.opened.session_id, signal)
      if (state.status === 'committed') return state.result ?? undefined
      if (state.status === 'open') return 'open'
      if (state.status !== 'committing' && state.status !== 'checking') return undefined
    } catch (error) {
      if (error instanceof UlmusError && (error.status === 404 || error.status === 410)) return undefined
      throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

/**
 * Checks, before a push sends anything, that the base is still the newest version, and that the caller sees the base as it was cloned.
 * @throws CommandError (conflict, failed)
 */
export async function checkBase(
  { client, collection }: VersionSource,
  base: BaseVersion | null,
  newest: string | null,
): Promise<void> {
  // Before the advice to pull: from a lost base, a pull fails, too.
  if (base !== null) await checkView({ client, collection }, base)
  if (newest !== (base?.semver ?? null))
    throw new CommandError(
      `${collection} is at ${newest ?? 'no version'}, this folder at ${base?.semver ?? 'none'}. Pull first.`,
      {
        ...{ exitCode: exitCodes.conflict, code: 'version_conflict' },
        next: [
          'ulmus pull',
          ...(base === null ? [] : [`ulmus restore ${shellWord(base.semver)}    # first publishes it again`]),
        ],
      },
    )
}

/** Publishes the plan. @returns undefined if the registry finds no change */
export async function pushFolder(pushing: Pushing): Promise<PushResult | undefined> {
  const { folder, plan, source } = pushing
  const { root, index, base } = folder
  await uploadFiles(pushing)
  try {
    const result = await send(pushing)
    adoptPush({ root, index, base, head: await readHead(source, result.semver), stats: plan.stats })
    forgetPush(root)
    return result
  } catch (error) {
    if (!(error instanceof UlmusError && error.code === 'no_changes')) throw error
    forgetPush(root)
    return undefined
  }
}

async function send(pushing: Pushing): Promise<PushResult> {
  const { folder, plan, source, host, onProgress } = pushing
  const { client, collection, signal } = source
  const { root, base } = folder
  const begun = readPushState(root)
  // A push to another base would be refused at its commit.
  const digest = `${base?.semver ?? ''} ${plan.digest} ${pushing.message ?? ''}`
  let session = begun?.digest === digest ? begun.session : undefined
  if (session === undefined) {
    if (begun !== undefined) await giveUp(source, begun)
    forgetState(root)
    beginPlan(root)
  }
  const note = (next: PushState['session']) => {
    session = next
    writePushState(root, { digest, host, collection, session: next })
  }
  return confirming(pushing, async (confirmed) =>
    client.push(collection, await whatToPush(confirmed), {
      signal,
      resume: session,
      onOpened: (opened) => note({ recordsTaken: 0, deletesTaken: 0, ...session, opened }),
      onProgress: (progress) => {
        const { recordsTaken, deletesTaken } = progress
        if (
          session !== undefined &&
          recordsTaken + deletesTaken > session.recordsTaken + session.deletesTaken
        )
          note({ opened: session.opened, recordsTaken, deletesTaken })
        onProgress(progress)
      },
    }),
  )
}

/** Publishes. With `--publish-private`, also confirms what only the registry knows, such as names that were private before the base. */
async function confirming<T>(pushing: Pushing, publish: (pushing: Pushing) => Promise<T>): Promise<T> {
  const { plan } = pushing
  try {
    return await publish(pushing)
  } catch (error) {
    const exposed = error instanceof UlmusError ? refusedExposures(error.body) : []
    const before = new Set(plan.confirmPublic)
    const more = exposed.filter(({ confirm }) => !before.has(confirm))
    if (plan.confirmPublic === undefined || more.length === 0) throw error
    for (const { what } of more) pushing.onExposed(what)
    const names = new Set([...before, ...more.map(({ confirm }) => confirm)])
    return confirming({ ...pushing, plan: { ...plan, confirmPublic: [...names] } }, publish)
  }
}

async function giveUp({ client, collection, signal }: VersionSource, { session }: PushState): Promise<void> {
  // A session that cannot be cancelled expires by itself.
  await client.pushSessions.cancel(collection, session.opened.session_id, signal).catch(() => undefined)
}

async function whatToPush({ folder, plan, message }: Pushing) {
  const { root, base } = folder
  return {
    baseVersion: base?.semver ?? null,
    schemas: plan.schemas,
    metadata: plan.metadata,
    files: await Promise.all(plan.declared.map((file) => uploadOf(root, file))),
    message,
    confirmPublic: plan.confirmPublic,
    records: recordLines(root),
    deletes: deleteLines(root),
    // `guardRemovals` has checked the limit.
    maxRemoved: '100%' as const,
  }
}

function* recordLines(root: string): Generator<RecordLine> {
  for (const { type, id, data, private: isPrivate } of plannedChanges(root)) {
    if (data !== undefined) yield { id, type, data, ...(isPrivate ? { private: true } : {}) }
  }
}

function* deleteLines(root: string): Generator<{ id: string; type: string }> {
  for (const { type, id, data } of plannedChanges(root)) if (data === undefined) yield { id, type }
}

const uploadOf = async (root: string, { path, hash }: StoredFile): Promise<FileUpload> => ({
  bytes: await blobInside(root, path, contentTypeOf(path)),
  hash,
})

/** Uploads files. Repeating is harmless: the registry drops files that the collection already has. */
async function uploadFiles({ folder, plan, source }: Pushing): Promise<void> {
  const { client, collection, signal } = source
  for (const file of plan.uploads)
    await client.files.upload(collection, await uploadOf(folder.root, file), signal)
}

/** Dry run: returns the result, or throws the refusal, of a push. */
export async function dryRunFolder(pushing: Pushing, isSnapshot: boolean): Promise<DryRunResult> {
  const { folder, source, onProgress } = pushing
  const { client, collection, signal } = source
  await uploadFiles(pushing)
  forgetState(folder.root)
  beginPlan(folder.root)
  const result = await confirming(pushing, async (confirmed) =>
    isSnapshot
      ? client.dryRun.snapshot(collection, await whatToSnapshot(confirmed), { signal })
      : client.dryRun.push(collection, await whatToPush(confirmed), { signal, onProgress }),
  )
  forgetPush(folder.root)
  return result
}

/** Publishes the folder as the complete version: removes all else that the base has, including files. */
export async function snapshotFolder(pushing: Pushing): Promise<PushResult> {
  const { folder, plan, source } = pushing
  const { client, collection, signal } = source
  const { root, base, index } = folder
  await uploadFiles(pushing)
  forgetState(root)
  beginPlan(root)
  const result = await confirming(pushing, async (confirmed) =>
    client.snapshot(collection, await whatToSnapshot(confirmed), { signal }),
  )
  adoptPush({ root, index, base, head: await readHead(source, result.semver), stats: plan.stats })
  forgetPush(root)
  return result
}

async function whatToSnapshot({ folder, plan, message }: Pushing): Promise<Snapshot> {
  const { root, base, schemas } = folder
  const referenced = new Set<string>()
  for (const { data } of everyRecord(folder)) {
    for (const hash of fileReferences(data as Json)) referenced.add(`sha256:${hash}`)
  }
  const declared = folder.files.filter(({ hash }) => !referenced.has(hash))
  return {
    baseVersion: base?.semver ?? null,
    schemas: schemasOf(schemas),
    metadata: plan.metadata,
    files: await Promise.all(declared.map((file) => uploadOf(root, file))),
    message,
    confirmPublic: plan.confirmPublic,
    records: () => everyRecord(folder),
    // `guardRemovals` has checked the limit.
    maxRemoved: '100%',
  }
}

function* everyRecord({ root, records }: Folder): Generator<RecordLine> {
  for (const [type, files] of records) {
    for (const batch of entriesInOrder(root, type, files)) {
      for (const entry of batch) {
        const { id, data, private: isPrivate } = parseLine(entry.text, type, entry).record
        yield { id, type, data, ...(isPrivate ? { private: true } : {}) }
      }
    }
  }
}
