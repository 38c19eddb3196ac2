/** Plans as JSON Schemas, and the fields of schemas as columns. */
import type { Kind } from '../inference/kinds.ts'
import { typeOf } from '../inference/shape.ts'
import type { Plan, PlannedColumn } from './plan.ts'

/** A JSON Schema that the rows of a plan fit. */
export function schemaOf({ columns }: Plan): Record<string, unknown> {
  const properties = columns.map((column) => [column.field ?? column.name, schemaOfColumn(column)])
  const required = columns.filter(({ isRequired }) => isRequired).map(({ name, field = name }) => field)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

function schemaOfColumn(column: PlannedColumn): Record<string, unknown> {
  const { kind, choices, reference, isPrivate, isNullable = false, nested = {} } = column
  return {
    ...nested,
    ...typeOf(kind, isNullable),
    ...(kind === 'string' && choices !== undefined
      ? { enum: isNullable ? [...choices, null] : choices }
      : {}),
    ...(reference === undefined ? {} : { 'x-ref-type': reference }),
    ...(isPrivate ? { private: true } : {}),
  }
}

/** A field, as far as writing it into a table and reading it again needs to know. */
export interface Field {
  readonly name: string
  readonly kind: Kind
}

/** The fields that a schema lists, of whatever origin: `any` where it says no type, or several. */
export function fieldsOf(schema: unknown): Field[] {
  const { properties } = (typeof schema === 'object' && schema !== null ? schema : {}) as {
    properties?: object
  }
  return Object.entries(properties ?? {}).map(([name, member]) => ({ name, kind: kindOfSchema(member) }))
}

const plainKinds: readonly unknown[] = ['string', 'integer', 'number', 'boolean', 'array', 'object']

function kindOfSchema(schema: unknown): Kind {
  const { type } = (typeof schema === 'object' && schema !== null ? schema : {}) as { type?: unknown }
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null')
  return types.length === 1 && plainKinds.includes(types[0]) ? (types[0] as Kind) : 'any'
}
