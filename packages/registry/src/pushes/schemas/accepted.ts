/** Checks the base, schemas and metadata of the body that opens a session before its row is written. Long texts go to worker threads. */
import { formatSemver, parseSemver } from '@ulmus/content'
import type { Seen } from '../../access/find-collection.ts'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { documentOf, semverOf } from '../../versions/content.ts'
import { fitMetadata } from '../../versions/metadata-tasks.ts'
import type { TaskFor } from '../../work/task.ts'
import {
  type AcceptedSchemas,
  acceptSchemas,
  type SchemaTexts,
  typesBytesMax,
  typesMax,
} from './accept-schemas.ts'

/** Checks the schemas of a push. @throws invalid_schema with the type and the position. */
export async function accepted(
  context: Context,
  schemas: SchemaTexts,
  by: TaskFor,
): Promise<AcceptedSchemas> {
  const outcome = await context.work.run(acceptSchemas, schemas, by)
  if (outcome.kind === 'accepted') return outcome
  const { type, path, reason } = outcome
  throw new RegistryError('invalid_schema', {
    details: { type, ...(path === undefined ? {} : { path }) },
    say: { reason },
  })
}

/** Error for more than `typesMax` types, or for schemas larger than `typesBytesMax`. */
export function tooManyTypes(types: number): RegistryError {
  const limits = { limitTypes: typesMax, limitBytes: typesBytesMax }
  return new RegistryError('too_many_types', { details: types > typesMax ? { types, ...limits } : limits })
}

/** Checks the metadata of a push and returns it as text. @throws invalid_request, too_large. */
export async function fitted(context: Context, seen: Seen, patch: string, by: TaskFor): Promise<string> {
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
export function demandHead(seen: Seen, baseVersion: string | null): void {
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
