/** Questions in the URL of the records page, in the grammar of the API, and links to changed ones. docs/queries.md */
import {
  type FoundColumn,
  type JsonObject,
  type Operator,
  type PlainSchema,
  type QueryText,
  readTableQuery,
  type TableColumn,
  type TableQuery,
  tableColumns,
} from '@ulmus/content'
import type { SeenCollection } from '../../../data/collection.ts'
import { recordsAPage } from '../../../data/records.ts'
import { apiVersionPath, recordPath, versionPath, withQuery } from '../../../paths.ts'

/** Longer fields are in no form or link, since URLs are limited. Characters. */
export const fieldTextMax = 500

export interface Question {
  /** Words to search for. */
  readonly q: string
  readonly filter: readonly string[]
  /** Undefined: by id. */
  readonly sort: string | undefined
  readonly offset: number
}

/** A filter in the form. */
export interface Draft {
  /** A field as filters write it. */
  readonly field: string
  readonly op: string
  readonly value: string
}

/** The question of a visit. */
export interface Asked {
  readonly seen: SeenCollection
  readonly type: string
  /** Columns of the table. */
  readonly columns: readonly TableColumn[]
  /** Names of the fields that the page shows, as its URL has them; empty: the usual ones. */
  readonly shown: readonly string[]
  /** Without the filter of a form that was sent. */
  readonly question: Question
  /** Parsed `sort`; undefined if it is wrong. */
  readonly order: TableQuery['sort'] | undefined
  /** Filter of a form that was sent. */
  readonly draft: Draft | undefined
}

export function readAsked(
  seen: SeenCollection,
  type: string,
  schema: PlainSchema,
  query: URLSearchParams,
): Asked {
  const offset = Number(query.get('offset') ?? 0)
  const [field, op, value] = ['field', 'op', 'value'].map((name) => query.get(name)?.trim())
  const isSent = field !== undefined || op !== undefined || value !== undefined
  const columns = tableColumns(schema as JsonObject)
  const sort = query.get('sort') || undefined
  return {
    seen,
    type,
    columns,
    shown: query.getAll('columns'),
    question: {
      q: (query.get('q') ?? '').trim(),
      filter: query.getAll('filter').filter((filter) => filter.trim() !== ''),
      sort,
      offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
    },
    order: parsedQuestion({ sort }, columns)?.sort,
    draft: isSent ? { field: field ?? '', op: op ?? 'eq', value: value ?? '' } : undefined,
  }
}

export const noQuestion: Question = { q: '', filter: [], sort: undefined, offset: 0 }

/** The question with the filter of the form. */
export function completeQuestion({ question, draft }: Asked): Question {
  const added = draft && filterOf(draft)
  if (added === undefined || question.filter.includes(added)) return question
  return { ...question, filter: [...question.filter, added] }
}

/** A filter as the URL has it; undefined if the form was left empty. */
function filterOf({ field, op, value }: Draft): string | undefined {
  if (field === '' && value === '') return undefined
  if (op === 'null' || op === 'notnull') return `${field} ${op}`
  if (op !== 'in' || value === '' || value.startsWith('[')) return `${field} ${op} ${value}`.trimEnd()
  const values = value.split(',').map((one) => one.trim())
  return `${field} in ${JSON.stringify(values)}`
}

/** False: the page shows all records, by id. */
export const isQuestion = ({ q, filter, sort }: Question): boolean =>
  q !== '' || filter.length > 0 || sort !== undefined

/** Undefined for a question that is wrong. */
export function parsedQuestion(text: QueryText, columns: readonly TableColumn[]): TableQuery | undefined {
  try {
    return readTableQuery(text, columns)
  } catch {
    return undefined
  }
}

/** Path of the page with a changed question, from its first record on. */
export function pathTo({ seen, type, question, shown }: Asked, change: Partial<Question> = {}): string {
  const { offset, ...query } = { ...question, offset: 0, ...change }
  const page = { ...query, columns: shown, offset: offset === 0 ? undefined : offset }
  return seen.inView(withQuery(versionPath(seen, 'records', type), page))
}

/** Path of a record on the page, with its place in the result of a question. @param index on the page */
export function recordInResult({ seen, question, type }: Asked, id: string, index: number): string {
  const { offset, ...query } = question
  const path = recordPath(seen, type, id)
  const isRepeated = isQuestion(question) && !isLong(question)
  return seen.inView(isRepeated ? withQuery(path, { ...query, at: offset + index }) : path)
}

/** The question and the place of a record in its result, from the URL of the record's page. */
export function resultIn(query: URLSearchParams) {
  const question = {
    q: (query.get('q') ?? '').trim(),
    filter: query.getAll('filter'),
    sort: query.get('sort') || undefined,
  }
  const place = Number(query.get('at') ?? Number.NaN)
  const isPlace = Number.isSafeInteger(place) && place >= 0
  return isPlace && isQuestion({ ...question, offset: 0 }) ? { question, place } : undefined
}

/** Longer questions are repeated in no link of a cell, bar or value, of which a page has hundreds. Characters. */
const repeatedMax = 1_000

const isLong = ({ q, filter, sort = '' }: Question): boolean =>
  [q, ...filter, sort].join().length > repeatedMax

/**
 * Path of the page with other filters of a column: those that compare it give way. Undefined if the question is too long to be repeated
 * often.
 */
export function pathWith(
  asked: Asked,
  { text }: { text: string },
  filters: readonly string[],
): string | undefined {
  if (isLong(asked.question)) return undefined
  const others = asked.question.filter.filter((filter) => {
    const [found] = parsedQuestion({ filter }, asked.columns)?.filters ?? []
    return (
      found === undefined ||
      !replaced.has(found.operator) ||
      fieldText(found.column.names, asked.columns) !== text
    )
  })
  return pathTo(asked, { filter: [...others, ...filters] })
}

const replaced: ReadonlySet<Operator> = new Set(['eq', 'lt', 'le', 'gt', 'ge'])

/** A filter as questions write it. */
export const filterText = (field: string, operator: Operator, value: string): string =>
  `${field} ${operator} ${/^[\s"]|\s$|^$|[\r\n]/.test(value) ? JSON.stringify(value) : value}`

/** Hidden fields for a form, which replaces the query of the URL by its own fields. */
export function keptFields(
  { seen, question, shown }: Asked,
  names: readonly ('q' | 'filter' | 'sort' | 'columns')[],
): (readonly [name: string, value: string])[] {
  const all = { ...question, columns: shown }
  const kept = names.flatMap((name) => [all[name] ?? []].flat().map((value) => [name, value] as const))
  const view = seen.isMember && seen.view === 'public' ? [['view', 'public'] as const] : []
  return [...kept.filter(([, value]) => value !== ''), ...view]
}

/** Paths of the result as JSON and CSV, and of the whole table as Parquet. */
export function downloadsOf({ seen, type, question, shown, columns }: Asked) {
  const { offset, ...asked } = question
  const chosen = shown.filter((names) => parsedQuestion({ columns: names }, columns) !== undefined)
  const query = { ...asked, columns: chosen.length === 0 ? undefined : ['_id', ...chosen].join() }
  const path = (...below: string[]) => seen.inView(apiVersionPath(seen, 'tables', ...below))
  return {
    json: withQuery(path(type, 'rows'), {
      ...query,
      limit: recordsAPage,
      offset: offset === 0 ? undefined : offset,
    }),
    csv: withQuery(path(`${type}.csv`), query),
    parquet: path(`${type}.parquet`),
  }
}

/** Path of the column for a property of the schema's root. */
export const pathOf = (property: string): string => `/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Order of the page by a column, and the `sort` of the link in its header: ascending, then descending, then by id. */
export function orderBy({ names, type, path }: FoundColumn, { order, columns }: Asked) {
  const text = fieldText(names, columns)
  if (type === 'object' || type === 'list' || text.length > fieldTextMax) return undefined
  const [first] = order ?? []
  if (first?.column.path !== path) return { state: undefined, next: text }
  return first.isDescending
    ? ({ state: 'descending', next: undefined } as const)
    : ({ state: 'ascending', next: `-${text}` } as const)
}

/** A field as questions write it: `name.common`, or JSON strings with dots between them. */
export function fieldText(names: readonly string[], columns: readonly TableColumn[]): string {
  const text = names.join('.')
  const isTaken = names.length > 1 && columns.some(({ name }) => name === text)
  if (!isTaken && names.every((name) => /^[^\s",.-][^\s",.]*$/.test(name))) return text
  return names.map((name) => JSON.stringify(name)).join('.')
}

/** A field for people. */
export const fieldLabel = ({ names }: Pick<FoundColumn, 'names'>): string =>
  names.length === 1 && names[0] === '_id' ? 'id' : names.join('.')
