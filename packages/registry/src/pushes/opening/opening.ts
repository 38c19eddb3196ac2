/** Bodies that open sessions: gathered, read in a worker thread where they are long, and shaped. */

import type { Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { taskFor } from '../../threads/task-for.ts'
import type { Opening, OpeningTask } from './check-opening.ts'

/**
 * Checks the shape of a body, of which it is given the outline: `{}` stands for its schemas and metadata, null for no body.
 * @throws invalid_request.
 */
export type Shape<T> = (outline: unknown) => T

export interface ReadOpening<T> extends Pick<Opening, 'schemas' | 'metadata' | 'manifest'> {
  opening: T
}

/** How a body is read. `bytesMax`: of the body. */
export type Reading = Omit<OpeningTask, 'bytes'> & { bytesMax: number }

/** @throws invalid_request, too_large, busy, too_costly, and what `shape` throws. */
export async function readOpening<T>(
  context: Context,
  who: Principal,
  body: AsyncIterable<Uint8Array>,
  { bytesMax, ...task }: Reading,
  shape: Shape<T>,
  signal?: AbortSignal,
): Promise<ReadOpening<T>> {
  const read = await context.bodies.gather(who, body, bytesMax, (bytes) =>
    context.workers.checkOpening({ ...task, bytes }, taskFor(who, signal)),
  )
  if (read.kind === 'malformed') throw malformed('', read.message, read.code)
  if (read.kind === 'manifest_no_array')
    throw malformed('manifest', 'must be an array of {id, type, hash, private?}')
  if (read.kind === 'rest_too_large')
    throw new RegistryError('too_large', {
      say: {
        what: 'What comes beside the manifest',
        limit: `${Math.floor(task.snapshot!.restUnitsMax / 1024 ** 2)} MiB`,
      },
    })
  const { kind: _kind, outline, ...parts } = read
  return { opening: shape(outline), ...parts }
}

export function malformed(path: string, message: string, rule?: string): RegistryError {
  const issue = rule === undefined ? { path, message } : { path, message, rule }
  return new RegistryError('invalid_request', { details: { issues: [issue] } })
}
