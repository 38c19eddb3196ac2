/**
 * Reads bodies that open sessions: gathers them within the memory budget, runs the task of `check-opening.ts`, and makes errors of
 * its refusals. Delta and snapshot pushes both use it.
 */

import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import type { Principal } from '../../principal.ts'
import { taskFor } from '../../principal.ts'
import { tooManyTypes } from '../schemas/accepted.ts'
import { checkOpening, type Opening, type OpeningTask } from './check-opening.ts'

/**
 * Checks the shape of a body in which `{}` replaces schemas and metadata; null if there is no body.
 * @throws invalid_request.
 */
export type Shape<T> = (body: unknown) => T

/** A checked body: `opening` in its shape, the rest as `check-opening.ts` returned it. */
export interface ReadOpening<T> extends Pick<Opening, 'schemas' | 'metadata' | 'manifest'> {
  opening: T
}

/** Options for reading a body. `bytesMax`: limit of the body. */
export type Reading = Omit<OpeningTask, 'bytes'> & { bytesMax: number }

/** @throws invalid_request, too_large, too_many_types, busy, too_costly, and the errors of `shape`. */
export async function readOpening<T>(
  context: Context,
  who: Principal,
  body: AsyncIterable<Uint8Array>,
  { bytesMax, ...task }: Reading,
  shape: Shape<T>,
  signal?: AbortSignal,
): Promise<ReadOpening<T>> {
  const read = await context.bodies.gather(who, body, bytesMax, (bytes) =>
    context.work.run(checkOpening, { ...task, bytes }, taskFor(who, signal)),
  )
  if (read.kind === 'malformed')
    throw new RegistryError('invalid_request', { details: { issues: read.issues } })
  if (read.kind === 'too_many_types') throw tooManyTypes(read.types)
  if (read.kind === 'too_large') {
    const { what, limit } = read
    throw new RegistryError('too_large', { say: { what, limit } })
  }
  const { kind: _kind, body: rest, ...parts } = read
  return { opening: shape(rest), ...parts }
}

/** Error for a member of the body. */
export const malformed = (path: string, message: string): RegistryError =>
  new RegistryError('invalid_request', { details: { issues: [{ path, message }] } })
