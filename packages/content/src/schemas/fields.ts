/** Schemas for display: fields in a helpful order, types and rules in words. For people only; nothing is validated with it. */
import { inFieldOrder } from './field-order.ts'

/** A JSON Schema for display only: unchecked, so any part may have any value. */
export type PlainSchema = Readonly<Record<string, unknown>>

/** A property of a type, for display. */
export interface Field {
  readonly name: string
  readonly title: string | undefined
  readonly description: string | undefined
  /** `text`, `integer or null`, `list of number`. */
  readonly type: string
  /** `at least 3 characters`, `one of "a", "b"`. */
  readonly rules: readonly string[]
  readonly isRequired: boolean
  readonly isPrivate: boolean
  /** Type of the records that the field refers to; undefined if it refers to none. */
  readonly refersTo: string | undefined
  /** True if its values are long or nested: such fields come last in tables. */
  readonly isNested: boolean
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
const objectIn = (value: unknown): PlainSchema | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as PlainSchema) : undefined

/** Names of fields by which people recognise a record, in lower case. */
const telling = ['name', 'title', 'label', 'displayname', 'fullname', 'code']
const tellingMax = Math.max(...telling.map(({ length }) => length))

/** Pages leave out further fields: a schema of 256 KiB may have 20,000, and a page shows some hundred. */
export const fieldsMax = 2_000

/**
 * Names of the fields of a type in the order of pages, tables, SQL and files: the author's. Fields without a place follow: recognisable
 * names, then required ones, nested ones last, else as the schema has them, which is by name in a stored one.
 * @param most number of names, the first in the author's order. Default: all
 */
export const fieldNames = (schema: PlainSchema, most?: number): string[] => orderOf(schema, most).names

/** Fields of a type, in the order of `fieldNames`. @param most as there */
export function fieldsOf(schema: PlainSchema, most?: number): Field[] {
  const properties = objectIn(schema['properties']) ?? {}
  const required = requiredIn(schema)
  const { names, types } = orderOf(schema, most)
  return names.map((name) =>
    fieldOf(name, objectIn(properties[name]) ?? {}, {
      type: types.get(name)!,
      isRequired: required.has(name),
    }),
  )
}

/** Names in order, with the types in words, which decide it. Each is found once, as a schema may have 20,000 fields. */
function orderOf(schema: PlainSchema, most = Number.POSITIVE_INFINITY) {
  const properties = objectIn(schema['properties']) ?? {}
  const required = requiredIn(schema)
  const all = Object.keys(properties)
  const some = all.length <= most ? all : inFieldOrder(all, schema).slice(0, most)
  const types = new Map(some.map((name) => [name, typeText(objectIn(properties[name]) ?? {})]))
  const rank = (name: string): number => {
    const place = name.length > tellingMax ? -1 : telling.indexOf(name.toLowerCase())
    if (place >= 0) return place - telling.length
    return isNestedType(types.get(name)!) ? 2 : required.has(name) ? 0 : 1
  }
  const ranked = some.map((name): [rank: number, name: string] => [rank(name), name])
  ranked.sort(([first], [second]) => first - second)
  const names = inFieldOrder(
    ranked.map(([, name]) => name),
    schema,
  )
  return { names, types }
}

const requiredIn = ({ required }: PlainSchema): ReadonlySet<unknown> =>
  new Set(Array.isArray(required) ? required : [])

const isNestedType = (type: string): boolean => /object|list|any/.test(type)

/** The field by which people recognise a record; undefined if there is none. */
export const tellingField = (fields: readonly Field[]): string | undefined =>
  telling
    .map((one) => fields.find(({ name }) => name.toLowerCase() === one)?.name)
    .find((name) => name !== undefined)

function fieldOf(
  name: string,
  at: PlainSchema,
  { type, isRequired }: Pick<Field, 'type' | 'isRequired'>,
): Field {
  const items = objectIn(at['items'])
  return {
    name,
    title: textIn(at['title']),
    description: textIn(at['description']),
    type,
    // When they are shown: a page shows few of thousands of fields.
    get rules() {
      return rulesOf(at)
    },
    isRequired,
    isPrivate: at['private'] === true,
    refersTo: textIn(at['x-ref-type']) ?? textIn(items?.['x-ref-type']),
    isNested: isNestedType(type),
  }
}

/** Describes a type in words. */
export function typeText(at: PlainSchema): string {
  const { type } = at as { type?: unknown }
  if (Array.isArray(type)) return type.map((one) => typeText({ ...at, type: one })).join(' or ')
  if (type === 'array') {
    const items = objectIn(at['items'])
    return items === undefined ? 'list' : `list of ${typeText(items)}`
  }
  const format = textIn(at['format'])
  if (type === 'string') return format ?? 'text'
  if (typeof type === 'string') return type
  if ('const' in at) return 'constant'
  if (Array.isArray(at['enum'])) return 'one of a list'
  const choices = at['anyOf'] ?? at['oneOf']
  if (Array.isArray(choices)) {
    const texts = choices.slice(0, 4).map((choice) => typeText(objectIn(choice) ?? {}))
    return [...new Set(texts)].join(' or ')
  }
  const reference = textIn(at['$ref'])
  return reference === undefined ? 'any' : (reference.split('/').at(-1) ?? 'any')
}

/** Maximum length of a value within a rule. Characters. */
const ruleValueMax = 60

const valueText = (value: unknown): string => {
  const text = JSON.stringify(value) ?? ''
  return text.length > ruleValueMax ? `${text.slice(0, ruleValueMax)}…` : text
}

const counted = (value: unknown, noun: string): string => `${value} ${noun}${value === 1 ? '' : 's'}`

const says: readonly [keyword: string, say: (value: unknown) => string][] = [
  ['const', (value) => `is ${valueText(value)}`],
  ['minimum', (value) => `≥ ${value}`],
  ['exclusiveMinimum', (value) => `> ${value}`],
  ['maximum', (value) => `≤ ${value}`],
  ['exclusiveMaximum', (value) => `< ${value}`],
  ['multipleOf', (value) => `a multiple of ${value}`],
  ['minLength', (value) => `at least ${counted(value, 'character')}`],
  ['maxLength', (value) => `at most ${counted(value, 'character')}`],
  ['pattern', (value) => `matches ${valueText(value)}`],
  ['minItems', (value) => `at least ${counted(value, 'item')}`],
  ['maxItems', (value) => `at most ${counted(value, 'item')}`],
  ['uniqueItems', (value) => (value === true ? 'no item twice' : '')],
  ['default', (value) => `default ${valueText(value)}`],
]

/** Maximum number of listed values of an enumeration. */
const choicesMax = 8

function rulesOf(at: PlainSchema): string[] {
  const choices = Array.isArray(at['enum']) ? at['enum'] : []
  const named = choices.slice(0, choicesMax).map(valueText).join(', ')
  const more = choices.length > choicesMax ? ` and ${choices.length - choicesMax} more` : ''
  return [
    ...(choices.length > 0 ? [`one of ${named}${more}`] : []),
    ...says.filter(([keyword]) => keyword in at).map(([keyword, say]) => say(at[keyword])),
  ].filter((rule) => rule !== '')
}
