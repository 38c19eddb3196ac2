/** Patches of metadata as they arrive, and how they fit the version that they are for. */
import { InputError, type JsonObject } from '@ulmus/content'
import type { VersionRow } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import { taskFor } from '../principal.ts'
import { documentOf } from '../versions/content.ts'
import { fitMetadata, readBody } from '../versions/metadata-tasks.ts'
import { mergedTooLarge } from './update.ts'

/** A patch, or its JSON, read strictly: it may be too long to be parsed here. */
export type Patch = JsonObject | string

/** Bytes of a body that patches metadata: merged it has 1 MiB at most, and what removes members comes on top. */
const patchBytesMax = 2 * 1024 ** 2

/** A validated patch, as stored and run. */
export interface FittedPatch {
  /** The version that it was fitted to. */
  base: VersionRow
  patch: JsonObject
  text: string
}

/**
 * Reads a body, in a worker thread where it is long.
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
 * A patch, checked against the version that it is for, in a worker where it is long. Removals of what that version lacks are left out:
 * for another version it has to be fitted again.
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
  return { base: head, patch: JSON.parse(outcome.patch) as JsonObject, text: outcome.patch }
}
