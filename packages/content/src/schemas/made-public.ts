/**
 * Finds private names that a new set of schemas would make public. A push must confirm each of them, because the usual cause is
 * a second file without the marks of the first. Names that schemas drop are remembered too, so that the protection survives a version
 * without the field.
 */
import { isJsonObject, type Json } from '../json/json.ts'
import { knownFieldsOf } from './known-fields.ts'
import { privateFieldsOf } from './private-fields.ts'

/** A private type, or with `field` a private field. `byType`: the field has no mark of its own, but its type is private. */
export interface PrivateName {
  readonly type: string
  readonly field?: string
  readonly byType?: true
}

/** A field that would become public, or without `field` a type. */
export interface MadePublic {
  readonly type: string
  readonly field?: string
  /** Types in which it is or was private. */
  readonly privateIn: readonly string[]
}

/** JSON Schemas by type. */
export type SchemaSources = ReadonlyMap<string, Json>

/** Maximum total length of remembered names; the oldest are dropped first. UTF-16 code units. */
const rememberedUnitsMax = 65_536

/** The name that a push repeats in `confirm_public`. */
export const nameToConfirm = ({ type, field }: MadePublic): string => field ?? type

/**
 * Names that `next` makes public and `base` or `former` kept private. Names are compared ignoring case, spaces and punctuation, and fields
 * across types: the second file of a table often becomes a separate type. Confirming a type covers its fields without marks.
 */
export function madePublic(
  base: SchemaSources,
  next: SchemaSources,
  former: readonly PrivateName[] = [],
): MadePublic[] {
  const privateNames = [...privateNamesOf(base), ...former]
  const types = new Map(
    privateNames.flatMap(({ type, field }) => (field === undefined ? [[plainName(type), type]] : [])),
  )
  const fields = new Map<string, PrivateName[]>()
  for (const name of privateNames) {
    if (name.field === undefined) continue
    const key = plainName(name.field)
    fields.set(key, [...(fields.get(key) ?? []), name])
  }
  const made: MadePublic[] = []
  if (privateNames.length === 0) return made
  for (const [type, schema] of next) {
    if (isPrivateType(schema)) continue
    const privateType = types.get(plainName(type))
    // If `base` has this public type beside a private one with a differently spelt name, the type is not new.
    if (privateType !== undefined && (privateType === type || !isShown(base.get(type))))
      made.push({ type, privateIn: [privateType] })
    for (const field of fieldsShown(base.get(type), schema, privateNames)) {
      const causes = (fields.get(plainName(field)) ?? []).filter((name) => !name.byType || name.type !== type)
      if (causes.length > 0)
        made.push({ type, field, privateIn: [...new Set(causes.map((name) => name.type))] })
    }
  }
  return made
}

/**
 * Names that `base` or `former` kept private and that `next` neither keeps private nor makes public. A marked field is remembered until
 * its own type makes it public.
 */
export function formerlyPrivate(
  base: SchemaSources,
  next: SchemaSources,
  former: readonly PrivateName[] = [],
): PrivateName[] {
  const known = [...former, ...privateNamesOf(base)]
  if (known.length === 0) return []
  const held = new Set(privateNamesOf(next).map(keyOf))
  const shownBy = new Map([...next].map(([type, schema]) => [type, publicNamesOf([schema])]))
  const shownSomewhere = publicNamesOf(next.values())
  const isSettled = ({ type, field, byType }: PrivateName): boolean => {
    if (field === undefined) return next.has(type)
    if (held.has(keyOf({ type, field }))) return true
    if (byType) return held.has(keyOf({ type, field, byType })) || shownSomewhere.has(plainName(field))
    return shownBy.get(type)?.has(plainName(field)) === true
  }
  const left = new Map<string, PrivateName>()
  for (const name of known) if (!isSettled(name)) left.set(JSON.stringify([name.type, keyOf(name)]), name)
  return newest([...left.values()])
}

function newest(names: PrivateName[]): PrivateName[] {
  let units = 0
  const first = names.findLastIndex(({ type, field = '' }) => {
    units += type.length + field.length
    return units > rememberedUnitsMax
  })
  return names.slice(first + 1)
}

/** A field's mark applies across types, a type's privacy only to its own fields. */
const keyOf = ({ type, field, byType }: PrivateName): string =>
  JSON.stringify([field === undefined || byType ? type : '', field === undefined ? '' : plainName(field)])

/**
 * Private types, marked fields, and fields of private types unless a public type has a field of the same name: a name such as `name`
 * is then no secret.
 */
export function privateNamesOf(schemas: SchemaSources): PrivateName[] {
  const names: PrivateName[] = []
  const shown = publicNamesOf(schemas.values())
  for (const [type, schema] of schemas) {
    if (!isJsonObject(schema)) continue
    const marked = new Set(privateFieldsOf(schema))
    for (const field of marked) names.push({ type, field })
    if (!isPrivateType(schema)) continue
    names.push({ type })
    for (const field of knownFieldsOf(schema) ?? [])
      if (!marked.has(field) && !shown.has(plainName(field))) names.push({ type, field, byType: true })
  }
  return names
}

/** Fields that public types list, in the form for comparison. */
function publicNamesOf(schemas: Iterable<Json>): Set<string> {
  const names = new Set<string>()
  for (const schema of schemas) for (const field of publicFieldsOf(schema) ?? []) names.add(plainName(field))
  return names
}

/**
 * Fields of a public type's schema that `before`, its schema in the base, did not make public. A schema without `properties` may make
 * any field public: all marked fields count then.
 */
function fieldsShown(before: Json | undefined, schema: Json, privateNames: readonly PrivateName[]): string[] {
  const shown = before === undefined ? [] : publicFieldsOf(before)
  if (shown === undefined) return []
  const fields = publicFieldsOf(schema) ?? new Set(markedIn(privateNames))
  const seen = new Set(shown)
  return [...fields].filter((field) => !seen.has(field))
}

const markedIn = (names: readonly PrivateName[]): string[] =>
  names.flatMap(({ field, byType }) => (byType ? [] : (field ?? [])))

/** Undefined if the schema lists no `properties`, so that any field is public. */
function publicFieldsOf(schema: Json): readonly string[] | undefined {
  if (isPrivateType(schema)) return []
  const fields = knownFieldsOf(schema)
  if (fields === undefined) return undefined
  const marked = new Set(privateFieldsOf(schema as Parameters<typeof privateFieldsOf>[0]))
  return [...fields].filter((field) => !marked.has(field))
}

const isShown = (schema: Json | undefined): boolean => schema !== undefined && !isPrivateType(schema)

const isPrivateType = (schema: Json): boolean => isJsonObject(schema) && schema['private'] === true

/** Form for comparison: `Case officer`, `case_officer` and `CaseOfficer` are equal. */
function plainName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{Z}\p{P}\p{S}\p{C}]/gu, '')
  return plain === '' ? name : plain
}
