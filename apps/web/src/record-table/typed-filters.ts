/** Filters that visitors type: in the fields of a form, or as words of a search. */
import type { Operator, TableColumn } from '@ulmus/content'
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
  const [, field = '', sign = '', value = ''] =
    /^(.+?)\s*(!=|<=|>=|[=≠<≤>≥])\s*(.+)$/s.exec(q) ?? /^(.+?)\s+([a-z]+)(?:\s+(.*))?$/s.exec(q) ?? []
  const op = signs.get(sign) ?? sign
  const draft = { field, op, value: value.trim() }
  const filter = field === '' ? undefined : filterOf(withoutSeparators(draft, columns))
  return filter !== undefined && parsedQuery({ filter }, columns) !== undefined ? draft : undefined
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
