/** Columns of the records page: the fields of a type in a helpful order, members of objects apart. */
import {
  type Field,
  type FoundColumn,
  fieldsMax,
  fieldsOf,
  findColumns,
  type PlainSchema,
  type TableColumn,
} from '@ulmus/content'
import { own } from '../../../data/own.ts'
import { fieldsBeside, isObject, type TableRecord } from '../../../data/records.ts'
import { fieldLabel, fieldText, parsedQuestion, pathOf } from './url.ts'

/** Columns shown by default, with at most `membersUsual` of one object, without those that are JSON. */
export const columnsUsual = 8
const membersUsual = 2
/** Maximum number of columns shown. */
const columnsMax = 30

export interface PageColumn {
  /** As questions and the URL write it: `name.common`. */
  readonly text: string
  readonly label: string
  /** Names of the value in a record's data, from the outside in. */
  readonly names: readonly string[]
  /** Title or description. */
  readonly help: string | undefined
  readonly isNumber: boolean
  readonly isPrivate: boolean
  /** Type of the records whose ids the values are. */
  readonly refersTo: string | undefined
  /** Undefined: the schema does not list the field, so it is in no question. */
  readonly column: FoundColumn | undefined
}

/** All columns that a page of these records can show. */
export function pageColumns(
  schema: PlainSchema,
  table: readonly TableColumn[],
  records: readonly TableRecord[],
): PageColumn[] {
  const fields = fieldsOf(schema, fieldsMax)
  const byPath = new Map(table.map((column) => [column.path, column]))
  const listed = fields.flatMap((field) => {
    const column = byPath.get(pathOf(field.name))
    if (column === undefined) return [besideTable(field)]
    return findColumns([column]).map((found) => ofTable(found, field, table))
  })
  return [...listed, ...fieldsBeside(fields, records).map(besideTable)]
}

const ofTable = (column: FoundColumn, field: Field, table: readonly TableColumn[]): PageColumn => ({
  text: fieldText(column.names, table),
  label: fieldLabel(column),
  names: pointerNames(column.path),
  help: column.names.length === 1 ? (field.description ?? field.title) : undefined,
  isNumber: column.type === 'integer' || column.type === 'number',
  isPrivate: field.isPrivate || column.private,
  refersTo: column.refersTo ?? (column.names.length === 1 ? field.refersTo : undefined),
  column,
})

const besideTable = ({ name, description, title, isPrivate, refersTo }: Field): PageColumn => ({
  text: fieldText([name], []),
  label: name,
  names: [name],
  help: description ?? title,
  isNumber: false,
  isPrivate,
  refersTo,
  column: undefined,
})

const pointerNames = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The value of a column; undefined: the record has none. */
export function valueIn(data: unknown, { names }: PageColumn): unknown {
  let value = data
  for (const name of names) value = isObject(value) ? own(value, name) : undefined
  return value
}

/** Columns named by `?columns=name.common,area`; by default the first ones. @param named values of the parameter */
export function chosenColumns(
  all: readonly PageColumn[],
  named: readonly string[],
  table: readonly TableColumn[],
): readonly PageColumn[] {
  const texts = new Set(named.flatMap((value) => textsIn(value, table)))
  const chosen = all.filter(({ text, label }) => texts.has(text) || texts.has(label))
  return chosen.length > 0 ? chosen.slice(0, columnsMax) : usualColumns(all)
}

/** An object stands for all its members. */
function textsIn(value: string, table: readonly TableColumn[]): string[] {
  const found = parsedQuestion({ columns: value }, table)?.columns
  if (found === undefined) return value.split(',')
  return found.flatMap((column) =>
    findColumns([column], column.names.slice(0, -1)).map(({ names }) => fieldText(names, table)),
  )
}

function usualColumns(all: readonly PageColumn[]): readonly PageColumn[] {
  const members = new Map<string, number>()
  const usual = all.filter(({ names: [outer = '', ...inner], column }) => {
    if (inner.length === 0) return true
    if (column?.type === 'json') return false
    members.set(outer, (members.get(outer) ?? 0) + 1)
    return members.get(outer)! <= membersUsual
  })
  return usual.slice(0, columnsUsual)
}
