/**
 * Snapshot pushes: a manifest names every record of the next version by its hash, the client sends the records that the base
 * lacks, and the commit makes the version equal the manifest. http-api §9.
 */

import type { Hash } from '@ulmus/content'
import type { PushStanding } from '@ulmus/storage'
import type { CollectionPath, DryRun } from '@ulmus/wire'
import { type Acting, demandNow } from '../access/authority.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { demandCaller, type Principal, taskFor } from '../principal.ts'
import type { CommitAnswer, CommitOptions, DryRunOptions } from './commit/commit.ts'
import { malformed, readOpening, type Shape } from './opening/opening.ts'
import type { SnapshotOpening } from './opening/opening-body.ts'
import type { LineError, LineFacts } from './receiving/check-batch.ts'
import { checkManifest, type ManifestOutcome } from './receiving/check-manifest.ts'
import { findManifestHash } from './receiving/manifest-hash.ts'
import { type ManifestMarks, ManifestMarksCache } from './receiving/manifest-marks.ts'
import { type MarkedManifest, markNeeded } from './receiving/needed.ts'
import { checkLines, linesRefused, typesOfPush } from './receiving/receiving.ts'
import type { PushSessions } from './session/sessions.ts'
import type { PushStateAnswer } from './session/state-answer.ts'
import { keepSpill } from './spills/spills.ts'
import { idleEnd } from './state/idle-end.ts'
import { isLive } from './state/states.ts'

/** Maximum entries of a manifest in the opening body. Change it together with `manifestInlineMax` of packages/wire/src/snapshots.ts. */
const inlineMax = {
  entries: 500_000,
  say: '500,000 entries in one body; give `manifest_expected` and send it in chunks',
}
/** Maximum entries in one chunk. Change it together with `manifestChunkMax` of packages/wire/src/snapshots.ts. */
const chunkMax = { entries: 50_000, say: '50,000 entries a request' }
/** Maximum size of the opening body, as in docs/limits.md. Bytes. */
const openingBytesMax = 128 * 1024 ** 2
/** Maximum size of a chunk. Bytes. */
const chunkBytesMax = 64 * 1024 ** 2
/** A schema may nest as deep as a record, and lies two levels down in the body. */
const openingDepthMax = 67

type ManifestSpill = Extract<ManifestOutcome, { kind: 'spill' }>

/** Service of snapshot pushes. Delta pushes have theirs in pushes.ts; `PushSessions` serves both. */
export class Snapshots {
  readonly #context: Context
  readonly #sessions: PushSessions
  readonly #marks: ManifestMarksCache

  constructor(context: Context, sessions: PushSessions) {
    this.#context = context
    this.#sessions = sessions
    this.#marks = new ManifestMarksCache(context)
  }

  /**
   * Opens a session.
   * @throws version_conflict, invalid_schema, invalid_request, invalid_records, manifest_conflict, too_large, busy, too_costly.
   */
  async negotiate(
    who: Principal,
    path: CollectionPath,
    body: AsyncIterable<Uint8Array>,
    shape: Shape<SnapshotOpening>,
    signal?: AbortSignal,
  ) {
    const seen = await this.#sessions.workplace(who, path, 'write')
    const snapshot = { entriesMax: inlineMax.entries }
    const reading = { bytesMax: openingBytesMax, depthMax: openingDepthMax, snapshot }
    const read = await readOpening(this.#context, who, body, reading, shape, signal)
    const { opening, manifest } = read
    if ((manifest === undefined) === (opening.manifest_expected === undefined)) {
      throw malformed('manifest', 'give either `manifest` or `manifest_expected`')
    }
    const inline = manifest && accepted(manifest, inlineMax)
    const expected = inline?.entries ?? opening.manifest_expected!
    const { push, totalFiles, neededFiles, warnings } = await this.#sessions.open(
      demandCaller(who),
      seen,
      read,
      { kind: 'snapshot', manifestExpected: expected },
      taskFor(who, signal),
    )
    const files = {
      needed_files: neededFiles,
      total_files: totalFiles,
      already_have_files: totalFiles - neededFiles.length,
      warnings: warnings.listed,
      total_warnings: warnings.total,
    }
    if (inline === undefined) {
      const next = `/api/collections/${seen.owner.slug}/${seen.collection.slug}/versions/negotiate/${push.id}/manifest`
      return { session_id: push.id, manifest_expected: expected, manifest_received: 0, ...files, next }
    }
    const needed = await this.#keepManifest(push, inline, { ...seen, who: demandCaller(who) })
    return {
      session_id: push.id,
      needed_records: needed,
      total_records: expected,
      already_have_records: expected - needed.length,
      ...files,
    }
  }

  /** Accepts a chunk of the manifest; sending it again is harmless. @throws the errors of `negotiate`, and push_not_open. */
  async manifest(
    who: Principal,
    path: CollectionPath,
    id: string,
    body: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ) {
    const { push, by } = await this.#sessions.findOpen(who, path, 'snapshot', id)
    const { schemas } = await typesOfPush(this.#context, push)
    const types = schemas.list.map(({ type }) => type)
    const outcome = await this.#sessions.during(push, taskFor(who, signal), (task) =>
      this.#context.bodies.gather(who, body, chunkBytesMax, async (bytes) => {
        await demandNow(this.#context, by)
        return this.#context.work.run(checkManifest, { bytes, types, entriesMax: chunkMax.entries }, task)
      }),
    )
    const chunk = accepted(outcome, chunkMax)
    const needed = await this.#keepManifest(push, chunk, by)
    const known = await this.#marksOf(push)
    return {
      received: chunk.received,
      needed_records: needed,
      manifest_received: known.size,
      manifest_expected: push.manifestExpected!,
    }
  }

  /**
   * Accepts a batch of records that the manifest names, completely or not at all.
   * @throws unexpected_record, the errors of `checkLines`, and push_not_open.
   */
  async receive(
    who: Principal,
    path: CollectionPath,
    id: string,
    body: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<{ received: number; remaining: number }> {
    const { push, by } = await this.#sessions.findOpen(who, path, 'snapshot', id)
    const { spill, entries, received, facts } = await this.#sessions.during(
      push,
      taskFor(who, signal),
      (task) =>
        this.#context.bodies.gather(who, body, this.#context.limits.batchBytesMax, async (batch) => {
          await demandNow(this.#context, by)
          return checkLines(this.#context, push, batch, task, { kind: 'records', facts: true })
        }),
    )
    const known = await this.#marksOf(push)
    const unexpected = compareWithManifest(facts ?? [], (hash) => known.find(hash))
    if (unexpected !== undefined) throw await this.#refusalOf(push, unexpected)
    await keepSpill(
      this.#context,
      push.id,
      { role: 'records', spill, entries },
      { expiresAt: idleEnd(this.#context), receivedRecords: received },
      by,
    )
    return { received, remaining: (await this.#marksOf(push)).remaining }
  }

  commit(who: Principal, path: CollectionPath, id: string, options: CommitOptions): Promise<CommitAnswer> {
    return this.#sessions.commit(who, path, 'snapshot', id, options)
  }

  /** Returns the result that `commit` would have. @throws the errors of `commit`. */
  dryRun(who: Principal, path: CollectionPath, id: string, options?: DryRunOptions): Promise<DryRun> {
    return this.#sessions.dryRun(who, path, 'snapshot', id, options)
  }

  async state(
    who: Principal,
    path: CollectionPath,
    id: string,
    filesAfter?: string,
  ): Promise<PushStateAnswer> {
    const seen = await this.#sessions.workplace(who, path, 'poll')
    const push = await this.#sessions.watch(seen, 'snapshot', id)
    if (!isLive(push.status)) return this.#sessions.state(push, 0, filesAfter)
    const known = await this.#marks.of(push)
    if (known === undefined)
      return this.#sessions.state(await this.#sessions.find(seen, 'snapshot', id), 0, filesAfter)
    return this.#sessions.state(push, known.remaining, filesAfter)
  }

  cancel(who: Principal, path: CollectionPath, id: string): Promise<void> {
    return this.#sessions.cancel(who, path, 'snapshot', id)
  }

  /** @throws push_not_open if the session ends meanwhile. */
  async #marksOf(push: PushStanding): Promise<ManifestMarks> {
    const known = await this.#marks.of(push)
    if (known === undefined) throw new RegistryError('push_not_open', { say: { status: 'ended by now' } })
    return known
  }

  /** Tells a record that the manifest has with another hash from one that it lacks: their remedies differ. */
  async #refusalOf(push: PushStanding, { line, id, type, hash }: LineFacts): Promise<RegistryError> {
    const manifestHash = await findManifestHash(this.#context, push, { type, id })
    const details = { line, id, type, hash, ...(manifestHash !== undefined && { manifestHash }) }
    return new RegistryError('unexpected_record', { details, say: { isStripped: push.stripUnknownFields } })
  }

  /** Stores a spill of the manifest. Marks the records that the base lacks, and returns their hashes. */
  async #keepManifest(push: PushStanding, spill: ManifestSpill, by: Acting): Promise<Hash[]> {
    const marked: MarkedManifest = await markNeeded(this.#context, push, spill.spill)
    const kept = { role: 'manifest', spill: marked.spill, entries: spill.entries } as const
    await keepSpill(
      this.#context,
      push.id,
      kept,
      { expiresAt: idleEnd(this.#context), receivedRecords: 0 },
      by,
    )
    return marked.needed
  }
}

function accepted(outcome: ManifestOutcome, max: { say: string }): ManifestSpill {
  if (outcome.kind === 'spill') return outcome
  if (outcome.kind === 'too_many')
    throw new RegistryError('too_large', { say: { what: 'The manifest', limit: max.say } })
  if (outcome.kind === 'refused') throw linesRefused(outcome.errors, outcome.totalErrors)
  const { id, type, hashes } = outcome
  throw new RegistryError('manifest_conflict', { details: { id, type, hashes } })
}

/**
 * Requires that every line is a record of the manifest with the same privacy. Returns the first line whose hash the manifest lacks.
 * @throws invalid_records
 */
function compareWithManifest(
  facts: readonly LineFacts[],
  find: (hash: string) => { private: boolean } | undefined,
): LineFacts | undefined {
  const errors: LineError[] = []
  for (const one of facts) {
    const { line, id, type, hash, private: declared } = one
    const known = find(hash)
    if (known === undefined) return one
    if (declared === undefined || declared === known.private) continue
    const message = `the manifest says ${known.private ? 'that it is private' : 'nothing of its being private'}, the line says otherwise`
    errors.push({ line, id, type, code: 'private_mismatch', message })
  }
  if (errors.length > 0) throw linesRefused(errors.slice(0, 100), errors.length)
  return undefined
}
