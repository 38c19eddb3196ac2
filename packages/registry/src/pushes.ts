/** Delta pushes (http-api §9): a session takes batches of records and deletes in any order, and a commit makes them a version. */
import {
  canonicalize,
  formatSemver,
  type Hash,
  type JsonObject,
  mergeMetadata,
  metadataBytesMax,
  metadataIssues,
  parseFileReference,
  parseSemver,
  utf8Length,
} from '@ulmus/content'
import {
  findPush,
  findVersionById,
  insertPush,
  insertPushRun,
  movePush,
  type PushRow,
  runName,
  touchOpenPush,
} from '@ulmus/storage'
import { validate as isId, v7 as newId, v4 as randomId } from 'uuid'
import { type Collected, collect } from './collect.ts'
import type { Context } from './context.ts'
import { demand, RegistryError, type StoredRefusal } from './errors.ts'
import { instantText } from './instants.ts'
import { mayWork } from './policy.ts'
import type { Principal, Scope } from './principal.ts'
import {
  type CommitAnswer,
  type CommitResult,
  dropRuns,
  filesNeeded,
  runCommit,
  tidySessions,
} from './pushes/commit.ts'
import { CommitLeases } from './pushes/leases.ts'
import { schemasOf, schemasText } from './pushes/schemas.ts'
import { statesFor } from './pushes/states.ts'
import { type Seen, seeCollection } from './seen.ts'
import { documentOf, semverOf } from './version-making.ts'

export interface PushOpening {
  base_version: string | null
  schemas?: JsonObject
  metadata?: JsonObject
  files?: readonly string[]
  message?: string | null
  app_id?: string | null
  actor_id?: string | null
  strip_unknown_fields?: boolean
}

export interface PushStateAnswer {
  session_id: string
  status: PushRow['status']
  base_version: string | null
  total_records: number
  needed_records: number
  needed_files: string[]
  expires_at: string
  result: CommitResult | null
  /** Why the session failed, or why its last commit did not succeed. */
  error: StoredRefusal | null
}

type Path = { owner: string; slug: string }

/** Queue of commits asked for with `?async=true`. */
const commitQueue = 'push-commit'
const recoverySeconds = 1
const tidyingSeconds = 60

export type Pushes = ReturnType<typeof pushesOf>

export function pushesOf(context: Context) {
  const leases = new CommitLeases(context)
  context.jobs.define(commitQueue, ({ pushId, collectionId }) =>
    leases.runJob({ pushId: String(pushId), collectionId: String(collectionId) }),
  )
  context.jobs.repeat('taking over abandoned commits', recoverySeconds, () => leases.recover())
  context.jobs.repeat('tidying push sessions', tidyingSeconds, () => tidySessions(context))

  async function workplace(who: Principal, path: Path, scope: Scope): Promise<Seen> {
    const seen = await seeCollection(context, who, path)
    demand(mayWork(who, seen.collection, seen.role, scope), { owner: seen.owner.slug, needed: scope })
    return seen
  }

  async function session(seen: Seen, id: string): Promise<PushRow> {
    const push = isId(id) ? await findPush(context.database, seen.collection.id, id) : undefined
    if (push === undefined) throw new RegistryError('push_not_found')
    return push.status === 'open' && push.expiresAt <= context.now() ? { ...push, status: 'expired' } : push
  }

  const idleEnd = (): Date => new Date(context.now().getTime() + context.limits.pushIdleSeconds * 1000)

  return {
    /** @throws version_conflict, invalid_schema, invalid_request, too_large. */
    async open(who: Principal, path: Path, opening: PushOpening) {
      const seen = await workplace(who, path, 'write')
      demandHead(seen, opening.base_version)
      const schemas = opening.schemas === undefined ? null : await accepted(context, opening.schemas)
      await checkMetadata(context, seen, opening.metadata)
      const files = declaredFiles(opening.files ?? [])
      const push = await context.database.transact((tx) =>
        insertPush(tx, {
          id: newId(),
          collectionId: seen.collection.id,
          kind: 'delta',
          status: 'open',
          baseId: seen.head?.id ?? null,
          baseSemver: seen.head === null ? null : semverOf(seen.head),
          schemas,
          metadata: opening.metadata === undefined ? null : canonicalize(opening.metadata),
          files,
          stripUnknownFields: opening.strip_unknown_fields ?? false,
          message: opening.message ?? null,
          appId: opening.app_id ?? null,
          actorId: opening.actor_id ?? null,
          createdAt: context.now(),
          expiresAt: idleEnd(),
        }),
      )
      const { limits } = context
      return {
        session_id: push.id,
        base_version: push.baseSemver,
        needed_files: await filesNeeded(context, seen.collection.id, files),
        expires_at: instantText(push.expiresAt),
        limits: {
          batch_bytes: limits.batchBytesMax,
          batch_lines: limits.batchLinesMax,
          session_idle_seconds: limits.pushIdleSeconds,
          file_bytes: limits.fileBytesMax,
        },
      }
    },

    /**
     * Takes a batch of NDJSON lines, all of them or none; durable when it resolves.
     * @throws push_not_open, too_large, invalid_records, schema_violation.
     */
    async receive(
      who: Principal,
      path: Path,
      id: string,
      kind: 'records' | 'deletes',
      body: AsyncIterable<Uint8Array>,
    ) {
      const seen = await workplace(who, path, 'write')
      const push = await session(seen, id)
      demandOpen(push)
      const batch = await collect(body, context.limits.batchBytesMax)
      const outcome = await check(context, push, kind, batch)
      const touch = { expiresAt: idleEnd(), receivedRecords: kind === 'records' ? outcome.received : 0 }
      await keepRun(context, push.id, outcome, touch)
      return { received: outcome.received }
    },

    /** @throws what the commit is refused for; see `runCommit`. */
    async commit(who: Principal, path: Path, id: string, options: { async: boolean }): Promise<CommitAnswer> {
      const seen = await workplace(who, path, 'write')
      const push = await session(seen, id)
      if (push.status === 'committed')
        return { kind: 'committed', result: push.result as unknown as CommitResult }
      if (push.status === 'committing') return options.async ? committing(push) : leases.wait(push)
      demandOpen(push)
      const claimed = await context.database.transact(async (tx) => {
        const moved = await movePush(
          tx,
          push.id,
          ['open'],
          { status: 'committing', error: null, leaseUntil: leases.end() },
          context.now(),
        )
        if (moved !== undefined && options.async)
          await context.jobs.enqueue(tx, commitQueue, { pushId: push.id, collectionId: push.collectionId })
        return moved
      })
      // Somebody else was quicker: whatever became of it is the answer.
      if (claimed === undefined) return this.commit(who, path, id, options)
      if (!options.async)
        return { kind: 'committed', result: await leases.hold(claimed, () => runCommit(context, claimed)) }
      context.jobs.poke(commitQueue)
      return committing(claimed)
    },

    async state(who: Principal, path: Path, id: string): Promise<PushStateAnswer> {
      const seen = await workplace(who, path, 'read')
      const push = await session(seen, id)
      return {
        session_id: push.id,
        status: push.status,
        base_version: push.baseSemver,
        total_records: push.receivedRecords,
        needed_records: 0,
        needed_files: await filesNeeded(context, push.collectionId, push.files as Hash[]),
        expires_at: instantText(push.expiresAt),
        result: push.result as unknown as CommitResult | null,
        error: push.error as unknown as StoredRefusal | null,
      }
    },

    /** Ends a session that has not been committed; ending it twice is harmless. */
    async cancel(who: Principal, path: Path, id: string): Promise<void> {
      const seen = await workplace(who, path, 'write')
      const push = await session(seen, id)
      const moved = await context.database.transact((tx) =>
        movePush(tx, push.id, statesFor('cancel'), { status: 'cancelled' }),
      )
      if (moved === undefined) throw new RegistryError('push_not_open', { details: { status: push.status } })
      await dropRuns(context, push.id)
    },
  }
}

const committing = (push: PushRow): CommitAnswer => ({
  kind: 'committing',
  session_id: push.id,
  status: 'committing',
})

function demandOpen(push: PushRow): void {
  if (push.status !== 'open') throw new RegistryError('push_not_open', { details: { status: push.status } })
}

/** The base that a caller names must be the head. */
function demandHead(seen: Seen, baseVersion: string | null): void {
  const semver = baseVersion === null ? null : parseSemver(baseVersion)
  if (semver === undefined) {
    const message = `${JSON.stringify(baseVersion)} is no version such as v1.2.3`
    throw new RegistryError('invalid_request', { details: { issues: [{ path: 'base_version', message }] } })
  }
  const named = semver === null ? null : formatSemver(semver)
  const current = seen.head === null ? null : semverOf(seen.head)
  if (named === current) return
  throw new RegistryError('version_conflict', {
    details: { currentVersion: current },
    say: { baseVersion: named },
  })
}

/** The schemas a push brings, as text. @throws invalid_schema naming the type and the place. */
async function accepted(context: Context, schemas: JsonObject): Promise<string> {
  const outcome = await context.workers.acceptSchemas(canonicalize(schemas))
  if (outcome.kind === 'accepted') return outcome.text
  const { type, path, reason } = outcome
  throw new RegistryError('invalid_schema', {
    details: { type, ...(path === undefined ? {} : { path }) },
    say: { reason },
  })
}

async function checkMetadata(context: Context, seen: Seen, patch: JsonObject | undefined): Promise<void> {
  if (patch === undefined) return
  const issues = metadataIssues(patch).map(({ path, message }) => ({ path: `metadata.${path}`, message }))
  if (issues.length > 0) throw new RegistryError('invalid_request', { details: { issues } })
  const base = seen.head === null ? {} : (await documentOf(context, seen.head, 'full')).metadata
  if (utf8Length(canonicalize(mergeMetadata(base, patch))) > metadataBytesMax) {
    throw new RegistryError('too_large', {
      say: { what: 'The merged metadata', limit: '1 MiB in canonical form' },
    })
  }
}

function declaredFiles(names: readonly string[]): Hash[] {
  const files = new Set<Hash>()
  for (const [index, name] of names.entries()) {
    const file = parseFileReference(name)
    if (file === undefined) {
      const message = 'must be `sha256:` and 64 lowercase hex digits'
      throw new RegistryError('invalid_request', {
        details: { issues: [{ path: `files.${index}`, message }] },
      })
    }
    files.add(file)
  }
  return [...files].sort()
}

async function check(context: Context, push: PushRow, kind: 'records' | 'deletes', batch: Collected) {
  const base = push.baseId === null ? undefined : await findVersionById(context.database, push.baseId)
  const document = base === undefined ? undefined : await documentOf(context, base, 'full')
  const schemas =
    push.schemas ?? (document === undefined ? '{}' : schemasText(await schemasOf(context.objects, document)))
  const outcome = await context.workers.checkBatch({
    bytes: batch,
    kind,
    schemas,
    formerTypes: Object.keys(document?.types ?? {}),
    stripUnknownFields: push.stripUnknownFields,
    linesMax: context.limits.batchLinesMax,
  })
  if (outcome.kind === 'run') return outcome
  if (outcome.kind === 'too_many_lines') {
    throw new RegistryError('too_large', {
      say: { what: 'The batch', limit: `${context.limits.batchLinesMax} lines a request` },
    })
  }
  const { errors, totalErrors } = outcome
  const ofData = errors.every(({ code }) => code === 'schema_violation' || code === 'unknown_fields')
  throw new RegistryError(ofData ? 'schema_violation' : 'invalid_records', {
    details: { validationErrors: errors, totalErrors },
  })
}

/** Stores a run and adds it to its session, or takes it back when the session has ended meanwhile. */
async function keepRun(
  context: Context,
  pushId: string,
  made: { run: Uint8Array; entries: number },
  touch: { expiresAt: Date; receivedRecords: number },
): Promise<void> {
  const name = runName(pushId, randomId())
  const bytes = made.entries === 0 ? 0 : await context.blobs.put(name, made.run)
  const isOpen = await context.database.transact(async (tx) => {
    if (!(await touchOpenPush(tx, pushId, { now: context.now(), ...touch }))) return false
    if (made.entries > 0) await insertPushRun(tx, { pushId, name, entries: made.entries, bytes })
    return true
  })
  if (isOpen) return
  await context.blobs.remove(name)
  throw new RegistryError('push_not_open', { say: { status: 'no longer open' } })
}
