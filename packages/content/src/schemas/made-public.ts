/**
 * Private names that a new set of schemas would make public. A push that does so must confirm each of them, because the usual cause is
 * a second file without the marks of the first. Also remembers names that schemas drop, so that the protection survives a version
 * without the field.
 */
import { isJsonObject, type Json } from '../json/json.ts'
import { knownFieldsOf } from './known-fields.ts'
import { privateFieldsOf } from './private-fields.ts'

/** Something private. Without `field`: the type. `byType`: the field has no mark of its own, its type is private. */
export interface PrivateName {
  readonly type: string
  readonly field?: string
  readonly byType?: true
}

/** A field, or without `field` a type, that would become public. */
export interface MadePublic {
  readonly type: string
  readonly field?: string
  /** Types in which it is, or was, private. */
  readonly privateIn: readonly string[]
}

/** JSON Schemas by type. */
export type SchemaSources = ReadonlyMap<string, Json>

/** Of the names that are remembered; the oldest go first. UTF-16 units. */
const rememberedUnitsMax = 65_536

/** The name that a push repeats in `confirm_public`. */
export const nameToConfirm = ({ type, field }: MadePublic): string => field ?? type

/**
 * What `next` makes public and `base`, with `former`, kept private. Names are compared without case, spaces and punctuation, fields in
 * every type: the second file of a table often becomes a type of its own. Confirming a type covers its fields without marks.
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
    // A public type whose name is spelt otherwise than that of a private one may have been there before.
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
 * What `base` and `former` kept private and `next` neither has nor makes public. A field with a mark is remembered until its own type
 * shows it.
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

/** The mark of a field counts in every type, the privacy of its type in that type alone. */
const keyOf = ({ type, field, byType }: PrivateName): string =>
  JSON.stringify([field === undefined || byType ? type : '', field === undefined ? '' : plainName(field)])

/**
 * Private types, fields with a mark, and the fields of private types unless a public type has a field of that name: a name such as `name`
 * is no secret then.
 */
function privateNamesOf(schemas: SchemaSources): PrivateName[] {
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

/** The fields that public types list, as they are compared. */
function publicNamesOf(schemas: Iterable<Json>): Set<string> {
  const names = new Set<string>()
  for (const schema of schemas) for (const field of publicFieldsOf(schema) ?? []) names.add(plainName(field))
  return names
}

/**
 * Fields of a public type's schema that `before`, its schema in the base, did not show. Without `properties` it may show any: all fields
 * with marks count then.
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

/** Undefined: any, since the schema lists none. */
function publicFieldsOf(schema: Json): readonly string[] | undefined {
  if (isPrivateType(schema)) return []
  const fields = knownFieldsOf(schema)
  if (fields === undefined) return undefined
  const marked = new Set(privateFieldsOf(schema as Parameters<typeof privateFieldsOf>[0]))
  return [...fields].filter((field) => !marked.has(field))
}

const isShown = (schema: Json | undefined): boolean => schema !== undefined && !isPrivateType(schema)

const isPrivateType = (schema: Json): boolean => isJsonObject(schema) && schema['private'] === true

/** `Case officer`, `case_officer` and `CaseOfficer` are one name. */
function plainName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{Z}\p{P}\p{S}\p{C}]/gu, '')
  return plain === '' ? name : plain
}
