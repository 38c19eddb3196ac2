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
import { giveWay } from '@ulmus/registry'
import { CutValue } from '../components/values/value.tsx'
import { knownNumbers, type Profiles } from '../data/profiles.ts'
import { fieldsBeside, isObject, type TableRecord } from '../data/records.ts'
import { areQuantities } from '../format.ts'
import { own } from '../page.ts'
import { fieldLabel, fieldText, parsedQuery, pathOf } from './address.ts'

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
  /** True: its numbers have separators. Undefined: the page knows no number of it. */
  readonly isQuantity: boolean | undefined
  readonly isPrivate: boolean
  /** Type of the records whose ids the values are. */
  readonly refersTo: string | undefined
  /** Undefined: the schema does not list the field, so it is in no query. */
  readonly column: FoundColumn | undefined
}

/** All columns that a page of these records can show. @param profiles of all records of the type, if they are known */
export function pageColumns(
  schema: PlainSchema,
  table: readonly TableColumn[],
  records: readonly TableRecord[],
  profiles?: Profiles,
): PageColumn[] {
  const fields = fieldsOf(schema, fieldsMax)
  const byPath = new Map(table.map((column) => [column.path, column]))
  const listed = fields.flatMap((field) => {
    const column = byPath.get(pathOf(field.name))
    if (column === undefined) return [besideTable(field, records)]
    return findColumns([column]).map((found) => ofTable(found, field, { table, records, profiles }))
  })
  const all = [...listed, ...fieldsBeside(fields, records).map((field) => besideTable(field, records))]
  const isEmpty = ({ label }: PageColumn) => profiles?.get(label)?.count === 0
  return [...all.filter((column) => !isEmpty(column)), ...all.filter(isEmpty)]
}

interface Known {
  readonly table: readonly TableColumn[]
  readonly records: readonly TableRecord[]
  readonly profiles: Profiles | undefined
}

function ofTable(column: FoundColumn, field: Field, { table, records, profiles }: Known): PageColumn {
  const names = pointerNames(column.path)
  const label = fieldLabel(column)
  const isNumber = column.type === 'integer' || column.type === 'number'
  const numbers = () =>
    knownNumbers(profiles?.get(label), () => records.map(({ data }) => valueAt(data, names)))
  let isQuantity: boolean | undefined
  return {
    text: fieldText(column.names, table),
    label,
    names,
    help: column.names.length === 1 ? (field.description ?? field.title) : undefined,
    isNumber,
    // Once it is shown: a page shows few of thousands of columns.
    get isQuantity() {
      isQuantity ??= isNumber && areQuantities(label, numbers())
      return isQuantity
    },
    isPrivate: field.isPrivate || column.private,
    refersTo: column.refersTo ?? (column.names.length === 1 ? field.refersTo : undefined),
    column,
  }
}

function besideTable(field: Field, records: readonly TableRecord[]): PageColumn {
  const { name, description, title, isPrivate, refersTo } = field
  const values = records
    .map(({ data }) => valueAt(data, [name]))
    .filter((value) => value !== undefined && value !== null)
  return {
    text: fieldText([name], []),
    label: name,
    names: [name],
    help: description ?? title,
    isNumber: values.length > 0 && values.every((value) => typeof value === 'number'),
    isQuantity: areQuantities(name, values),
    isPrivate,
    refersTo,
    column: undefined,
  }
}

const pointerNames = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))

/** A record in a table. */
export interface TableRow extends TableRecord {
  /** Values of a large record, cut. Undefined: they are those in the data. */
  readonly cells?: ReadonlyMap<PageColumn, unknown>
}

/** Records up to this size are cut when they are rendered. Bytes. */
const wholeBytesMax = 4_096

/** Cuts the values of large records, each record in a turn of its own. */
export async function tableRows(
  records: readonly TableRecord[],
  chosen: readonly PageColumn[],
): Promise<TableRow[]> {
  const rows: TableRow[] = []
  for (const record of records) {
    if (record.bytes <= wholeBytesMax || !isObject(record.data)) {
      rows.push(record)
      continue
    }
    await giveWay()
    const cells = new Map(chosen.map((column) => [column, cutOf(valueIn(record, column))]))
    rows.push({ ...record, cells })
  }
  return rows
}

const cutOf = (value: unknown) => (typeof value === 'object' && value !== null ? new CutValue(value) : value)

/** The value of a column; undefined: the record has none. */
export function valueIn({ data, cells }: Pick<TableRow, 'data' | 'cells'>, column: PageColumn): unknown {
  return cells === undefined ? valueAt(data, column.names) : cells.get(column)
}

function valueAt(data: unknown, names: readonly string[]): unknown {
  let value = data
  for (const name of names) value = isObject(value) ? own(value, name) : undefined
  return value
}

/** Items of a list, or the value itself; of a large list the first ones, which are all that is shown. */
export const itemsIn = (value: unknown): unknown[] => [value instanceof CutValue ? value.begun : value].flat()

/**
 * Columns named by `?columns=name.common,area`; by default the first ones, without those that repeat the id.
 * @param named values of the parameter
 */
export function chosenColumns(
  all: readonly PageColumn[],
  named: readonly string[],
  table: readonly TableColumn[],
  records: readonly TableRecord[],
): readonly PageColumn[] {
  const texts = new Set(named.flatMap((value) => textsIn(value, table)))
  const chosen = all.filter(({ text, label }) => texts.has(text) || texts.has(label))
  if (chosen.length > 0) return chosen.slice(0, columnsMax)
  const repeated = repeatedId(all, records)
  return usualColumns(all.filter((column) => column !== repeated))
}

/** The first column whose values are the ids. One record alone may have its name as its id by chance. */
export function repeatedId(
  all: readonly PageColumn[],
  records: readonly TableRecord[],
): PageColumn | undefined {
  if (records.length < 2) return undefined
  return all.find(({ names }) =>
    records.every(({ id, data }) => {
      const value = valueAt(data, names)
      return (typeof value === 'string' || typeof value === 'number') && String(value) === id
    }),
  )
}

/** An object stands for all its members. */
function textsIn(value: string, table: readonly TableColumn[]): string[] {
  const found = parsedQuery({ columns: value }, table)?.columns
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
