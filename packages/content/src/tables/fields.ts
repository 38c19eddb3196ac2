/** Fields of questions: columns of a table and members of its objects. */
import { distance } from 'fastest-levenshtein'
import type { TableColumn } from './columns.ts'

/** A column of the table, or a member of an object in it: its names from the outside in. */
export interface FoundColumn extends TableColumn {
  readonly names: readonly string[]
}

/** The question cannot be answered; the message says which part and what to write instead. */
export class QueryError extends Error {
  readonly code: 'unknown_field' | 'invalid_query'
  /** The query parameter. */
  readonly parameter: string

  constructor(code: QueryError['code'], parameter: string, message: string) {
    super(message)
    this.name = 'QueryError'
    this.code = code
    this.parameter = parameter
  }
}

/** Fields that an error lists. */
const namedMax = 12

/** `name.common` is a column of this name or else the member `common` of `name`. @throws QueryError unknown_field */
export function findColumn(
  names: readonly string[],
  parameter: string,
  columns: readonly TableColumn[],
): FoundColumn {
  const [first = '', ...members] = names
  const own = indexOf(columns).get(first)
  if (own !== undefined && members.length === 0) return { ...own, names: [own.name] }
  const path = own === undefined ? [...first.split('.'), ...members] : names
  let within = columns
  const passed: string[] = []
  let column: TableColumn | undefined
  for (const part of path) {
    column = indexOf(within).get(part)
    if (column === undefined) break
    passed.push(column.name)
    within = column.members ?? []
  }
  if (column !== undefined && passed.length === path.length) return { ...column, names: passed }
  const asked = path.join('.')
  const all = fieldNames(columns)
  const hint = namesHint(asked, all, 'fields')
  throw new QueryError('unknown_field', parameter, `There is no field ${JSON.stringify(asked)}. ${hint}`)
}

/** Proposes names like one that is unknown; lists the first ones if none is. @param what names in the plural */
export function namesHint(asked: string, all: readonly string[], what: string): string {
  const near = nearest(asked, all)
  if (near.length > 0) return `Did you mean ${near.map((one) => JSON.stringify(one)).join(' or ')}?`
  const some = all.slice(0, namedMax).map((one) => JSON.stringify(one))
  const rest = all.length - some.length
  return `The ${what} are ${some.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`
}

/** Columns by name. A question may name thousands. */
const indices = new WeakMap<readonly TableColumn[], ReadonlyMap<string, TableColumn>>()

function indexOf(columns: readonly TableColumn[]): ReadonlyMap<string, TableColumn> {
  const found = indices.get(columns) ?? new Map(columns.map((column) => [column.name, column]))
  indices.set(columns, found)
  return found
}

/** All columns, and the members of objects in place of the objects. */
export const findColumns = (columns: readonly TableColumn[], outer: readonly string[] = []): FoundColumn[] =>
  columns.flatMap((column) => {
    const names = [...outer, column.name]
    return column.members === undefined ? [{ ...column, names }] : findColumns(column.members, names)
  })

/** Names of all columns and members, `name.common`. */
export const fieldNames = (columns: readonly TableColumn[]): string[] =>
  columns.flatMap(({ name, members }) => [
    name,
    ...fieldNames(members ?? []).map((member) => `${name}.${member}`),
  ])

/** At most three fields, as filters write them, whose names differ little from an unknown one. */
export const likeFields = (asked: string, columns: readonly TableColumn[]): string[] =>
  nearest(asked, fieldNames(columns)).map((name) =>
    /^[^\s",.-][^\s",]*$/.test(name) ? name : JSON.stringify(name),
  )

/** Longer names are compared with no other. Characters. */
const comparedMax = 200

/** At most three names that differ little. */
function nearest(asked: string, names: readonly string[]): string[] {
  if (asked.length > comparedMax) return []
  const wanted = asked.toLowerCase()
  return names
    .filter(({ length }) => length <= comparedMax)
    .map((name) => {
      const at = name.toLowerCase()
      return { name, distance: at.endsWith(`.${wanted}`) ? 0 : distance(at, wanted) }
    })
    .filter((one) => one.distance <= Math.max(2, asked.length / 3))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** The name of a field for an error. */
export const quotedField = ({ names }: FoundColumn): string => JSON.stringify(names.join('.'))
