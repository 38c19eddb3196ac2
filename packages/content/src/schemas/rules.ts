/**
 * Rules for schemas beyond their meta-schema, checked before compiling (content-model §4). They refuse patterns that could take unbounded
 * time, references that leave the schema, and `private` where it would hide nothing. `checkSchemaRules` applies them in a fixed order.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { compilePattern, PatternError } from './pattern.ts'
import { type Place, placesOf, pointerTo, type SchemaPlaces } from './places.ts'
import { checkPrivateKeywords } from './private-keywords.ts'
import { SchemaError } from './schema-error.ts'

/** Maximum nesting of objects and arrays in a schema, the same as in any text (content-model §2). */
export const schemaDepthMax = 65

/**
 * Checks nesting, references, patterns and the use of `private`. Returns the schema's places.
 * @throws SchemaError
 */
export function checkSchemaRules(schema: JsonObject): SchemaPlaces {
  checkDepth(schema, 1)
  const all = placesOf(schema)
  for (const place of all.places) {
    if (!place.isCertain) continue
    for (const keyword of ['$ref', '$dynamicRef']) checkReference(all, place, keyword)
    checkPatterns(place)
  }
  checkPrivateKeywords(all)
  return all
}

function checkDepth(value: Json, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > schemaDepthMax)
    throw new SchemaError(`The schema nests more than ${schemaDepthMax} levels deep.`)
  for (const member of Array.isArray(value) ? value : Object.values(value)) checkDepth(member, depth + 1)
}

function checkReference(all: SchemaPlaces, place: Place, keyword: string): void {
  const reference = place.schema[keyword]
  if (typeof reference !== 'string' || !all.leavesSchema(place, reference)) return
  throw new SchemaError(
    `The reference ${JSON.stringify(reference)} leaves the schema: write what it names in "$defs".`,
    pointerTo(place.at, keyword),
  )
}

function checkPatterns({ schema, at }: Place): void {
  const patterns: [source: string, path: () => string][] = []
  const pattern = schema['pattern']
  if (typeof pattern === 'string') patterns.push([pattern, () => pointerTo(at, 'pattern')])
  const value = schema['patternProperties']
  if (isJsonObject(value)) {
    const byPattern = { value, parent: at, key: 'patternProperties' }
    for (const name of Object.keys(value)) patterns.push([name, () => pointerTo(byPattern, name)])
  }
  for (const [source, path] of patterns) {
    try {
      compilePattern(source)
    } catch (cause) {
      if (cause instanceof PatternError) throw new SchemaError(cause.message, path())
      throw cause
    }
  }
}
