/**
 * Checks received batches of lines by the rules of their session: finds its schemas and options, runs the task of `check-batch.ts`,
 * and makes errors of refused lines. Delta and snapshot pushes both use it.
 */
import { findVersionById, type PushStanding } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { rootsOf } from '../../versions/content.ts'
import type { Pieces } from '../../work/buffers.ts'
import type { TaskFor } from '../../work/task.ts'
import { type PushSchemas, pushSchemas } from '../schemas/push-schema.ts'
import { baseSchemas, pushedSchemas } from '../schemas/session-schemas.ts'
import { checkBatch, type LineError } from './check-batch.ts'

/**
 * Checks one batch.
 * @param options.facts true: the outcome includes facts to compare with a manifest
 * @throws too_large, invalid_records, schema_violation, too_costly.
 */
export async function checkLines(
  context: Context,
  push: PushStanding,
  batch: Pieces,
  by: TaskFor,
  options: { kind: 'records' | 'deletes'; facts?: boolean },
) {
  const task = {
    bytes: batch,
    kind: options.kind,
    facts: options.facts === true,
    ...(await typesOfPush(context, push)),
    stripUnknownFields: push.stripUnknownFields,
    linesMax: context.limits.batchLinesMax,
  }
  const outcome = await context.work.run(checkBatch, task, by)
  if (outcome.kind === 'spill') return outcome
  if (outcome.kind === 'too_many_lines') throw tooManyLines(context.limits.batchLinesMax)
  throw linesRefused(outcome.errors, outcome.totalErrors)
}

/** Schemas for a session's records, and the types of its base. @throws push_not_open, object_corrupt. */
export async function typesOfPush(
  context: Context,
  push: PushStanding,
): Promise<{ schemas: PushSchemas; formerTypes: string[] }> {
  const pushed = await pushedSchemas(context, push)
  const base = push.baseId === null ? undefined : await findVersionById(context.database, push.baseId)
  if (base === undefined) return { schemas: pushed ?? noSchemas, formerTypes: [] }
  const { types } = await rootsOf(context, base, 'full')
  return { schemas: pushed ?? (await baseSchemas(context, base)), formerTypes: Object.keys(types) }
}

const noSchemas = pushSchemas([], '')

const tooManyLines = (max: number): RegistryError =>
  new RegistryError('too_large', { say: { what: 'The batch', limit: `${max} lines a request` } })

/** Error for a refused batch. @param errors the first ones, of `totalErrors` */
export function linesRefused(errors: readonly LineError[], totalErrors: number): RegistryError {
  const ofData = errors.every(({ code }) => code === 'schema_violation' || code === 'unknown_fields')
  return new RegistryError(ofData ? 'schema_violation' : 'invalid_records', {
    details: { validationErrors: errors, totalErrors },
  })
}
