/** Converts plans to JSON Schemas, and changes existing ones. */
import { typeOf } from '../inference/shape.ts'
import { type FieldState, objectOf, propertiesOf, statesOf } from './field-states.ts'
import type { Plan, PlannedColumn } from './plan.ts'
import { type FieldReading, fileReading, readKeyword } from './remembered.ts'

type JsonSchema = Readonly<Record<string, unknown>>

const fieldOf = ({ name, field = name }: PlannedColumn): string => field

/** A JSON Schema that the rows of a plan match. `propertyOrder` keeps the order of the columns. */
export function schemaOf({ columns, reading }: Plan): Record<string, unknown> {
  const properties = columns.map((column, place) => [fieldOf(column), schemaOfColumn(column, place)])
  const required = columns.filter(({ isRequired }) => isRequired).map(fieldOf)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    ...(reading === undefined ? {} : { [readKeyword]: reading }),
  }
}

/** Memory of how a column is read; undefined if a plan finds it without. */
function columnReading({
  conversion,
  unit,
  missing = [],
}: Pick<PlannedColumn, 'conversion' | 'unit' | 'missing'>): FieldReading | undefined {
  if (conversion === undefined && missing.length === 0) return undefined
  return {
    ...(conversion === undefined ? {} : { convert: conversion }),
    ...(conversion === undefined || unit === undefined ? {} : { unit }),
    ...(missing.length === 0 ? {} : { missing }),
  }
}

function schemaOfColumn(column: PlannedColumn, propertyOrder: number | undefined): Record<string, unknown> {
  const { kind, choices, reference, isPrivate, isNullable = false, nested = {} } = column
  const read = columnReading(column)
  return {
    ...nested,
    ...typeOf(kind, isNullable),
    ...(kind === 'string' && choices !== undefined ? { enum: listOf(choices, isNullable) } : {}),
    ...(reference === undefined ? {} : { 'x-ref-type': reference }),
    ...(isPrivate ? { private: true } : {}),
    ...(read === undefined ? {} : { [readKeyword]: read }),
    ...(propertyOrder === undefined ? {} : { propertyOrder }),
  }
}

const listOf = (choices: readonly string[], isNullable: boolean) =>
  isNullable ? [...choices, null] : [...choices]

/** One change of a schema, described in a sentence. */
export interface SchemaChange {
  readonly field: string
  readonly what: 'new' | 'kind' | 'values' | 'required' | 'optional' | 'private' | 'public' | 'null' | 'read'
  readonly sentence: string
}

/**
 * The schema of an existing type with the changes of a plan: kinds, closed lists, required and private fields, and new fields. Everything
 * else stays. A schema without `properties` admits any field, and stays unchanged.
 */
export function changeSchema(
  schema: JsonSchema,
  { columns, gone = [], reading }: Plan,
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
    say(field, 'optional', `${field} is optional from now on, since the file has none.`)
  }
  const file = { ...fileReading(schema), ...reading }
  const isReadAnew = reading !== undefined && JSON.stringify(file) !== JSON.stringify(fileReading(schema))
  // A choice alone makes no major version, unless it corrects the kept one.
  if (isReadAnew && Object.hasOwn(schema, readKeyword))
    say('', 'read', 'The next file is read with the options of this one.')
  if (changes.length === 0) return { schema: { ...schema }, changes }
  const { required: _, ...rest } = schema
  const names = [...required].filter((name) => name !== undefined)
  return {
    schema: {
      ...rest,
      properties: Object.fromEntries(properties),
      ...(names.length > 0 ? { required: names } : {}),
      ...(isReadAnew ? { [readKeyword]: file } : {}),
    },
    changes,
  }
}

/** Returns undefined if the property stays unchanged. */
function changedProperty(
  property: JsonSchema,
  state: FieldState,
  { kind, choices, isPrivate, isNullable = false, conversion, assumed, unit, missing = [] }: PlannedColumn,
  say: (what: SchemaChange['what'], words: string) => void,
): JsonSchema | undefined {
  let changed: JsonSchema = property
  if (kind !== state.kind || isNullable !== state.isNullable) {
    const { type: _, format: __, $ref: ___, anyOf: ____, oneOf: _____, ...rest } = changed
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
  const { read } = state
  const isOther = conversion !== undefined && conversion !== assumed && conversion !== read.convert
  const marks = missing.filter((mark) => read.missing?.includes(mark) !== true)
  if (isOther || marks.length > 0) {
    const missing = [...(read.missing ?? []), ...marks]
    const next = isOther
      ? { conversion, unit, missing }
      : { conversion: read.convert, unit: read.unit, missing }
    changed = { ...changed, [readKeyword]: columnReading(next) }
    const words = [
      ...(isOther ? [`is read as ${conversion}`] : []),
      ...(marks.length > 0
        ? [`lacks a value where it says ${marks.map((mark) => JSON.stringify(mark)).join(', ')}`]
        : []),
    ]
    const hasMemory = read.convert !== undefined || read.missing !== undefined
    if (hasMemory) say('read', `${words.join(', and ')}, in the next files too.`)
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
