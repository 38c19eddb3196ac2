/** Refuses a version that would publish private names of its base, unless its author confirms them. */
import { type MadePublic, nameToConfirm, type PrivateName, parseJson } from '@ulmus/content'
import { findWithdrawnNames, ObjectCorruptError, type VersionRow } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { storedHash } from '../../versions/content.ts'
import { readSidecar } from '../../versions/sidecar.ts'
import type { TaskFor } from '../../work/task.ts'
import type { SchemaTexts } from './accept-schemas.ts'
import { comparePrivacy, type Privacy } from './compare-privacy.ts'
import { byType, type PushSchema } from './push-schema.ts'
import { baseSchemas, restoreSchemas } from './session-schemas.ts'

/** Maximum names listed in the refusal. */
const listedMax = 1_000
/** Maximum names in its sentence. */
const namedMax = 5

/**
 * Checks the schemas of a next version. A session checks once, when it opens: its commit requires the same base.
 * @param base.head null: no version is readable, but withdrawn ones may have had private names
 * @param confirmed names of fields and types that may become public
 * @param restored the earlier version that has the schemas, for the refusal; undefined: a push sends them
 * @throws private_field_made_public.
 */
export async function demandConfirmed(
  context: Context,
  base: { collectionId: string; head: VersionRow | null },
  {
    next,
    confirmed,
    restored,
  }: { next: readonly PushSchema[]; confirmed: readonly string[]; restored?: string },
  by: TaskFor,
): Promise<void> {
  const ofWithdrawn = await withdrawnNamesOf(context, base.collectionId)
  const { list, former } =
    base.head === null
      ? { list: [], former: ofWithdrawn }
      : await namesOf(context, base.head, { pushed: next, more: ofWithdrawn })
  const privacy = await privacyOf(context, { base: list, next, former }, by)
  const names = new Set(confirmed)
  const refused = privacy.madePublic.filter((made) => !names.has(nameToConfirm(made)))
  if (refused.length === 0) return
  throw new RegistryError('private_field_made_public', {
    details: { madePublic: refused.slice(0, listedMax).map(detailOf), totalMadePublic: refused.length },
    say: { names: namesIn(refused), restored },
  })
}

/** Private names of a version and of earlier ones. */
async function namesOf(
  context: Context,
  version: VersionRow,
  { pushed, more }: { pushed: readonly PushSchema[]; more: readonly PrivateName[] },
) {
  const { list } = await readBase(context, version, pushed)
  const { formerlyPrivate } = await readSidecar(context.objects, storedHash(version.sidecar))
  return { list, former: [...more, ...formerlyPrivate] }
}

/** Names that are, or were, private in withdrawn versions. */
async function withdrawnNamesOf(context: Context, collectionId: string): Promise<readonly PrivateName[]> {
  const names = await findWithdrawnNames(context.database, collectionId)
  return names === null ? [] : (parseJson(names) as PrivateName[])
}

/**
 * Private names to record before a head is withdrawn, including those of earlier withdrawals, as JSON. Null if there are none, or
 * if damage makes them unreadable.
 */
export async function namesToKeep(context: Context, head: VersionRow, by: TaskFor): Promise<string | null> {
  const more = await withdrawnNamesOf(context, head.collectionId)
  try {
    const { list, former } = await namesOf(context, head, { pushed: [], more })
    const { former: names } = await privacyOf(context, { base: list, next: [], former }, by)
    return names.length === 0 ? null : JSON.stringify(names)
  } catch (error) {
    if (!(error instanceof ObjectCorruptError)) throw error
    return null
  }
}

/** Formerly private names for the next version to record. @param next undefined: the schemas stay. */
export async function formerlyPrivateIn(
  context: Context,
  base: { schemas: ReadonlyMap<string, PushSchema>; sidecar: { formerlyPrivate: readonly PrivateName[] } },
  next: readonly PushSchema[] | undefined,
  by: TaskFor,
): Promise<readonly PrivateName[]> {
  const former = base.sidecar.formerlyPrivate
  if (next === undefined) return former
  return (await privacyOf(context, { base: [...base.schemas.values()], next, former }, by)).former
}

async function privacyOf(
  context: Context,
  {
    base,
    next,
    former,
  }: { base: readonly PushSchema[]; next: readonly PushSchema[]; former: readonly PrivateName[] },
  by: TaskFor,
): Promise<Privacy> {
  const isPrivate = ({ publicHash, privateFields }: PushSchema) =>
    publicHash === null || privateFields.length > 0
  if (former.length === 0 && !base.some(isPrivate)) return { madePublic: [], former: [] }
  return context.work.run(comparePrivacy, { base: textsOf(base), next: textsOf(next), former }, by)
}

const textsOf = (schemas: readonly PushSchema[]): SchemaTexts => schemas.map(({ type, text }) => [type, text])

/** Reads the base's schemas. Restores damaged ones from those of the push, as a commit does. */
async function readBase(context: Context, base: VersionRow, pushed: readonly PushSchema[]) {
  try {
    return await baseSchemas(context, base)
  } catch (error) {
    if (!(error instanceof ObjectCorruptError)) throw error
    await restoreSchemas(context, byType(pushed))
    return baseSchemas(context, base)
  }
}

const detailOf = ({ type, field, privateIn }: MadePublic) => ({
  type,
  field: field ?? null,
  private_in: privateIn,
})

function namesIn(made: readonly MadePublic[]): string {
  const named = made.slice(0, namedMax).map(({ type, field, privateIn }) => {
    if (field === undefined) return `the type \`${type}\` with its records`
    const [first] = privateIn
    return first === type
      ? `the field \`${field}\` of \`${type}\``
      : `the field \`${field}\` of \`${type}\` (private in \`${first}\`)`
  })
  const more = made.length - named.length
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
}
