/** Patches of metadata as they arrive, and how they fit the version that they are for. */
import { InputError, type JsonObject, type MetadataIssue, metadataIssues } from '@ulmus/content'
import type { VersionRow } from '@ulmus/storage'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { taskFor } from '../threads/task-for.ts'
import { documentOf } from '../versions/content.ts'
import { mergedInto, mergedTooLarge } from './update.ts'

/** A patch too long to be parsed here. */
export class LongPatch {
  /** JSON that was read strictly. */
  readonly bytes: Uint8Array
  /** The account that sent it. */
  readonly owner: string

  constructor(bytes: Uint8Array, owner: string) {
    this.bytes = bytes
    this.owner = owner
  }
}

export type Patch = JsonObject | LongPatch

/** What is kept of a patch, and run. */
export interface FittedPatch {
  /** The version that it was fitted to. */
  base: VersionRow
  patch: JsonObject
  text: string
}

/** Reads a long body in a worker thread. What is no object comes back as null or `[]`, for a shape to refuse. @throws InputError; too_costly. */
export async function readLongPatch(
  context: Context,
  who: Principal,
  body: Uint8Array,
): Promise<LongPatch | [] | null> {
  const by = taskFor(who)
  const read = await context.workers.readPatch(new Uint8Array(body), by)
  if (read.kind === 'malformed') throw new InputError(read.code, read.message)
  return read.kind === 'patch' ? new LongPatch(read.bytes, by.owner) : read.body
}

/**
 * A patch, checked against the version that it is for. Of a long one, removals of what that version lacks are left out: for another
 * version it has to be fitted again.
 * @throws invalid_request, no_versions, too_large.
 */
export async function fitPatch(
  context: Context,
  patch: Patch,
  head: VersionRow | null,
): Promise<FittedPatch> {
  if (patch instanceof LongPatch) return fitLong(context, patch, head)
  refuseIssues(metadataIssues(patch))
  const base = demandVersion(head)
  mergedInto((await documentOf(context, base, 'full')).metadata, patch)
  return { base, patch, text: JSON.stringify(patch) }
}

async function fitLong(
  context: Context,
  { bytes, owner }: LongPatch,
  head: VersionRow | null,
): Promise<FittedPatch> {
  const metadata = head === null ? {} : (await documentOf(context, head, 'full')).metadata
  // A copy: it may have to be fitted again.
  const task = { bytes: new Uint8Array(bytes), base: metadata }
  const outcome = await context.workers.fitMetadata(task, { owner })
  if (outcome.kind === 'faulty') refuseIssues(outcome.issues)
  const base = demandVersion(head)
  if (outcome.kind !== 'fits') throw mergedTooLarge()
  return { base, patch: JSON.parse(outcome.patch) as JsonObject, text: outcome.patch }
}

function demandVersion(head: VersionRow | null): VersionRow {
  if (head === null) throw new RegistryError('no_versions')
  return head
}

function refuseIssues(issues: readonly MetadataIssue[]): void {
  if (issues.length === 0) return
  const named = issues.map(({ path, message }) => ({ path: path.slice(1), message }))
  throw new RegistryError('invalid_request', { details: { issues: named } })
}
