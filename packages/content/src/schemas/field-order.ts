/**
 * Order of fields as given by the author: an integer `propertyOrder` in each property's schema, the convention of JSON Editor. Schemas are
 * stored as canonical JSON with members sorted by name, so the order of the text is lost.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

/** Keyword for the place of a property, an integer. Stored schemas contain it. */
export const orderKeyword = 'propertyOrder'

/** Undefined if the property has no valid `propertyOrder`; it then follows those that have. */
export function placeOf(property: unknown): number | undefined {
  if (typeof property !== 'object' || property === null || !Object.hasOwn(property, orderKeyword))
    return undefined
  const place = (property as Record<string, unknown>)[orderKeyword]
  return Number.isSafeInteger(place) ? (place as number) : undefined
}

/** Sorts names of members by the order of `schema`; names without an order follow in their given order. */
export function inFieldOrder(names: readonly string[], schema: unknown): string[] {
  const properties = propertiesOf(schema)
  const places = new Map<string, number>()
  for (const name of names) {
    const place = properties && Object.hasOwn(properties, name) ? placeOf(properties[name]) : undefined
    if (place !== undefined) places.set(name, place)
  }
  if (places.size === 0) return [...names]
  const last = Number.POSITIVE_INFINITY
  // Avoid a subtraction of infinities, which is NaN.
  return names.toSorted((a, b) => {
    const [first, second] = [places.get(a) ?? last, places.get(b) ?? last]
    return first === second ? 0 : first - second
  })
}

/** `value` with the members of its objects in the order of `schema`, including nested ones. JavaScript puts names such as `7` first. */
export function withMembersInOrder(value: Json, schema: unknown): Json {
  if (Array.isArray(value)) {
    const items = isObject(schema) ? schema['items'] : undefined
    return isObject(items) ? value.map((item) => withMembersInOrder(item, items)) : value
  }
  const properties = propertiesOf(schema)
  if (!isJsonObject(value) || properties === undefined) return value
  const members = inFieldOrder(Object.keys(value), schema).map((name): [string, Json] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    return [name, withMembersInOrder(value[name]!, property)]
  })
  return Object.fromEntries(members)
}

/** A schema for display: the members of every `properties` in the author's order. */
export function withPropertiesInOrder(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withPropertiesInOrder)
  if (!isJsonObject(schema)) return schema
  const members = Object.entries(schema).map(([name, member]): [string, Json] => {
    const inner = withPropertiesInOrder(member)
    if (name !== 'properties' || !isJsonObject(inner)) return [name, inner]
    const names = inFieldOrder(Object.keys(inner), { properties: inner })
    return [name, Object.fromEntries(names.map((one): [string, Json] => [one, inner[one]!]))]
  })
  return Object.fromEntries(members)
}

/**
 * `properties` without the members `cut`. The remaining members move up to the first of the previous order values, so that no gap
 * reveals the cut ones.
 */
export function withoutPlacesOf(properties: JsonObject, cut: ReadonlySet<string>): JsonObject {
  const left = Object.entries(properties).filter(([name]) => !cut.has(name))
  const before = distinctPlaces(Object.values(properties))
  const after = distinctPlaces(left.map(([, property]) => property))
  const moved = new Map(after.map((place, index) => [place, before[index]!]))
  return Object.fromEntries(
    left.map(([name, property]): [string, Json] => {
      const place = placeOf(property)
      const next = place === undefined ? undefined : moved.get(place)
      return [name, next === place ? property : { ...(property as JsonObject), [orderKeyword]: next! }]
    }),
  )
}

const distinctPlaces = (properties: readonly Json[]): number[] =>
  [...new Set(properties.flatMap((property) => placeOf(property) ?? []))].sort((a, b) => a - b)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  const properties = isObject(schema) ? schema['properties'] : undefined
  return isObject(properties) ? properties : undefined
}
