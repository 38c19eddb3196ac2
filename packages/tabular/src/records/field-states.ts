/** Fields of schemas in the terms of plans and tables. */
import { columnSchema, type JsonObject, type TableColumn, tableColumns } from '@ulmus/content'
import { registryId } from '../inference/ids.ts'
import type { Kind } from '../inference/kinds.ts'
import { type FieldReading, fieldReading } from './remembered.ts'

/** A field with the properties needed to write it to a table and read it again. */
export interface Field {
  readonly name: string
  readonly kind: Kind
  /** Name of its column in a table, such as `name_2`; undefined if it is the same. */
  readonly column?: string | undefined
}

/** Fields of any schema: `any` if it declares no type, or several. */
export const fieldsOf = (schema: unknown): Field[] =>
  Array.from(statesOf(schema), ([name, { kind, stored }]) => ({ name, kind, column: stored?.name }))

/** A field of a schema, in the terms of a plan. */
export interface FieldState {
  readonly kind: Kind
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly isPrivate: boolean
  readonly choices: readonly string[] | undefined
  readonly reference: string | undefined
  /** How columns of earlier files were read. */
  readonly read: FieldReading
  /** Column of a downloaded table; undefined if the table has none of its own. */
  readonly stored: TableColumn | undefined
  /**
   * Names from the outside in, for a member of an object, and for a field whose column has another name, such as `name_2`; empty for the
   * whole record. Undefined: a field of the record.
   */
  readonly path?: readonly string[] | undefined
}

/** States by field. */
export const statesOf = (schema: unknown): Map<string, FieldState> => statesFor(schema, [])

/**
 * States by field for a file. If it has columns such as `name.common` and none `name`, as a table that was downloaded with chosen columns,
 * then the members of the object `name` are fields of their own. Fields of a downloaded table have the names of its columns.
 */
export function statesFor(schema: unknown, columns: readonly string[]): Map<string, FieldState> {
  const fields = propertiesOf(schema)
  const stored = columnsByPath(schema)
  // A type whose schema lists no properties, or too many for a table.
  const whole = stored.get('')
  if (whole !== undefined && columns.join() === `${registryId},${whole.name}`)
    return new Map([
      [whole.name, { ...stateOf({ required: ['data'] }, 'data', { type: 'object' }, whole), path: [] }],
    ])
  const nameOf = fieldNames(fields, stored, columns)
  const within = (object: unknown, path: readonly string[], outer?: FieldState): [string, FieldState][] =>
    Object.entries(propertiesOf(object)).flatMap(([name, member]): [string, FieldState][] => {
      const names = [...path, name]
      // Headers are read without outer spaces.
      const field = path.length === 0 ? nameOf(name) : [nameOf(path[0]!), ...names.slice(1)].join('.').trim()
      const own = stateOf(object, name, member, stored.get(pointerTo(names)))
      const state =
        outer === undefined
          ? { ...own, ...(field === name ? {} : { path: names }) }
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
      const members = isSpread ? within(resolved(schema, names, member, own.stored), names, state) : []
      return members.length > 0 ? members : [[field, state]]
    })
  return new Map(within(schema, []))
}

/** Columns of a downloaded table and members of its objects, by the paths of their values. */
function columnsByPath(schema: unknown): Map<string, TableColumn> {
  const all = (columns: readonly TableColumn[]): [string, TableColumn][] =>
    columns.flatMap((column) => [[column.path, column], ...all(column.members ?? [])])
  return new Map(all(tableColumns(objectOf(schema) as JsonObject).slice(1)))
}

const pointerTo = (names: readonly string[]): string =>
  names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The schema of an object with its members, also if a reference leads to it. */
const resolved = (
  schema: unknown,
  names: readonly string[],
  member: unknown,
  column: TableColumn | undefined,
): unknown =>
  names.length > 1 || column === undefined || Object.keys(propertiesOf(member)).length > 0
    ? member
    : columnSchema(objectOf(schema) as JsonObject, column)

/**
 * Names of fields in a file: a downloaded table may call a field otherwise, such as `name_2` beside `Name`, and headers are read without
 * outer spaces.
 */
function fieldNames(
  fields: Record<string, unknown>,
  stored: ReadonlyMap<string, TableColumn>,
  columns: readonly string[],
): (field: string) => string {
  const given = new Set(columns)
  const idField = stored.get(pointerTo([registryId]))?.name
  const isDownloaded = given.has(registryId) && (idField === undefined || given.has(idField))
  // A name of blanks is read as none.
  const unnamed = columns.find((name, at) => name === `column_${at + 1}` && !Object.hasOwn(fields, name))
  return (field) => {
    const column = stored.get(pointerTo([field]))
    const inTable = column === undefined ? field : column.name.trim() || (unnamed ?? field)
    const isOther = isDownloaded || !Object.hasOwn(fields, inTable)
    return inTable !== field && isOther && given.has(inTable) ? inTable : field
  }
}

const kindsOfColumns: Partial<Record<TableColumn['type'], Kind>> = {
  text: 'string',
  file: 'object',
  list: 'array',
  json: 'any',
}

function stateOf(
  object: unknown,
  field: string,
  member: unknown,
  stored: TableColumn | undefined,
): FieldState {
  const { required } = objectOf(object)
  const { type, enum: list, private: isPrivate, 'x-ref-type': reference } = objectOf(member)
  const values = Array.isArray(list) ? list.filter((one) => one !== null) : undefined
  const kind = kindOfSchema(member)
  const isRequired = Array.isArray(required) && required.includes(field)
  const allowsNull = Array.isArray(type) && type.includes('null')
  return {
    // A reference, or an alternative to null: the table knows the kind.
    kind:
      kind === 'any' && stored !== undefined ? (kindsOfColumns[stored.type] ?? (stored.type as Kind)) : kind,
    isRequired,
    isNullable: allowsNull || (kind === 'any' && isRequired && stored?.nullable === true),
    isPrivate: isPrivate === true,
    choices: values?.every((one) => typeof one === 'string') ? (values as string[]) : undefined,
    reference: typeof reference === 'string' ? reference : undefined,
    read: fieldReading(member),
    stored,
  }
}

export const isPrivateType = (schema: unknown): boolean => objectOf(schema)['private'] === true

const plainKinds: readonly unknown[] = ['string', 'integer', 'number', 'boolean', 'array', 'object']

function kindOfSchema(schema: unknown): Kind {
  const { type, format } = objectOf(schema)
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null')
  if (types.length !== 1 || !plainKinds.includes(types[0])) return 'any'
  if (types[0] === 'string' && (format === 'date' || format === 'date-time')) return format
  return types[0] as Kind
}

export const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

export const propertiesOf = (schema: unknown): Record<string, unknown> =>
  objectOf(objectOf(schema)['properties'])
