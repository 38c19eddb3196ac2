/**
 * Known fields: the top-level members of a record that its schema lists (content-model §4). A push refuses unknown ones, or removes them
 * before hashing if its opening says so.
 */
import { isJsonObject, type Json } from '../json/json.ts'
import { withoutMembers } from './private-fields.ts'

/** Names in the `properties` of the schema's root; undefined without `properties`, where every member is known. */
export function knownFieldsOf(schema: Json): ReadonlySet<string> | undefined {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined
  return isJsonObject(properties) ? new Set(Object.keys(properties)) : undefined
}

/** Top-level members of `data` that are not among `known`. */
export function unknownFieldsOf(data: Json, known: ReadonlySet<string> | undefined): string[] {
  if (known === undefined || !isJsonObject(data)) return []
  const unknown: string[] = []
  for (const name of Object.keys(data)) if (!known.has(name)) unknown.push(name)
  return unknown
}

/** `data` without its unknown fields; `data` itself if there are none. */
export function withoutUnknownFields(data: Json, known: ReadonlySet<string> | undefined): Json {
  const unknown = unknownFieldsOf(data, known)
  return unknown.length === 0 ? data : withoutMembers(data, new Set(unknown))
}
