/** What a schema must obey, beside its meta-schema, before it is compiled (content-model §4). */
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { compilePattern, PatternError } from './pattern.ts'
import { SchemaError } from './schema-error.ts'

/** Levels of objects and arrays a schema may nest, as any text (content-model §2). */
export const schemaDepthMax = 65

const schemaKeywords = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])
const schemaListKeywords = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'])
const schemaMapKeywords = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
])

/**
 * Checks nesting, references and patterns.
 * @throws SchemaError
 */
export function checkSchemaRules(schema: JsonObject): void {
  checkDepth(schema, 1)
  const places = [...subschemas(schema, '')]
  const ids = new Set<string>()
  for (const { schema: place } of places) {
    const id = place['$id']
    if (typeof id === 'string') ids.add(withoutFragment(id))
  }
  for (const { schema: place, path } of places) {
    for (const keyword of ['$ref', '$dynamicRef']) checkReference(place[keyword], ids, `${path}/${keyword}`)
    checkPatterns(place, path)
  }
}

interface Place {
  schema: JsonObject
  path: string
}

/** The schema and every schema within it, at the places where the drafts have schemas. */
function* subschemas(schema: Json, path: string): Generator<Place> {
  if (!isJsonObject(schema)) return
  yield { schema, path }
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]!
    const here = `${path}/${pointerPart(keyword)}`
    if (Array.isArray(value)) {
      if (!schemaListKeywords.has(keyword)) continue
      for (const [i, item] of value.entries()) yield* subschemas(item, `${here}/${i}`)
    } else if (isJsonObject(value)) {
      if (schemaKeywords.has(keyword)) yield* subschemas(value, here)
      else if (schemaMapKeywords.has(keyword)) {
        for (const name of Object.keys(value)) yield* subschemas(value[name]!, `${here}/${pointerPart(name)}`)
      }
    }
  }
}

function checkDepth(value: Json, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > schemaDepthMax)
    throw new SchemaError(`The schema nests more than ${schemaDepthMax} levels deep.`)
  for (const member of Array.isArray(value) ? value : Object.values(value)) checkDepth(member, depth + 1)
}

function checkReference(reference: Json | undefined, ids: ReadonlySet<string>, path: string): void {
  if (typeof reference !== 'string') return
  const target = withoutFragment(reference)
  if (target === '' || ids.has(target)) return
  for (const id of ids) {
    const resolved = URL.canParse(target, id) ? new URL(target, id).href : undefined
    if (resolved !== undefined && ids.has(resolved)) return
  }
  throw new SchemaError(
    `The reference ${JSON.stringify(reference)} leaves the schema: write what it names in "$defs".`,
    path,
  )
}

function checkPatterns(schema: JsonObject, path: string): void {
  const patterns: [string, string][] = []
  const pattern = schema['pattern']
  if (typeof pattern === 'string') patterns.push([pattern, `${path}/pattern`])
  const byPattern = schema['patternProperties']
  if (isJsonObject(byPattern)) {
    for (const name of Object.keys(byPattern))
      patterns.push([name, `${path}/patternProperties/${pointerPart(name)}`])
  }
  for (const [source, at] of patterns) {
    try {
      compilePattern(source)
    } catch (cause) {
      if (cause instanceof PatternError) throw new SchemaError(cause.message, at)
      throw cause
    }
  }
}

function withoutFragment(reference: string): string {
  const at = reference.indexOf('#')
  return at < 0 ? reference : reference.slice(0, at)
}

/** One part of a JSON pointer, RFC 6901 §3. */
function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
