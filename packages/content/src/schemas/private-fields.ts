/**
 * Private fields of a schema: finds them, checks that they can be removed, and removes them (content-model §4, §6). Outsiders read the
 * result, so a keyword that could describe a private field must be removed or refused.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { withoutPlacesOf } from './field-order.ts'
import {
  isJsonSchemaKeyword,
  type Location,
  outwards,
  type Place,
  placesOf,
  pointerTo,
  type SchemaPlaces,
} from './places.ts'
import { SchemaError } from './schema-error.ts'

/**
 * Keywords of the root that may describe private fields in a way that cannot be removed. Beyond the list of content-model §6:
 * `const` and `enum`, which contain whole records, `then` and `else`.
 */
const uncuttable = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
  'patternProperties',
  'const',
  'enum',
]

/** References whose targets depend on the data and may be the root. */
const dynamicReferences = ['$dynamicRef', '$recursiveRef']

/** Root keywords that may contain or name private fields and that readers of the public view do not need. */
const cutWithPrivateFields = new Set([
  '$comment',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'examples',
  'default',
])

const isCutAtRoot = (keyword: string): boolean =>
  cutWithPrivateFields.has(keyword) || !isJsonSchemaKeyword(keyword)

const definitionKeywords = new Set(['$defs', 'definitions'])

/** Names of the private fields: members of the root's `properties` whose schema has `"private": true`. */
export function privateFieldsOf(schema: JsonObject): string[] {
  const properties = schema['properties']
  if (!isJsonObject(properties)) return []
  return Object.keys(properties).filter((name) => {
    const member = properties[name]
    return isJsonObject(member) && member['private'] === true
  })
}

/** @throws SchemaError if `schema`, with the private fields `fields`, describes them in a way that cannot be removed. */
export function checkCuttable(schema: JsonObject, fields: readonly string[], all: SchemaPlaces): void {
  for (const keyword of uncuttable) {
    if (Object.hasOwn(schema, keyword)) {
      throw new SchemaError(
        `A schema with private fields must not have "${keyword}" at its root: what it says of them could not be kept private.`,
        `/${keyword}`,
      )
    }
  }
  const holders = new Set<Json>([schema, schema['properties']!])
  const hidden = new Set<Json>(fields.map((name) => (schema['properties'] as JsonObject)[name]!))
  for (const place of all.places) {
    for (const keyword of dynamicReferences) {
      if (!Object.hasOwn(place.schema, keyword)) continue
      throw new SchemaError(
        `A schema with private fields must not have "${keyword}": it may lead to them, and what it admits elsewhere could not be kept private.`,
        pointerTo(place.at, keyword),
      )
    }
    for (const target of targetsOf(all, place)) {
      if (!holders.has(target.value) && ![...outwards(target)].some(({ value }) => hidden.has(value)))
        continue
      throw new SchemaError(
        `The reference ${JSON.stringify(place.schema['$ref'])} leads to private fields: what it admits elsewhere could not be kept private. Write what both have in common in "$defs".`,
        pointerTo(place.at, '$ref'),
      )
    }
  }
  checkReferencesLeft(fields, all)
}

/** Checks that the public schema is complete: no reference in it may point to a keyword of the root that was removed. */
function checkReferencesLeft(fields: readonly string[], all: SchemaPlaces): void {
  for (const { place, part } of referencesLeft(fields, all)) {
    if (!isCutAtRoot(part.keyword)) continue
    throw new SchemaError(
      `The reference ${JSON.stringify(place.schema['$ref'])} leads to what is kept private with the private fields: write what it names in "$defs".`,
      pointerTo(place.at, '$ref'),
    )
  }
}

/**
 * `schema` without the private fields `fields`, without root keywords that may describe them, and without definitions that only those use.
 */
export function cutPrivateFields(schema: JsonObject, fields: readonly string[]): JsonObject {
  const cut = new Set(fields)
  const defined = new Set<string>()
  for (const { part } of referencesLeft(fields, placesOf(schema))) defined.add(part.id)
  const members: [string, Json][] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (isCutAtRoot(keyword)) continue
    if (keyword === 'properties') members.push([keyword, withoutPlacesOf(value as JsonObject, cut)])
    else if (keyword === 'required' && Array.isArray(value)) {
      members.push([keyword, value.filter((name) => typeof name !== 'string' || !cut.has(name))])
    } else if (definitionKeywords.has(keyword) && !defined.has(partId(keyword))) {
      const left = Object.entries(value ?? {}).filter(([name]) => defined.has(partId(keyword, name)))
      if (left.length > 0) members.push([keyword, isJsonObject(value) ? Object.fromEntries(left) : value])
    } else members.push([keyword, value])
  }
  return Object.fromEntries(members)
}

/** Part that is kept or removed as a whole: a keyword of the root, or a member of `properties`, `$defs` or `definitions` there. */
interface Part {
  id: string
  keyword: string
}

const partId = (keyword: string, name?: string): string =>
  JSON.stringify(name === undefined ? [keyword] : [keyword, name])

function partOf(at: Location): Part {
  const keys = [...outwards(at)].slice(0, -1).map(({ key }) => key)
  const keyword = keys.at(-1) ?? ''
  const isDivided = keyword === 'properties' || definitionKeywords.has(keyword)
  return { keyword, id: partId(keyword, isDivided ? keys.at(-2) : undefined) }
}

/** References within the public schema, with the parts that they point to. The public schema contains the definitions that these reach. */
function* referencesLeft(fields: readonly string[], all: SchemaPlaces) {
  const placesByPart = new Map<string, Place[]>()
  const definitions: string[] = []
  const waiting: Place[] = []
  const hidden = new Set(fields.map((name) => partId('properties', name)))
  for (const place of all.places) {
    const { id, keyword } = partOf(place.at)
    if (definitionKeywords.has(keyword)) {
      const held = placesByPart.get(id)
      if (held === undefined) {
        placesByPart.set(id, [place])
        definitions.push(id)
      } else held.push(place)
    } else if (!isCutAtRoot(keyword) && !hidden.has(id)) waiting.push(place)
  }
  for (const place of waiting) {
    for (const target of targetsOf(all, place)) {
      const part = partOf(target)
      yield { place, part }
      const isAll = part.id === partId(part.keyword)
      const ids = isAll ? definitions.filter((id) => id.startsWith(`${part.id.slice(0, -1)},`)) : [part.id]
      for (const id of ids) {
        waiting.push(...(placesByPart.get(id) ?? []))
        placesByPart.delete(id)
      }
    }
  }
}

function targetsOf(all: SchemaPlaces, place: Place): Location[] {
  const reference = place.schema['$ref']
  return typeof reference === 'string' ? all.targetsOf(place, reference) : []
}

/** `data` without the top-level members `names`; anything but an object is returned unchanged. Keeps a member `__proto__`. */
export function withoutMembers(data: Json, names: ReadonlySet<string>): Json {
  if (!isJsonObject(data)) return data
  return Object.fromEntries(Object.entries(data).filter(([name]) => !names.has(name)))
}
