/**
 * Positions of subschemas within a schema, for the keywords of draft-07 and 2020-12 together, and the targets of references. A keyword
 * counts under either draft, since authors may use a keyword that their draft lacks.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

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
/** Keywords whose values are data, in which a member such as `$ref` or `private` is not a keyword. `example` is from OpenAPI. */
const dataKeywords = new Set(['const', 'default', 'enum', 'example', 'examples'])
/** Other keywords of JSON Schema. Their values contain no schemas. */
const plainKeywords = new Set([
  '$anchor',
  '$comment',
  '$dynamicAnchor',
  '$dynamicRef',
  '$id',
  '$ref',
  '$schema',
  '$vocabulary',
  'contentEncoding',
  'contentMediaType',
  'dependentRequired',
  'deprecated',
  'description',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxContains',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minContains',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'readOnly',
  'required',
  'title',
  'type',
  'uniqueItems',
  'writeOnly',
])
/** All keywords of draft-07 and 2020-12, with which warnings compare unknown ones. */
export const jsonSchemaKeywords: ReadonlySet<string> = new Set([
  ...schemaKeywords,
  ...schemaListKeywords,
  ...schemaMapKeywords,
  ...[...dataKeywords].filter((keyword) => keyword !== 'example'),
  ...plainKeywords,
])

/** True if draft-07 or 2020-12 defines `keyword`. */
export const isJsonSchemaKeyword = (keyword: string): boolean => jsonSchemaKeywords.has(keyword)

/** A value within a schema, and the path to it. */
export interface Location {
  readonly value: Json
  /** Undefined for the root. */
  readonly parent: Location | undefined
  /** Member name or index in the parent. */
  readonly key: string
}

/** An object that is a schema. */
export interface Place {
  readonly schema: JsonObject
  readonly at: Location
  /** URI for resolving its references. */
  readonly base: string
  /**
   * False below an unknown keyword, or below a value whose form JSON Schema does not define: every object there
   * could be meant as a schema, and a reference could make it one.
   */
  readonly isCertain: boolean
}

/** The places of one schema. Rules, warnings and the removal of private fields are based on them. */
export interface SchemaPlaces {
  /** Every object that is a schema, could be meant as one, or is made one by a reference. The root is first. */
  readonly places: readonly Place[]
  /** True if `reference` points outside the schema. */
  leavesSchema(place: Place, reference: string): boolean
  /** Targets of `reference` within the schema; empty if there are none. */
  targetsOf(place: Place, reference: string): Location[]
}

/** Base URI of schemas without `$id`, for resolving relative ones. */
const anonymousBase = 'http://schema.invalid/'

/** Finds the places of a schema parsed from text; no object may occur in it twice. Takes time proportional to its size. */
export function placesOf(root: JsonObject): SchemaPlaces {
  const walk = new PlaceWalk(root)
  return {
    places: walk.places(),
    leavesSchema: (place, reference) => walk.leavesSchema(place, reference),
    targetsOf: (place, reference) => walk.targetsOf(place, reference),
  }
}

class PlaceWalk {
  readonly #root: JsonObject
  readonly #visited = new Map<JsonObject, Place>()
  readonly #waiting: Place[] = []
  readonly #resources = new Map<string, Location>()
  readonly #anchors = new Map<string, Location[]>()

  constructor(root: JsonObject) {
    this.#root = root
  }

  places(): Place[] {
    const rootAt: Location = { value: this.#root, parent: undefined, key: '' }
    const rootId = this.#root['$id']
    const rootBase =
      typeof rootId === 'string' && !rootId.startsWith('#')
        ? withoutFragment(resolved(rootId, anonymousBase))
        : anonymousBase
    this.#resources.set(rootBase, rootAt)
    this.#visit(rootAt, anonymousBase, true)
    // The list grows in the loop: a schema found through a reference may contain references.
    for (const place of this.#waiting) {
      const reference = place.schema['$ref']
      if (typeof reference !== 'string') continue
      for (const target of this.targetsOf(place, reference)) {
        const outer = enclosing(target.parent ?? target, this.#visited)
        this.#visit(target, outer.base, place.isCertain)
      }
    }
    return [...this.#visited.values()]
  }

  #visit(at: Location, base: string, isCertain: boolean): void {
    if (!isJsonObject(at.value)) return
    const schema = at.value
    const former = this.#visited.get(schema)
    if (former !== undefined && (former.isCertain || !isCertain)) return
    const place: Place = { schema, at, base: this.#enter(schema, at, base), isCertain }
    this.#visited.set(schema, place)
    this.#waiting.push(place)
    for (const [keyword, value] of Object.entries(schema)) {
      if (typeof value === 'object' && value !== null) this.#visitMember(place, keyword, value)
    }
  }

  #visitMember(place: Place, keyword: string, value: JsonObject | Json[]): void {
    const { base, isCertain } = place
    const at: Location = { value, parent: place.at, key: keyword }
    const isList = Array.isArray(value)
    if (dataKeywords.has(keyword) || plainKeywords.has(keyword)) return
    if (!isList && schemaKeywords.has(keyword)) this.#visit(at, base, isCertain)
    else if (isList && schemaListKeywords.has(keyword)) this.#visitAll(at, base, isCertain)
    else if (!isList && schemaMapKeywords.has(keyword)) this.#visitAll(at, base, isCertain)
    else this.#visitAny(at, base)
  }

  #visitAll(at: Location, base: string, isCertain: boolean): void {
    for (const member of membersOf(at)) this.#visit(member, base, isCertain)
  }

  /** Visits every object as a possible schema. */
  #visitAny(at: Location, base: string): void {
    if (Array.isArray(at.value)) for (const member of membersOf(at)) this.#visitAny(member, base)
    else this.#visit(at, base, false)
  }

  /** Records the names by which a schema can be referred to. Returns its base URI. */
  #enter(schema: JsonObject, at: Location, outer: string): string {
    const id = schema['$id']
    let base = outer
    if (typeof id === 'string' && !id.startsWith('#')) {
      base = withoutFragment(resolved(id, outer))
      if (!this.#resources.has(base)) this.#resources.set(base, at)
    }
    const names = [schema['$anchor'], schema['$dynamicAnchor']]
    // Draft-07 writes an anchor as `$id`.
    if (typeof id === 'string' && id.startsWith('#')) names.push(id.slice(1))
    for (const name of names) {
      if (typeof name !== 'string') continue
      const key = `${base}#${name}`
      const named = this.#anchors.get(key)
      if (named === undefined) this.#anchors.set(key, [at])
      else named.push(at)
    }
    return base
  }

  targetsOf(place: Place, reference: string): Location[] {
    const uri = resolved(reference, place.base)
    const resource = this.#resources.get(withoutFragment(uri))
    if (resource === undefined) return []
    const hash = reference.indexOf('#')
    const fragment = hash < 0 ? '' : reference.slice(hash + 1)
    // Ajv treats `#/` as `#`.
    if (fragment === '' || fragment === '/') return [resource]
    const named = this.#anchors.get(`${withoutFragment(uri)}#${percentDecoded(fragment)}`) ?? []
    const pointed = locate(resource, fragment.split('/').map(percentDecoded))
    return pointed === undefined ? named : [...named, pointed]
  }

  leavesSchema(place: Place, reference: string): boolean {
    return (
      !reference.startsWith('#') &&
      reference !== '' &&
      !this.#resources.has(withoutFragment(resolved(reference, place.base)))
    )
  }
}

/** The location and its ancestors, innermost first. */
export function* outwards(at: Location): Generator<Location> {
  for (let here: Location | undefined = at; here !== undefined; here = here.parent) yield here
}

/** JSON pointer (RFC 6901) to a location, or to a member of it. */
export function pointerTo(at: Location, member?: string): string {
  const keys = [...outwards(at)].slice(0, -1).map(({ key }) => key)
  const parts = member === undefined ? keys.reverse() : [...keys.reverse(), member]
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function* membersOf(at: Location): Generator<Location> {
  for (const [key, value] of Object.entries(at.value as JsonObject)) yield { value, parent: at, key }
}

/** @param parts of a pointer; the first is empty. */
function locate(from: Location, [first, ...parts]: string[]): Location | undefined {
  if (first !== '') return undefined
  let at = from
  for (const part of parts) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const { value } = at
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    const member = (value as JsonObject)[key]
    if (member === undefined) return undefined
    at = { value: member, parent: at, key }
  }
  return at
}

function enclosing(at: Location, visited: ReadonlyMap<JsonObject, Place>): Place {
  for (const { value } of outwards(at)) {
    const place = isJsonObject(value) ? visited.get(value) : undefined
    if (place !== undefined) return place
  }
  throw new Error('The root is a place.')
}

function resolved(reference: string, base: string): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference
}

function withoutFragment(reference: string): string {
  const at = reference.indexOf('#')
  return at < 0 ? reference : reference.slice(0, at)
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
