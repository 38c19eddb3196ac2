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

/** Pages leave out further fields: a schema of 256 KiB may have 20,000, and a page shows some hundred. */
export const fieldsMax = 2_000

/**
 * Fields of a type in the author's order. Fields without an order follow: recognisable names, then required ones, nested ones last, else by
 * name.
 * @param most number of fields, the first in the author's order. Default: all
 */
export function fieldsOf(schema: PlainSchema, most = Number.POSITIVE_INFINITY): Field[] {
  const properties = objectIn(schema['properties']) ?? {}
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const names = Object.keys(properties)
  const some = names.length <= most ? names : inFieldOrder(names, schema).slice(0, most)
  const fields = some.map((name) => fieldOf(name, objectIn(properties[name]) ?? {}, required.has(name)))
  const rank = ({ name, isRequired, isNested }: Field): number => {
    const place = telling.indexOf(name.toLowerCase())
    return place >= 0 ? place - telling.length : isNested ? 2 : isRequired ? 0 : 1
  }
  // Ranked once each, as a schema may have 20,000 fields.
  const ranked = fields.map((field): [rank: number, field: Field] => [rank(field), field])
  ranked.sort(([first, a], [second, b]) => first - second || (a.name < b.name ? -1 : 1))
  const byName = new Map(ranked.map(([, field]) => [field.name, field]))
  return inFieldOrder([...byName.keys()], schema).map((name) => byName.get(name)!)
}

/** The field by which people recognise a record; undefined if there is none. */
export const tellingField = (fields: readonly Field[]): string | undefined =>
  telling
    .map((one) => fields.find(({ name }) => name.toLowerCase() === one)?.name)
    .find((name) => name !== undefined)

function fieldOf(name: string, at: PlainSchema, isRequired: boolean): Field {
  const items = objectIn(at['items'])
  const type = typeText(at)
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
    isNested: /object|list|any/.test(type),
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
