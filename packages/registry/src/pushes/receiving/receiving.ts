/**
 * Checks received batches of lines by the rules of their session: finds its schemas and options, runs the task of `check-batch.ts`,
 * and makes errors of refused lines. Delta and snapshot pushes both use it.
 */
import { findEntry } from '@ulmus/content'
import { findVersionById, giveWay, type PushStanding } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { rootsOf } from '../../versions/content.ts'
import type { Pieces } from '../../work/buffers.ts'
import type { TaskFor } from '../../work/task.ts'
import { type PushSchemas, pushSchemas } from '../schemas/push-schema.ts'
import { baseSchemas, pushedSchemas } from '../schemas/session-schemas.ts'
import { checkBatch, type LineError, lineErrorsMax, type NamedFault } from './check-batch.ts'

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
  if (outcome.kind === 'too_many_lines') throw tooManyLines(context.limits.batchLinesMax)
  const badIds = await newOnes(context, push, outcome.unusual)
  if (outcome.kind === 'spill' && badIds.length === 0) return outcome
  const { errors, totalErrors } = outcome.kind === 'spill' ? { errors: [], totalErrors: 0 } : outcome
  const first = [...errors, ...badIds].sort((a, b) => a.line - b.line).slice(0, lineErrorsMax)
  throw linesRefused(first, totalErrors + badIds.length)
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

/** Those of the named records that the base lacks. */
async function newOnes(
  context: Context,
  push: PushStanding,
  named: readonly NamedFault[],
): Promise<NamedFault[]> {
  if (named.length === 0) return []
  const base = push.baseId === null ? undefined : await findVersionById(context.database, push.baseId)
  if (base === undefined) return [...named]
  const { types } = await rootsOf(context, base, 'full')
  const found: NamedFault[] = []
  for (const fault of named) {
    await giveWay()
    const tree = Object.hasOwn(types, fault.type) ? types[fault.type] : undefined
    const isStored = tree && (await findEntry(tree, fault.id, context.objects)) !== undefined
    if (!isStored) found.push(fault)
  }
  return found
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
