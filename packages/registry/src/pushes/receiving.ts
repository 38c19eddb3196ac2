/** Batches of lines as they arrive: checked in a worker thread against what their session says. */
import { findPushSchemas, findVersionById, type PushStanding } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors.ts'
import type { Pieces } from '../pieces.ts'
import { standBack } from '../precedence.ts'
import { documentOf } from '../version-making.ts'
import type { LineError } from '../workers/check-batch.ts'
import { schemasOf, schemasText } from './schemas.ts'

/**
 * @param options.facts true: the outcome also tells of each entry what a manifest is compared with
 * @throws too_large, invalid_records, schema_violation, too_costly.
 */
export async function checkLines(
  context: Context,
  push: PushStanding,
  batch: Pieces,
  options: { kind: 'records' | 'deletes'; facts?: boolean },
) {
  await standBack()
  const outcome = await context.workers.checkBatch({
    bytes: batch,
    kind: options.kind,
    facts: options.facts === true,
    ...(await typesOfPush(context, push)),
    stripUnknownFields: push.stripUnknownFields,
    linesMax: context.limits.batchLinesMax,
  })
  if (outcome.kind === 'run') return outcome
  if (outcome.kind === 'too_many_lines') throw tooManyLines(context.limits.batchLinesMax)
  throw linesRefused(outcome.errors, outcome.totalErrors)
}

/** The schemas that a session's records must fit, as text, and the types of its base. @throws push_not_open when it is gone. */
export async function typesOfPush(
  context: Context,
  push: PushStanding,
): Promise<{ schemas: string; formerTypes: string[] }> {
  const brought = await findPushSchemas(context.database, push.id)
  if (brought === undefined) throw new RegistryError('push_not_open', { details: { status: 'gone' } })
  const base = push.baseId === null ? undefined : await findVersionById(context.database, push.baseId)
  const document = base === undefined ? undefined : await documentOf(context, base, 'full')
  const schemas =
    brought.schemas ??
    (document === undefined ? '{}' : schemasText(await schemasOf(context.objects, document)))
  return { schemas, formerTypes: Object.keys(document?.types ?? {}) }
}

const tooManyLines = (max: number): RegistryError =>
  new RegistryError('too_large', { say: { what: 'The batch', limit: `${max} lines a request` } })

/** `errors`: the first of them. */
export function linesRefused(errors: readonly LineError[], totalErrors: number): RegistryError {
  const ofData = errors.every(({ code }) => code === 'schema_violation' || code === 'unknown_fields')
  return new RegistryError(ofData ? 'schema_violation' : 'invalid_records', {
    details: { validationErrors: errors, totalErrors },
  })
}
