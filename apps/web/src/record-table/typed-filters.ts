/** Filters that visitors type: in the fields of a form, or as words of a search. */
import { likeFields, type Operator, operators, type TableColumn } from '@ulmus/content'
import { type Draft, parsedQuery, type Query, type RecordsAddress } from './address.ts'

/** The query with the filter of the form, or with the filter that was typed into its search: `people > 1,000`. */
export function completeQuery({ query, draft, columns }: RecordsAddress): Query {
  if (draft === undefined) return query
  const typed = draft.field === '' && draft.value === '' ? typedDraft(query.q, columns) : undefined
  const added = filterOf(withoutSeparators(typed ?? draft, columns))
  const rest = typed === undefined ? query : { ...query, q: '' }
  if (added === undefined || query.filter.includes(added)) return rest
  return { ...rest, filter: [...query.filter, added] }
}

/** Longer words are no filter. Characters. */
const typedMax = 1_000

const signs = new Map<string, Operator>([
  ['=', 'eq'],
  ['!=', 'ne'],
  ['≠', 'ne'],
  ['<', 'lt'],
  ['<=', 'le'],
  ['≤', 'le'],
  ['>', 'gt'],
  ['>=', 'ge'],
  ['≥', 'ge'],
])

/** A filter in the words of a search, with a sign or an operator; undefined if they are none, as for a column that is not there. */
function typedDraft(q: string, columns: readonly TableColumn[]): Draft | undefined {
  if (q.length > typedMax) return undefined
  const [, field = '', op = '', value = ''] = /^(.+?)\s+([a-z]+)(?:\s+(.*))?$/s.exec(q) ?? []
  const draft = signedDraft(q) ?? { field, op, value: value.trim() }
  const filter = draft.field === '' ? undefined : filterOf(withoutSeparators(draft, columns))
  return filter !== undefined && parsedQuery({ filter }, columns) !== undefined ? draft : undefined
}

/** `aera > 5`: words that are meant as a filter, whether or not there is such a field. */
export function signedDraft(q: string): Draft | undefined {
  if (q.length > typedMax) return undefined
  const [, field = '', sign = '', value = ''] = /^(.+?)\s*(!=|<=|>=|[=≠<≤>≥])\s*(.+)$/s.exec(q) ?? []
  const op = signs.get(sign)
  return op === undefined ? undefined : { field, op, value: value.trim() }
}

const operatorPattern = new RegExp(`\\s(${operators.join('|')})(?:\\s|$)`)

/** A filter of an address in its parts, whether or not it is right. */
export function draftOf(filter: string): Draft | undefined {
  const found = operatorPattern.exec(filter.slice(0, typedMax))
  if (found === null) return undefined
  const { 0: text, 1: op = '', index } = found
  return { field: filter.slice(0, index).trim(), op, value: filter.slice(index + text.length).trim() }
}

/** The address with numbers in filters as the API has them, although they were typed as the page shows them. */
export function withTypedNumbers(address: RecordsAddress): RecordsAddress {
  const { query, columns } = address
  const filter = query.filter.map((text) => {
    const draft = draftOf(text)
    const plain = draft && withoutSeparators(draft, columns)
    return plain === undefined || plain === draft ? text : filterOf(plain)!
  })
  return { ...address, query: { ...query, filter } }
}

/** Filters with a field of a like name in place of one that is not there. */
export function filtersLike(draft: Draft, columns: readonly TableColumn[]): [Draft, filter: string][] {
  const name = draft.field.replaceAll(/^"|"$/g, '')
  if (name === '' || parsedQuery({ columns: draft.field }, columns) !== undefined) return []
  return likeFields(name, columns).flatMap((field) => {
    const like = { ...draft, field }
    const filter = filterOf(withoutSeparators(like, columns))
    const isRight = filter !== undefined && parsedQuery({ filter }, columns) !== undefined
    return isRight ? [[like, filter] as [Draft, string]] : []
  })
}

/** Numbers can be typed as the page shows them: `1,000,000`. */
function withoutSeparators(draft: Draft, columns: readonly TableColumn[]): Draft {
  const { field, op, value } = draft
  if (op === 'in' || !/^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(value)) return draft
  const [column] = parsedQuery({ sort: field }, columns)?.sort ?? []
  const isNumber = column?.column.type === 'integer' || column?.column.type === 'number'
  return isNumber ? { ...draft, value: value.replaceAll(',', '') } : draft
}

/** A filter as the URL has it; undefined if the form was left empty. */
function filterOf({ field, op, value }: Draft): string | undefined {
  if (field === '' && value === '') return undefined
  if (op === 'null' || op === 'notnull') return `${field} ${op}`
  if (op !== 'in' || value === '' || value.startsWith('[')) return `${field} ${op} ${value}`.trimEnd()
  const values = value.split(',').map((one) => one.trim())
  return `${field} in ${JSON.stringify(values)}`
}
