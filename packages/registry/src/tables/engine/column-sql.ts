/**
 * DuckDB's types and expressions for the columns of a table. Rows come from NDJSON lines of records, in two forms: `typed` reads `data` as
 * one STRUCT, which is fast; `json` extracts each property from JSON, for data that may be no object and for names that differ in case only.
 */
import {
  instantPattern,
  type JsonObject,
  type ScalarType,
  type TableColumn,
  valueCharactersMax,
} from '@ulmus/content'

/** The only table of a file. */
export const tableName = 'records'

export type ReadingForm = 'typed' | 'json'

/** @param columns without the id */
export const formFor = (schema: JsonObject, columns: readonly TableColumn[]): ReadingForm =>
  schema['type'] === 'object' && columns.every(({ name, path }) => path !== '' && name === lastOf(path))
    ? 'typed'
    : 'json'

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Column of the texts that searches read. */
export const searchColumn = '_search'

/**
 * A column of a publisher as it is stored: with a dot before its name, which no name of ours or DuckDB's has. Without it `value` was our
 * alias, `records` the table and `rowid` the order of rows.
 */
export const storedName = (name: string): string => quoted(`.${name}`)

/** A column as an expression: its names from the outside in. */
export const expressionOf = ([name, ...members]: readonly string[]): string =>
  [storedName(name!), ...members.map(quoted)].join('.')

const stored: Record<ScalarType | 'json', string> = {
  text: 'VARCHAR',
  number: 'DOUBLE',
  integer: 'BIGINT',
  boolean: 'BOOLEAN',
  'date-time': 'TIMESTAMPTZ',
  date: 'DATE',
  file: 'VARCHAR',
  json: 'JSON',
}

/** Integers are read as DOUBLE, which JSON has; texts of dates may be misfits. */
const read: Record<ScalarType | 'json', string> = {
  ...stored,
  integer: 'DOUBLE',
  'date-time': 'VARCHAR',
  date: 'VARCHAR',
  file: 'STRUCT("$file" VARCHAR)',
}

function typeOf({ type, items, members }: TableColumn, scalars: typeof stored): string {
  if (type === 'list') return `${scalars[items!]}[]`
  if (type !== 'object') return scalars[type]
  return `STRUCT(${members!.map((member) => `${quoted(member.name)} ${typeOf(member, scalars)}`).join(', ')})`
}

/** Type of a column in a table file. */
export const storedType = (column: TableColumn): string => typeOf(column, stored)

/**
 * Source of rows: an NDJSON file of records, all of one type, with `id` and the read value of each column, before it is converted. Each
 * value is extracted once: binding and optimising many expressions on `data` takes minutes with a thousand columns.
 * @param columns without the id
 */
export function rowsOf(path: string, columns: readonly TableColumn[], form: ReadingForm): string {
  const data =
    // Without columns if all properties are private.
    form === 'json' || columns.every((column) => column.path === '')
      ? 'JSON'
      : `STRUCT(${columns.map((column) => `${quoted(lastOf(column.path))} ${typeOf(column, read)}`).join(', ')})`
  const values = columns.map((column) => `${extracted(column, form)} AS ${storedName(column.name)}`)
  const rows = `SELECT ${['id', ...values].join(', ')}
    FROM read_ndjson(${literal(path)}, columns = {id: 'VARCHAR', data: ${literal(data)}}, maximum_object_size = 33554432)`
  if (form === 'typed') return `(${rows})`
  const parsed = columns.map((column) => `${ofJson(column)} AS ${storedName(column.name)}`)
  return `(SELECT ${['id', ...parsed].join(', ')} FROM (${rows}))`
}

const lastOf = (pointer: string): string =>
  pointer
    .slice(pointer.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')

function extracted({ path }: TableColumn, form: ReadingForm): string {
  if (path === '') return 'data'
  if (form === 'typed') return `data.${quoted(lastOf(path))}`
  const value = `json_extract(data, ${literal(path)})`
  // A number in a JSON Pointer would also name an item of a list.
  return /^\/\d+$/.test(path) ? `CASE WHEN json_type(data) = 'OBJECT' THEN ${value} END` : value
}

/** The read value of an extracted one. */
function ofJson(column: TableColumn): string {
  const value = storedName(column.name)
  const { type, path } = column
  if (path === '') return value
  switch (type) {
    case 'json':
      return `CASE WHEN json_type(${value}) <> 'NULL' THEN ${value} END`
    case 'text':
    case 'date':
    case 'date-time':
      return `CASE WHEN json_type(${value}) = 'VARCHAR' THEN json_extract_string(${value}, '$') END`
    case 'number':
    case 'integer':
      return `CASE WHEN json_type(${value}) IN ('BIGINT', 'UBIGINT', 'DOUBLE') THEN try_cast(${value} AS DOUBLE) END`
    case 'boolean':
      return `CASE WHEN json_type(${value}) = 'BOOLEAN' THEN try_cast(${value} AS BOOLEAN) END`
    default:
      return `json_transform(${value}, ${literal(JSON.stringify(structureOf(column)))})`
  }
}

/** The type of a column as `json_transform` takes it. */
function structureOf({ type, items, members }: TableColumn): unknown {
  if (type === 'list') return [items === 'file' ? { $file: 'VARCHAR' } : read[items!]]
  if (type === 'object')
    return Object.fromEntries(members!.map((member) => [member.name, structureOf(member)]))
  return type === 'file' ? { $file: 'VARCHAR' } : read[type]
}

/** The stored value of a column. Values that its type cannot represent become NULL. @param value an expression of the read type */
export function storedExpression(column: TableColumn, value: string): string {
  const { type, items, members } = column
  if (type === 'list') {
    if (read[items!] === stored[items!]) return value
    return `list_transform(${value}, lambda x: ${scalarExpression(items!, 'x')})`
  }
  if (type !== 'object') return scalarExpression(type, value)
  const packed = members!.map(
    (member) => `${quoted(member.name)} := ${storedExpression(member, `${value}.${quoted(member.name)}`)}`,
  )
  return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${packed.join(', ')}) END`
}

/** The years whose times have a spelling in RFC 3339. A zone may lead beyond them. */
const years = "BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999+00'"

function scalarExpression(type: ScalarType | 'json', value: string): string {
  switch (type) {
    case 'integer':
      return `CASE WHEN ${value} >= -9223372036854775808 AND ${value} < 9223372036854775808 THEN CAST(${value} AS BIGINT) END`
    case 'date':
      return `CASE WHEN regexp_full_match(${value}, '\\d{4}-\\d{2}-\\d{2}') AND NOT starts_with(${value}, '0000') THEN try_cast(${value} AS DATE) END`
    case 'date-time': {
      const time = `try_cast(upper(${value}) AS TIMESTAMPTZ)`
      return `CASE WHEN regexp_full_match(${value}, '${instantPattern}') AND NOT starts_with(${value}, '0000') AND ${time} ${years} THEN ${time} END`
    }
    case 'file':
      return `${value}."$file"`
    default:
      return value
  }
}

/** True if the column, or an item of its lists, may not be able to represent a value of its schema. */
export const isFallible = ({ type, items }: Pick<TableColumn, 'type' | 'items'>): boolean => {
  const own = type === 'list' ? items : type
  return own === 'integer' || own === 'date' || own === 'date-time'
}

/** Columns and members that hold values which may be misfits, with their read values. */
export function fallibleValues(columns: readonly TableColumn[]): { column: TableColumn; value: string }[] {
  const within = (column: TableColumn, value: string): { column: TableColumn; value: string }[] =>
    column.type === 'object'
      ? column.members!.flatMap((member) => within(member, `${value}.${quoted(member.name)}`))
      : isFallible(column)
        ? [{ column, value }]
        : []
  return columns.flatMap((column) => within(column, storedName(column.name)))
}

/** Number of values in all rows that the column cannot represent. @param value an expression of the read type */
export function misfitCount({ type, items }: TableColumn, value: string): string {
  const isLost = (type: ScalarType | 'json', one: string) =>
    `${one} IS NOT NULL AND ${scalarExpression(type, one)} IS NULL`
  if (type !== 'list') return `count(*) FILTER (${isLost(type as ScalarType, value)})`
  return `coalesce(sum(len(list_filter(${value}, lambda x: ${isLost(items!, 'x')}))), 0)`
}

/** Number of nulls in all rows of a column, and in its lists. @param value an expression of the stored type */
export const nullCount = ({ type }: TableColumn, value: string): string =>
  type === 'list'
    ? `coalesce(sum(len(list_filter(${value}, lambda x: x IS NULL))), 0)`
    : `count(*) - count(${value})`

/** Texts of a row, folded, one a line: what a search for words reads. Case and accents do not count. */
export function searchedExpression(columns: readonly TableColumn[]): string {
  const textsIn = (column: TableColumn, value: string): string[] => {
    if (column.type === 'object')
      return column.members!.flatMap((member) => textsIn(member, `${value}.${quoted(member.name)}`))
    if (column.type === 'list') return column.items === 'text' ? [`array_to_string(${value}, chr(10))`] : []
    if (column.type === 'json') return [`CAST(${value} AS VARCHAR)`]
    return column.type === 'text' ? [value] : []
  }
  const texts = columns.flatMap((column) => textsIn(column, storedName(column.name)))
  return folded(`concat_ws(chr(10), ${texts.join(', ')})`)
}

/**
 * The beginning of a value of a column, or of an item of its lists, for an answer. Whole values are compared and counted; the engine
 * sends no long ones.
 */
export function cutExpression(value: string, { type, items }: Pick<TableColumn, 'type' | 'items'>): string {
  const own = type === 'list' ? items : type
  if (own !== 'text' && own !== 'file' && own !== 'json') return value
  const text = own === 'json' ? `CAST(${value} AS VARCHAR)` : value
  return `CASE WHEN length(${text}) > ${valueCharactersMax} THEN left(${text}, ${valueCharactersMax}) || '…' ELSE ${text} END`
}

/** Letters that have no accent to strip, and the ones that people type for them. */
const alike = { from: 'øłđðħŧı', to: 'olddhti' }

/** The expression `text` without case and accents. Stripping them takes as long as all else, and ASCII has none. */
export const folded = (text: string): string =>
  `CASE WHEN strlen(${text}) = length(${text}) THEN lower(${text})
    ELSE translate(lower(strip_accents(${text})), '${alike.from}', '${alike.to}') END`
