/** Statements to begin with, made from the schema and the first records of a version. */

import type { TableColumn } from '@ulmus/content'
import { quoted } from '@ulmus/registry'
import { isObject, type TableRecord } from '../../data/records.ts'
import { shownName } from '../../format.ts'
import { own } from '../../page.ts'

/** A type of the version as SQL has it. */
export interface SqlTable {
  readonly type: string
  /** Name of its table. */
  readonly name: string
  readonly records: number
  readonly isPrivate: boolean
  readonly columns: readonly TableColumn[]
  /** Property by which people recognise a record, if any. */
  readonly telling: string | undefined
}

export interface Example {
  readonly title: string
  readonly sql: string
}

/** A category has at most as many characters, and occurs in several of the sampled records. */
const categoryMax = 40
/** Numbers that rank nothing. */
const position = /lat|lon|lng|year|code|id$/i

/** @param sample records of the first type with a column of texts */
export const examplesOf = (
  tables: readonly SqlTable[],
  sample: readonly TableRecord[],
): readonly Example[] => {
  const found = [countExample(tables, sample), largestExample(tables), joinExample(tables)]
  const others = [statisticExample(tables), ...tables.slice(0, 3).map(rowsExample)]
  return [...found, ...others].filter((one) => one !== undefined).slice(0, 3)
}

/** Columns of texts that are no ids. */
const textsOf = ({ columns }: SqlTable) =>
  columns.filter(({ name, path, type }) => type === 'text' && path !== '' && name !== '_id')

/** The type whose records are sampled. */
export const sampledTable = (tables: readonly SqlTable[]): SqlTable | undefined =>
  tables.find((table) => table.records > 0 && textsOf(table).length > 0)

function countExample(tables: readonly SqlTable[], sample: readonly TableRecord[]): Example | undefined {
  const table = sampledTable(tables)
  if (table === undefined) return undefined
  const column = textsOf(table).find((one) => isCategory(one, sample))
  if (column === undefined) return undefined
  return {
    title: `Count ${shownName(table.type)} by ${shownName(column.name)}`,
    sql: `SELECT ${quoted(column.name)}, count(*) AS records\nFROM ${quoted(table.name)}\nGROUP BY ALL ORDER BY 2 DESC`,
  }
}

/** True if the sampled records share a few short values. */
function isCategory({ path }: TableColumn, sample: readonly TableRecord[]): boolean {
  const values = sample.flatMap(({ data }) => {
    const value = isObject(data) ? own(data, propertyOf(path)) : undefined
    return typeof value === 'string' ? [value] : []
  })
  const different = new Set(values)
  const areShort = values.every((value) => value.length <= categoryMax)
  return areShort && different.size > 0 && different.size <= values.length / 2
}

const propertyOf = (path: string): string => path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')

function largestExample(tables: readonly SqlTable[]): Example | undefined {
  const numbersIn = ({ columns }: SqlTable) =>
    columns.filter(({ type }) => type === 'number' || type === 'integer')
  const ranked = (table: SqlTable) => numbersIn(table).find(({ name }) => !position.test(name))
  const table = tables.find((one) => ranked(one) !== undefined) ?? tables.find((one) => numbersIn(one)[0])
  const column = table && (ranked(table) ?? numbersIn(table)[0])
  if (table === undefined || column === undefined) return undefined
  const name = quoted(column.name)
  return {
    title: `Largest ${shownName(table.type)} by ${shownName(column.name)}`,
    sql: `SELECT ${tellingOf(table)}, ${name}\nFROM ${quoted(table.name)}\nORDER BY ${name} DESC NULLS LAST LIMIT 20`,
  }
}

function joinExample(tables: readonly SqlTable[]): Example | undefined {
  for (const table of tables)
    for (const { name, type, refersTo } of table.columns) {
      const other = tables.find((one) => one.type === refersTo)
      if (other === undefined || type !== 'text') continue
      return {
        title: `Count ${shownName(table.type)} by ${shownName(other.type)}`,
        sql: `SELECT ${tellingOf(other, 'b.')}, count(*) AS records\nFROM ${quoted(table.name)} a JOIN ${quoted(other.name)} b ON a.${quoted(name)} = b."_id"\nGROUP BY ALL ORDER BY 2 DESC LIMIT 20`,
      }
    }
  return undefined
}

function statisticExample(tables: readonly SqlTable[]): Example | undefined {
  for (const table of tables) {
    const column = table.columns.find(({ type }) => type === 'number' || type === 'integer')
    if (column === undefined) continue
    const name = quoted(column.name)
    return {
      title: `Statistics of ${shownName(column.name)}`,
      sql: `SELECT count(${name}), min(${name}), median(${name}), avg(${name}), max(${name})\nFROM ${quoted(table.name)}`,
    }
  }
  return undefined
}

const rowsExample = ({ type, name }: SqlTable): Example => ({
  title: `First rows of ${shownName(type)}`,
  sql: `SELECT *\nFROM ${quoted(name)}\nORDER BY "_id" LIMIT 10`,
})

/** A field of a table in SQL. With the name of the table where DuckDB would take the object for the table. */
export const fieldSql = (table: string, names: readonly string[]): string =>
  (names.length > 1 && names[0]!.toLowerCase() === table.toLowerCase() ? [table, ...names] : names)
    .map(quoted)
    .join('.')

/** Expression for the name of a record: its telling field or the first text in it, or the id. */
function tellingOf({ name, columns, telling }: SqlTable, prefix = ''): string {
  const column = telling === undefined ? undefined : columns.find(({ path }) => path === `/${telling}`)
  const member = column?.members?.find(({ type }) => type === 'text')
  if (column?.type === 'text') return `${prefix}${quoted(column.name)}`
  if (column !== undefined && member !== undefined)
    return `${prefix}${fieldSql(prefix === '' ? name : '', [column.name, member.name])} AS ${quoted(column.name)}`
  return `${prefix}"_id"`
}
