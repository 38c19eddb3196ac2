/**
 * Public view of schemas and data: all that readers without membership may see (content-model §6). Every public answer depends on these
 * functions that remove private data.
 */
import { isJsonObject, type Json } from '../json/json.ts'
import { referenceKeyword } from '../records/references.ts'
import { cutPrivateFields, withoutMembers } from './private-fields.ts'
import { acceptSchema, type Schema } from './schema.ts'

/**
 * Schemas of the public view, by type, in the given order. Removes private types, and from the other schemas private fields,
 * keywords that describe them, and every `x-ref-type` that names a private type. An unaffected schema is returned as the same object.
 */
export function publicSchemas(schemas: ReadonlyMap<string, Schema>): Map<string, Schema> {
  const privateTypes = new Set<string>()
  for (const [type, schema] of schemas) if (schema.private) privateTypes.add(type)
  const visible = new Map<string, Schema>()
  for (const [type, schema] of schemas) {
    if (!schema.private) visible.set(type, publicSchema(schema, privateTypes))
  }
  return visible
}

/** `data` of a record of a public type without its private fields; `data` itself if it has none. */
export function publicData(schema: Pick<Schema, 'privateFields'>, data: Json): Json {
  const { privateFields } = schema
  if (privateFields.length === 0 || !isJsonObject(data)) return data
  if (!privateFields.some((name) => Object.hasOwn(data, name))) return data
  return withoutMembers(data, new Set(privateFields))
}

function publicSchema(schema: Schema, privateTypes: ReadonlySet<string>): Schema {
  if (typeof schema.source === 'boolean') return schema
  const withoutFields =
    schema.privateFields.length === 0 ? schema.source : cutPrivateFields(schema.source, schema.privateFields)
  const cut = privateTypes.size === 0 ? withoutFields : cutReferences(withoutFields, privateTypes)
  // Removal adds nothing, and no reference points into the removed part, so the rest is still acceptable.
  return cut === schema.source ? schema : acceptSchema(cut, { accepted: true })
}

/**
 * `value` without the members `x-ref-type`, at any depth, that name a private type; `value` itself if there are none. Also searches places
 * that are not schemas: removing too much is better than naming a hidden type.
 */
function cutReferences<T extends Json>(value: T, privateTypes: ReadonlySet<string>): T
function cutReferences(value: Json, privateTypes: ReadonlySet<string>): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => cutReferences(item, privateTypes))
    return items.every((item, i) => item === value[i]) ? value : items
  }
  let isSame = true
  const members: [string, Json][] = []
  for (const [name, member] of Object.entries(value)) {
    const isCut = name === referenceKeyword && namesOneOf(member, privateTypes)
    const kept = isCut ? undefined : cutReferences(member, privateTypes)
    if (kept !== member) isSame = false
    if (kept !== undefined) members.push([name, kept])
  }
  return isSame ? value : Object.fromEntries(members)
}

/** True if `value`, from an `x-ref-type`, is the name of a private type, or a list of names with one. */
function namesOneOf(value: Json, privateTypes: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return privateTypes.has(value)
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) return false
  return value.some((name) => privateTypes.has(name))
}
