/** Checks the base, schemas and metadata of the body that opens a session before its row is written. Long texts go to worker threads. */
import { formatSemver, type Hash, parseSemver } from '@ulmus/content'
import { ObjectCorruptError, type PushRow, type VersionRow } from '@ulmus/storage'
import type { VisibleCollection } from '../../access/find-collection.ts'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { documentOf, rootsOf, semverOf } from '../../versions/content.ts'
import { fitMetadata } from '../../versions/metadata-tasks.ts'
import type { TaskFor } from '../../work/task.ts'
import {
  type AcceptedSchemas,
  acceptSchemas,
  type SchemaTexts,
  typesBytesMax,
  typesMax,
} from './accept-schemas.ts'
import { byType } from './push-schema.ts'
import { baseSchemas, readSchemas, restoreSchemas } from './session-schemas.ts'
import { joinedWarnings, type PushWarnings, WarningList } from './warnings.ts'

/** Schemas that an opening names. */
interface GivenSchemas {
  readonly schemas: SchemaTexts
  /** In a delta, types that are not named stay, and `null` removes one. A snapshot names all. */
  readonly kind: PushRow['kind']
}

/**
 * Checks the schemas of a push, and returns them with those of the base that stay.
 * @throws invalid_schema with the type and the position; too_many_types, too_costly.
 */
export async function accepted(
  context: Context,
  head: VersionRow | null,
  { schemas, kind }: GivenSchemas,
  by: TaskFor,
): Promise<AcceptedSchemas> {
  const stored = head === null ? new Map<string, Hash>() : await hashesOf(context, head)
  const isRemoval = ([, text]: SchemaTexts[number]) => kind === 'delta' && text === 'null'
  const given = schemas.filter((one) => !isRemoval(one))
  const named = new Set(schemas.map(([type]) => type))
  const staying = kind === 'delta' ? [...stored.keys()].filter((type) => !named.has(type)) : []
  const isKept = ([type]: SchemaTexts[number]) => !named.has(type)
  const kept =
    head && staying.length > 0 ? (await textsOf(context, head, { given, stored, by })).filter(isKept) : []
  const types = kept.length + given.length
  const bytes = [...kept, ...given].reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0)
  if (types > typesMax || bytes > typesBytesMax) throw tooManyTypes(types)
  const outcome = await context.work.run(acceptSchemas, { given, kept, stored }, by)
  if (outcome.kind === 'accepted')
    return { ...outcome, warnings: withMissing(outcome, schemas.filter(isRemoval), stored) }
  const { type, path, reason } = outcome
  throw new RegistryError('invalid_schema', {
    details: { type, ...(path === undefined ? {} : { path }) },
    say: { reason },
  })
}

async function hashesOf(context: Context, head: VersionRow): Promise<Map<string, Hash>> {
  const { types } = await rootsOf(context, head, 'full')
  return new Map(Object.entries(types).map(([type, { schema }]) => [type, schema]))
}

/** Schemas of the base. Restores damaged ones from those of the push, as a commit does. */
async function textsOf(
  context: Context,
  head: VersionRow,
  { given, stored, by }: { given: SchemaTexts; stored: ReadonlyMap<string, Hash>; by: TaskFor },
): Promise<SchemaTexts> {
  const read = async () =>
    (await baseSchemas(context, head)).list.map(({ type, text }) => [type, text] as const)
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ObjectCorruptError)) throw error
    const alone = await context.work.run(acceptSchemas, { given, kept: [], stored }, by)
    if (alone.kind !== 'accepted') throw error
    await restoreSchemas(context, byType(await readSchemas(alone.text)))
    return read()
  }
}

/** Adds warnings of removals without effect: usually the name is misspelt. */
function withMissing(
  { warnings }: AcceptedSchemas,
  removals: SchemaTexts,
  stored: ReadonlyMap<string, Hash>,
): PushWarnings {
  const list = new WarningList()
  for (const [type] of removals)
    if (!stored.has(type))
      list.add({
        code: 'type_missing',
        type,
        path: '',
        message: 'the base version has no such type to remove',
      })
  return joinedWarnings(list, warnings)
}

/** Error for more than `typesMax` types, or for schemas larger than `typesBytesMax`. */
export function tooManyTypes(types: number): RegistryError {
  const limits = { limitTypes: typesMax, limitBytes: typesBytesMax }
  return new RegistryError('too_many_types', { details: types > typesMax ? { types, ...limits } : limits })
}

/** Checks the metadata of a push and returns it as text. @throws invalid_request, too_large. */
export async function fitted(
  context: Context,
  seen: VisibleCollection,
  patch: string,
  by: TaskFor,
): Promise<string> {
  const base = seen.head === null ? {} : (await documentOf(context, seen.head, 'full')).metadata
  const outcome = await context.work.run(fitMetadata, { patch, base }, by)
  if (outcome.kind === 'fits') return outcome.patch
  if (outcome.kind === 'too_large')
    throw new RegistryError('too_large', {
      say: { what: 'The merged metadata', limit: '1 MiB in canonical form' },
    })
  const issues = outcome.issues.map(({ path, message }) => ({ path: `metadata.${path}`, message }))
  throw new RegistryError('invalid_request', { details: { issues } })
}

/** Requires that the caller's base is the head. @throws version_conflict, invalid_request */
export function demandHead(seen: VisibleCollection, baseVersion: string | null): void {
  const semver = baseVersion === null ? null : parseSemver(baseVersion)
  if (semver === undefined) {
    const message = `${JSON.stringify(baseVersion)} is not a version such as v1.2.3`
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
