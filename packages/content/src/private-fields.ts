/** Private fields: which they are, when they can be cut out of a schema, and how (content-model §6). */
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { SchemaError } from './schema-error.ts'

/**
 * Keywords of the root that may speak of private fields in a way that cannot be cut. To the list of content-model §6 come those that
 * would hold the same: `const` and `enum` (whole records), `then`, `else` and dynamic references.
 */
const uncuttable = [
  '$ref',
  '$dynamicRef',
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

/** Root keywords that may hold or name private fields and say nothing that a reader of the public view needs. */
const cutWithPrivateFields = new Set([
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'examples',
  'default',
])

/** The names of the private fields: members of the root's `properties` whose schema says `"private": true`. */
export function privateFieldsOf(schema: JsonObject): string[] {
  const properties = schema['properties']
  if (!isJsonObject(properties)) return []
  return Object.keys(properties).filter((name) => {
    const member = properties[name]
    return isJsonObject(member) && member['private'] === true
  })
}

/** @throws SchemaError when `schema`, which has private fields, says at its root what could not be cut with them. */
export function checkCuttable(schema: JsonObject): void {
  for (const keyword of uncuttable) {
    if (Object.hasOwn(schema, keyword)) {
      throw new SchemaError(
        `A schema with private fields must not have "${keyword}" at its root: what it says of them could not be kept private.`,
        `/${keyword}`,
      )
    }
  }
}

/** `schema` without its private fields `fields` and without what its root says of them. */
export function cutPrivateFields(schema: JsonObject, fields: readonly string[]): JsonObject {
  const cut = new Set(fields)
  const members = Object.entries(schema).filter(([keyword]) => !cutWithPrivateFields.has(keyword))
  return Object.fromEntries(
    members.map(([keyword, value]) => {
      if (keyword === 'properties') return [keyword, withoutMembers(value, cut)]
      if (keyword === 'required' && Array.isArray(value)) {
        return [keyword, value.filter((name) => typeof name !== 'string' || !cut.has(name))]
      }
      return [keyword, value]
    }),
  )
}

/** `data` without the top-level members `names`; anything but an object as it is. A member `__proto__` survives. */
export function withoutMembers(data: Json, names: ReadonlySet<string>): Json {
  if (!isJsonObject(data)) return data
  return Object.fromEntries(Object.entries(data).filter(([name]) => !names.has(name)))
}
