/** Columns of the table that the records of a type make: one for each property of the schema's root, in the publisher's order. */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { referenceKeyword } from '../records/references.ts'
import { inFieldOrder } from '../schemas/field-order.ts'
import { fieldNames } from '../schemas/fields.ts'

/** `text`: a string. `number`: a double. `integer`: −2^63 to 2^63 − 1. `date-time`: microseconds in UTC. `file`: `sha256:<hex>`. */
export type ScalarType = 'text' | 'number' | 'integer' | 'boolean' | 'date-time' | 'date' | 'file'

/** `list` of scalars, `object` with fixed members; `json`: any other value, as JSON text. */
export type ColumnType = ScalarType | 'list' | 'object' | 'json'

export interface TableColumn {
  /** Unique in its table or object, whatever the case. */
  readonly name: string
  /** JSON pointer to the value in a record's `data`. RFC 6901. */
  readonly path: string
  readonly type: ColumnType
  /** Type of the items of a list. */
  readonly items?: ScalarType
  /** Members of an object. */
  readonly members?: readonly TableColumn[]
  /** False: each record has a value that is not null. */
  readonly nullable: boolean
  readonly private: boolean
  /** Type of the records whose ids the values are. */
  readonly refersTo?: string
}

/** Column of record ids, before the others. */
export const idColumn: TableColumn = {
  name: '_id',
  path: '',
  type: 'text',
  nullable: false,
  private: false,
}

/** Column of a type whose schema lists no properties, or too many: the whole `data`. */
const dataColumn: TableColumn = { name: 'data', path: '', type: 'json', nullable: false, private: false }

/** A type with more properties has the column `data` alone: a schema of 256 KiB could have 20,000, of which no table can be built. */
const columnsMax = 2_000
/** Objects that lie deeper become JSON text. */
const levelsMax = 2
/** Objects with more members become JSON text. */
const membersMax = 64
/**
 * Objects beyond these totals become JSON text: by local references, a schema of 256 KiB could have millions of members with long paths.
 * Members of all objects, and characters of their names and paths.
 */
const expandedMax = { members: 2_000, characters: 262_144 }
/** Local references that are followed for a property: a schema may refer in a circle. */
const referencesMax = 8

/** @param schema of a view: in the public view it has no private properties */
export function tableColumns(schema: JsonObject): TableColumn[] {
  const properties = schema['properties']
  if (!isJsonObject(properties) || Object.keys(properties).length > columnsMax) return [idColumn, dataColumn]
  const columns = columnsOf(schema, {
    definitions: schema,
    level: 0,
    path: '',
    taken: [idColumn.name],
    room: { ...expandedMax },
    facts: new Map(),
  })
  const places = new Map(fieldNames(schema).map((name, place) => [pointerTo('', name), place]))
  return [idColumn, ...columns.sort((a, b) => places.get(a.path)! - places.get(b.path)!)]
}

const pointerTo = (path: string, member: string): string =>
  `${path}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Schema of the value in a column at the root: without `null`, and in place of a local reference. Empty if the schema lists no properties. */
export function columnSchema(schema: JsonObject, { path }: TableColumn): JsonObject {
  const member = path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')
  const properties = schema['properties']
  if (path === '' || !isJsonObject(properties) || !Object.hasOwn(properties, member)) return {}
  const property = properties[member]!
  const { title, description } = isJsonObject(property) ? property : {}
  return {
    ...resolved(property, schema).schema,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  }
}

interface Place {
  /** The schema that local references point into. */
  readonly definitions: JsonObject
  readonly level: number
  readonly path: string
  readonly taken: readonly string[]
  /** What is left of `expandedMax`. */
  readonly room: { members: number; characters: number }
  /** Of schemas that were read: many references may lead to one. */
  readonly facts: Map<JsonObject, SchemaFacts>
}

/** Facts that take time in proportion to the length of a schema. */
interface SchemaFacts {
  readonly scalar: ScalarType | undefined
  /** Names of the members of a closed object; undefined for other schemas. */
  readonly members: readonly string[] | undefined
  readonly required: ReadonlySet<Json>
}

function factsOf(schema: JsonObject, facts: Place['facts']): SchemaFacts {
  const found = facts.get(schema)
  if (found !== undefined) return found
  const scalar = scalarOf(schema)
  const isObject = scalar === undefined && schema['type'] === 'object' && isClosed(schema)
  const required: Json = schema['required'] ?? null
  const made: SchemaFacts = {
    scalar,
    members: isObject ? propertiesIn(schema) : undefined,
    required: new Set(Array.isArray(required) ? required : []),
  }
  facts.set(schema, made)
  return made
}

function columnsOf(schema: JsonObject, place: Place): TableColumn[] {
  const { definitions, level, path, taken, room, facts } = place
  const properties = schema['properties'] as JsonObject
  const { required } = factsOf(schema, facts)
  const names = new Set(taken)
  const numbers = new Map<string, number>()
  return inFieldOrder(Object.keys(properties), schema).map((member) => {
    const property = properties[member]!
    const name = freeName(member, names, numbers)
    names.add(name.toLowerCase())
    const at = pointerTo(path, member)
    const plain = resolved(property, definitions)
    const refersTo = plain.schema[referenceKeyword]
    return {
      name,
      path: at,
      ...typeOf(plain.schema, { definitions, level: level + 1, path: at, taken: [], room, facts }),
      nullable: plain.isNullable || !required.has(member),
      private: isJsonObject(property) && property['private'] === true,
      ...(typeof refersTo === 'string' && { refersTo }),
    }
  })
}

/**
 * `_2`, `_3` … follow names that others have, in any case; the empty name is `_`.
 * @param numbers last number of each name: thousands of names may differ only in case
 */
function freeName(member: string, taken: ReadonlySet<string>, numbers: Map<string, number>): string {
  const base = member === '' ? '_' : member
  const same = base.toLowerCase()
  if (!taken.has(same)) return base
  let n = numbers.get(same) ?? 2
  while (taken.has(`${same}_${n}`)) n++
  numbers.set(same, n + 1)
  return `${base}_${n}`
}

/** A property without what only says that null is allowed and where its schema is written. */
function resolved(property: Json, definitions: JsonObject): { schema: JsonObject; isNullable: boolean } {
  let schema = isJsonObject(property) ? property : {}
  let isNullable = false
  for (let n = 0; n < referencesMax; n++) {
    const choices = schema['anyOf'] ?? schema['oneOf']
    const target = referred(schema['$ref'], definitions)
    if (target !== undefined) schema = target
    else if (Array.isArray(choices) && choices.length === 2 && choices.some(isNull)) {
      isNullable = true
      const other = choices.find((choice) => !isNull(choice))
      schema = isJsonObject(other) ? other : {}
    } else break
  }
  const { type } = schema
  if (!Array.isArray(type)) return { schema, isNullable: isNullable || type === undefined || type === 'null' }
  const types = type.filter((one) => one !== 'null')
  if (types.length < type.length) isNullable = true
  return { schema: types.length === 1 ? withType(schema, types[0]!) : schema, isNullable }
}

/** Schemas with one type, by their own: as many references may lead to one. */
const ofOneType = new WeakMap<JsonObject, JsonObject>()

function withType(schema: JsonObject, type: Json): JsonObject {
  const made = ofOneType.get(schema) ?? { ...schema, type }
  ofOneType.set(schema, made)
  return made
}

const isNull = (choice: Json): boolean => isJsonObject(choice) && choice['type'] === 'null'

/** The schema at `#/$defs/<name>`; undefined for other references. */
function referred(reference: Json | undefined, definitions: JsonObject): JsonObject | undefined {
  const [, keyword, name] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(String(reference)) ?? []
  const all = keyword === undefined ? undefined : definitions[keyword]
  const target = isJsonObject(all) && Object.hasOwn(all, name!) ? all[name!] : undefined
  return isJsonObject(target) ? target : undefined
}

type Typed = Pick<TableColumn, 'type' | 'items' | 'members'>

function typeOf(schema: JsonObject, place: Place): Typed {
  const { scalar, members } = factsOf(schema, place.facts)
  if (scalar !== undefined) return { type: scalar }
  if (schema['type'] === 'array') {
    const items = resolved(schema['items'] ?? {}, place.definitions)
    const item = factsOf(items.schema, place.facts).scalar
    return item === undefined || schema['prefixItems'] !== undefined
      ? { type: 'json' }
      : { type: 'list', items: item }
  }
  if (members === undefined || place.level > levelsMax || !takeRoom(place, members)) return { type: 'json' }
  return { type: 'object', members: columnsOf(schema, place) }
}

/** False if the members of an object do not fit into the table. */
function takeRoom({ room, path }: Place, members: readonly string[]): boolean {
  const characters = members.reduce((sum, name) => sum + path.length + 2 * name.length, 0)
  if (members.length > room.members || characters > room.characters) return false
  room.members -= members.length
  room.characters -= characters
  return true
}

function scalarOf(schema: JsonObject): ScalarType | undefined {
  const { type, format } = schema
  if (type === 'string') return format === 'date-time' || format === 'date' ? format : 'text'
  if (type === 'number' || type === 'integer' || type === 'boolean') return type
  if (type === 'object' && isFileReference(schema)) return 'file'
  const values = schema['const'] !== undefined ? [schema['const']] : schema['enum']
  if (type !== undefined || !Array.isArray(values)) return undefined
  return values.length > 0 && values.every((value) => typeof value === 'string') ? 'text' : undefined
}

const propertiesIn = (schema: JsonObject): string[] =>
  isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : []

/** An object that is required to have `$file`, and nothing else that the schema names. */
const isFileReference = (schema: JsonObject): boolean =>
  isJsonObject(schema['properties']) &&
  Object.hasOwn(schema['properties'], '$file') &&
  propertiesIn(schema).length === 1 &&
  Array.isArray(schema['required']) &&
  schema['required'].includes('$file')

/** True for an object whose members are all named, and differ in more than case. */
const isClosed = (schema: JsonObject): boolean => {
  const names = propertiesIn(schema)
  const isOpen = schema['additionalProperties'] !== false && schema['unevaluatedProperties'] !== false
  const areDistinct = new Set(names.map((name) => name.toLowerCase())).size === names.length
  return (
    !isOpen &&
    schema['patternProperties'] === undefined &&
    areDistinct &&
    !names.includes('') &&
    names.length > 0 &&
    names.length <= membersMax
  )
}
