/** Form controls for the fields of a record, by the schema of its type. A field that has no control of its own is JSON. */

import { type Field, fieldsMax, fieldsOf, type PlainSchema } from '@ulmus/content'
import { isObject } from '../../../data/records.ts'
import { cutText, shownJson } from '../../../format.ts'
import { own } from '../../../page.ts'

export type ControlKind =
  | 'text'
  | 'long'
  | 'date'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'list'
  | 'group'
  | 'json'

export interface Control {
  /** JSON pointer of the field: the name of its input, and the path of its faults. */
  readonly pointer: string
  readonly field: Field
  readonly kind: ControlKind
  /** The stored value; undefined: the record has none. */
  readonly value: unknown
  /** Values of a choice, as JSON with their labels. */
  readonly choices: readonly (readonly [json: string, label: string])[]
  /** Fields of a group. */
  readonly members: readonly Control[]
  /** True if each line of a list is a number. */
  readonly hasNumbers: boolean
  /** JSON of an empty input; undefined: the member is removed. */
  readonly emptied: string | undefined
  /** True for a reference to a file: an object with `$file`. */
  readonly isFile: boolean
}

/** Inputs of a form, groups included. Further fields keep their values. */
export const controlsMax = 300
/** Longer enumerations are entered as JSON. */
const choicesMax = 200
/** Longer texts get several lines. Characters. */
const lineMax = 100
/** Groups within groups, and no deeper. */
const levelsMax = 2
/** Longer names have no group, whose inputs would all repeat them. Characters. */
const groupNameMax = 200
/** Longer JSON is shown without indentation, which multiplies the size of deeply nested values. Characters. */
const indentedMax = 20_000

/**
 * Controls of a record. Fields whose names browsers would change have none.
 * @param data of the record; undefined for a new one
 */
export function controlsOf(schema: PlainSchema, data: unknown): Control[] {
  let left = controlsMax
  const within = (at: PlainSchema, value: unknown, pointer: string, level: number): Control[] => {
    const fields = fieldsOf(at, fieldsMax)
      .filter(({ name }) => !/[\r\n\0]/.test(name))
      .slice(0, left)
    left -= fields.length
    const properties = at['properties'] as PlainSchema
    return fields.map((field): Control => {
      const here = `${pointer}/${field.name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      const member = isObject(value) ? own(value, field.name) : undefined
      const { schema: plain, isNullable } = withoutNull(own(properties, field.name))
      const count = isObject(plain['properties']) ? Object.keys(plain['properties']).length : 0
      const mayNest = level < levelsMax && count <= left && here.length <= groupNameMax
      const choices = choicesIn(plain, isNullable, member)
      const kinds = choices === undefined ? kindsOf(plain, mayNest) : choiceOnly
      const kind = kinds.find((one) => fits(one, member, plain)) ?? 'json'
      return {
        pointer: here,
        field,
        kind,
        value: member,
        choices: choices ?? [],
        members: kind === 'group' ? within(plain, member, here, level + 1) : [],
        hasNumbers: kind === 'list' && isNumeric(plain['items']),
        emptied: field.isRequired ? (isNullable ? 'null' : emptyOf.get(kind)) : undefined,
        isFile: isObject(plain['properties']) && Object.hasOwn(plain['properties'], '$file'),
      }
    })
  }
  return isObject(schema['properties']) ? within(schema, data, '', 0) : []
}

const choiceOnly: readonly ControlKind[] = ['choice']
const emptyOf: ReadonlyMap<ControlKind, string> = new Map([
  ['list', '[]'],
  ['group', '{}'],
])

/** A control and those in it. */
export const allControls = (controls: readonly Control[]): Control[] =>
  controls.flatMap((control) => [control, ...allControls(control.members)])

/** `{type: ['string', 'null']}` and `{anyOf: [{type: 'string'}, {type: 'null'}]}` are texts that may be null. */
function withoutNull(at: unknown): { schema: PlainSchema; isNullable: boolean } {
  if (!isObject(at)) return { schema: {}, isNullable: false }
  const { type, anyOf, oneOf } = at as { type?: unknown; anyOf?: unknown; oneOf?: unknown }
  if (Array.isArray(type)) {
    const others = type.filter((one) => one !== 'null')
    const isNullable = others.length < type.length
    return { schema: others.length === 1 ? { ...at, type: others[0] } : at, isNullable }
  }
  const parts: unknown = anyOf ?? oneOf
  if (!Array.isArray(parts)) return { schema: at, isNullable: false }
  const others = parts.filter((part) => !isObject(part) || part['type'] !== 'null')
  const isNullable = others.length < parts.length
  const { anyOf: _, oneOf: __, ...rest } = at
  const [only] = others
  return { schema: others.length === 1 && isObject(only) ? { ...rest, ...only } : at, isNullable }
}

/** Values of `enum`, `const`, or `anyOf` with a `const` each, with the stored value if it is another; undefined: any value. */
function choicesIn(at: PlainSchema, isNullable: boolean, value: unknown): Control['choices'] | undefined {
  const { enum: values, anyOf, oneOf } = at as { enum?: unknown; anyOf?: unknown; oneOf?: unknown }
  const parts: unknown = Object.hasOwn(at, 'const') ? [at] : (anyOf ?? oneOf)
  const listed: unknown = Array.isArray(values)
    ? values.map((one) => ({ const: one }))
    : Array.isArray(parts)
      ? parts.filter((part) => !isNullable || !isObject(part) || part['type'] !== 'null')
      : undefined
  if (!Array.isArray(listed) || listed.length === 0 || listed.length > choicesMax) return undefined
  if (!listed.every((part) => isObject(part) && Object.hasOwn(part, 'const'))) return undefined
  const choices = new Map<string, string>()
  for (const { const: one, title } of listed) choices.set(JSON.stringify(one), labelOf(one, title))
  const stored = JSON.stringify(value) as string | undefined
  if (stored !== undefined && !choices.has(stored)) choices.set(stored, labelOf(value, undefined))
  return [...choices]
}

const labelOf = (value: unknown, title: unknown): string =>
  cutText(
    typeof title === 'string' && title !== '' ? title : typeof value === 'string' ? value : shownJson(value),
    100,
  )

/** Kinds that the schema allows, the best one first. */
function kindsOf(at: PlainSchema, mayNest: boolean): readonly ControlKind[] {
  const { type, items } = at as { type?: unknown; items?: unknown }
  if (type === 'string') {
    if (at['format'] === 'date') return ['date', 'text', 'long']
    return Number(at['maxLength']) > lineMax ? ['long'] : ['text', 'long']
  }
  if (type === 'number' || type === 'integer') return ['number']
  if (type === 'boolean') return ['boolean']
  if (type === 'array')
    return isNumeric(items) || (isObject(items) && items['type'] === 'string') ? ['list'] : []
  const isClosed = isObject(at['properties']) && !at['additionalProperties'] && !at['patternProperties']
  return isClosed && (type === 'object' || type === undefined) && mayNest ? ['group'] : []
}

const isNumeric = (items: unknown): boolean =>
  isObject(items) && (items['type'] === 'number' || items['type'] === 'integer')

/** True if a browser sends the value back unchanged: inputs remove line breaks, and forms normalise them. */
function fits(kind: ControlKind, value: unknown, at: PlainSchema): boolean {
  if (value === undefined || value === null || kind === 'choice') return true
  const isLine = (text: unknown) => typeof text === 'string' && !/[\n\r\0]/.test(text)
  switch (kind) {
    case 'text':
      return isLine(value) && (value as string).length <= lineMax
    case 'long':
      return typeof value === 'string' && !/^\n|[\r\0]/.test(value)
    case 'date':
      return typeof value === 'string' && isDay(value)
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'list': {
      const isItem = isNumeric(at['items'])
        ? (item: unknown) => typeof item === 'number'
        : (item: unknown) => isLine(item) && (item as string).trim() !== ''
      return Array.isArray(value) && value.every(isItem)
    }
    default:
      return (
        isObject(value) && Object.keys(value).every((name) => Object.hasOwn(at['properties'] as object, name))
      )
  }
}

/** Browsers empty a date input with any other text. */
function isDay(text: string): boolean {
  const time = /^(?!0000)\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Text of a control's input before anyone edits it. */
export function initialText({ kind, value }: Pick<Control, 'kind' | 'value'>): string {
  if (value === undefined || kind === 'group') return ''
  if (kind === 'json') return jsonText(value)
  if (kind === 'choice') return JSON.stringify(value)
  if (value === null) return ''
  return kind === 'list' ? (value as unknown[]).join('\n') : String(value)
}

/** JSON to be edited. */
export function jsonText(value: unknown): string {
  const text = shownJson(value)
  return text.length > indentedMax ? text : shownJson(value, 2)
}
