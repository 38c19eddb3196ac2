/** Converts plans to JSON Schemas, and fields of schemas to columns. */
import { registryId } from '../inference/ids.ts'
import type { Kind } from '../inference/kinds.ts'
import { typeOf } from '../inference/shape.ts'
import type { Plan, PlannedColumn } from './plan.ts'

type JsonSchema = Readonly<Record<string, unknown>>

const fieldOf = ({ name, field = name }: PlannedColumn): string => field

/** A JSON Schema that the rows of a plan match. `propertyOrder` keeps the order of the columns. */
export function schemaOf({ columns }: Plan): Record<string, unknown> {
  const properties = columns.map((column, place) => [fieldOf(column), schemaOfColumn(column, place)])
  const required = columns.filter(({ isRequired }) => isRequired).map(fieldOf)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

function schemaOfColumn(column: PlannedColumn, propertyOrder: number | undefined): Record<string, unknown> {
  const { kind, choices, reference, isPrivate, isNullable = false, nested = {} } = column
  return {
    ...nested,
    ...typeOf(kind, isNullable),
    ...(kind === 'string' && choices !== undefined ? { enum: listOf(choices, isNullable) } : {}),
    ...(reference === undefined ? {} : { 'x-ref-type': reference }),
    ...(isPrivate ? { private: true } : {}),
    ...(propertyOrder === undefined ? {} : { propertyOrder }),
  }
}

const listOf = (choices: readonly string[], isNullable: boolean) =>
  isNullable ? [...choices, null] : [...choices]

/** A field with the properties needed to write it to a table and read it again. */
export interface Field {
  readonly name: string
  readonly kind: Kind
}

/** Fields of any schema: `any` if it declares no type, or several. */
export const fieldsOf = (schema: unknown): Field[] =>
  Object.entries(propertiesOf(schema)).map(([name, member]) => ({ name, kind: kindOfSchema(member) }))

/** A field of a schema, in the terms of a plan. */
export interface FieldState {
  readonly kind: Kind
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly isPrivate: boolean
  readonly choices: readonly string[] | undefined
  readonly reference: string | undefined
  /** True if the value is a file, which CSV has as `sha256:…`. */
  readonly isFile: boolean
  /** Names from the outside in, for a member of an object; empty for the whole record. Undefined: a field of the record. */
  readonly path?: readonly string[] | undefined
}

/** States by field. */
export const statesOf = (schema: unknown): Map<string, FieldState> =>
  new Map(
    Object.entries(propertiesOf(schema)).map(([field, member]) => [field, stateOf(schema, field, member)]),
  )

/**
 * States by field for a file. If it has columns such as `name.common` and none `name`, as a table that was downloaded with chosen columns,
 * then the members of the object `name` are fields of their own.
 */
export function statesFor(schema: unknown, columns: readonly string[]): Map<string, FieldState> {
  const fields = propertiesOf(schema)
  // Downloaded from a type whose schema lists no properties.
  if (Object.keys(fields).length === 0 && columns.join() === `${registryId},data`)
    return new Map([['data', { ...stateOf({ required: ['data'] }, 'data', { type: 'object' }), path: [] }]])
  const within = (object: unknown, path: readonly string[], outer?: FieldState): [string, FieldState][] =>
    Object.entries(propertiesOf(object)).flatMap(([name, member]): [string, FieldState][] => {
      const names = [...path, name]
      const field = names.join('.')
      const own = stateOf(object, name, member)
      const state =
        outer === undefined
          ? own
          : {
              ...own,
              isRequired: own.isRequired && outer.isRequired,
              isPrivate: own.isPrivate || outer.isPrivate,
              path: names,
            }
      const isSpread =
        own.kind === 'object' &&
        !columns.includes(field) &&
        columns.some((column) => column.startsWith(`${field}.`) && !Object.hasOwn(fields, column))
      const members = isSpread ? within(member, names, state) : []
      return members.length > 0 ? members : [[field, state]]
    })
  return new Map(within(schema, []))
}

function stateOf(object: unknown, field: string, member: unknown): FieldState {
  const { required } = objectOf(object)
  const { type, enum: list, private: isPrivate, 'x-ref-type': reference } = objectOf(member)
  const values = Array.isArray(list) ? list.filter((one) => one !== null) : undefined
  return {
    kind: kindOfSchema(member),
    isRequired: Array.isArray(required) && required.includes(field),
    isNullable: Array.isArray(type) && type.includes('null'),
    isPrivate: isPrivate === true,
    choices: values?.every((one) => typeof one === 'string') ? (values as string[]) : undefined,
    reference: typeof reference === 'string' ? reference : undefined,
    isFile: Object.keys(propertiesOf(member)).join() === '$file',
  }
}

export const isPrivateType = (schema: unknown): boolean => objectOf(schema)['private'] === true

/** One change of a schema, described in a sentence. */
export interface SchemaChange {
  readonly field: string
  readonly what: 'new' | 'kind' | 'values' | 'required' | 'optional' | 'private' | 'public' | 'null'
  readonly sentence: string
}

/**
 * The schema of an existing type with the changes of a plan: kinds, closed lists, required and private fields, and new fields. Everything
 * else stays. A schema without `properties` admits any field, and stays unchanged.
 */
export function changeSchema(
  schema: JsonSchema,
  { columns, gone = [] }: Plan,
): { schema: Record<string, unknown>; changes: SchemaChange[] } {
  if (typeof schema['properties'] !== 'object' || schema['properties'] === null)
    return { schema: { ...schema }, changes: [] }
  const before = propertiesOf(schema)
  const states = statesOf(schema)
  const properties = new Map<string, unknown>(Object.entries(before))
  const changes: SchemaChange[] = []
  const say = (field: string, what: SchemaChange['what'], sentence: string) =>
    changes.push({ field, what, sentence })
  // Give new fields an order only if all others have one: otherwise they would come first.
  const orders = Object.values(before).map((property) => objectOf(property)['propertyOrder'])
  let order = orders.every(Number.isSafeInteger) ? Math.max(-1, ...(orders as number[])) : undefined
  const required = new Set(Array.from(states, ([field, { isRequired }]) => (isRequired ? field : undefined)))
  for (const column of columns) {
    // A member of an object keeps its schema.
    if (column.path !== undefined) continue
    const field = fieldOf(column)
    const state = states.get(field)
    if (state === undefined) {
      if (order !== undefined) order++
      properties.set(field, schemaOfColumn(column, order))
      say(field, 'new', `${field} is a new field.`)
    } else {
      const changed = changedProperty(objectOf(before[field]), state, column, (what, words) =>
        say(field, what, `${field} ${words}`),
      )
      if (changed !== undefined) properties.set(field, changed)
    }
    if (column.isRequired === (state?.isRequired ?? false)) continue
    if (column.isRequired) required.add(field)
    else required.delete(field)
    if (state !== undefined)
      say(
        field,
        column.isRequired ? 'required' : 'optional',
        `${field} is ${column.isRequired ? 'required' : 'optional'} from now on.`,
      )
  }
  for (const { field, isRequired } of gone) {
    if (isRequired || !required.delete(field)) continue
    say(field, 'optional', `${field} is optional from now on.`)
  }
  if (changes.length === 0) return { schema: { ...schema }, changes }
  const { required: _, ...rest } = schema
  const names = [...required].filter((name) => name !== undefined)
  return {
    schema: {
      ...rest,
      properties: Object.fromEntries(properties),
      ...(names.length > 0 ? { required: names } : {}),
    },
    changes,
  }
}

/** Returns undefined if the property stays unchanged. */
function changedProperty(
  property: JsonSchema,
  state: FieldState,
  { kind, choices, isPrivate, isNullable = false }: PlannedColumn,
  say: (what: SchemaChange['what'], words: string) => void,
): JsonSchema | undefined {
  let changed: JsonSchema = property
  if (kind !== state.kind || isNullable !== state.isNullable) {
    const { type: _, format: __, ...rest } = changed
    changed = { ...typeOf(kind, isNullable), ...rest }
    if (kind !== state.kind) say('kind', `changes from ${state.kind} to ${kind}.`)
    else say('null', isNullable ? 'may be null from now on.' : 'may no longer be null.')
  }
  const isList = kind === 'string' && choices !== undefined
  if (!isSameList(state.choices, isList ? choices : undefined)) {
    const { enum: _, ...rest } = changed
    changed = isList ? { ...rest, enum: listOf(choices, isNullable) } : rest
    say('values', listWords(state.choices, isList ? choices : undefined))
  }
  if (isPrivate !== state.isPrivate) {
    const { private: _, ...rest } = changed
    changed = isPrivate ? { ...rest, private: true } : rest
    say(
      isPrivate ? 'private' : 'public',
      isPrivate ? 'becomes private. Earlier versions still show it.' : 'becomes public.',
    )
  }
  return changed === property ? undefined : changed
}

const isSameList = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && a.length === b.length && b.every((one) => a.includes(one)))

/** Maximum of values that a sentence lists. */
const namedMax = 5

function listWords(before: readonly string[] | undefined, after: readonly string[] | undefined): string {
  if (after === undefined) return 'may have any value from now on.'
  if (before === undefined) return `may only have these ${after.length} values from now on.`
  const added = after.filter((value) => !before.includes(value))
  if (added.length === 0) return `may no longer have ${before.length - after.length} of its values.`
  const named = added.slice(0, namedMax).map((value) => JSON.stringify(value))
  return `may also be ${named.join(', ')}${added.length > namedMax ? `, and ${added.length - namedMax} more` : ''}.`
}

const plainKinds: readonly unknown[] = ['string', 'integer', 'number', 'boolean', 'array', 'object']

function kindOfSchema(schema: unknown): Kind {
  const { type, format } = objectOf(schema)
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null')
  if (types.length !== 1 || !plainKinds.includes(types[0])) return 'any'
  if (types[0] === 'string' && (format === 'date' || format === 'date-time')) return format
  return types[0] as Kind
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const propertiesOf = (schema: unknown): Record<string, unknown> => objectOf(objectOf(schema)['properties'])
