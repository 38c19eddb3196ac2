/** Questions that one without an answer may mean: with a value in another case, or a field of a like name. */
import type { Operator, QueryText, TableColumn } from '@ulmus/content'
import type { Facets } from '@ulmus/wire'
import { type VisitedCollection, versionOf } from '../../../data/collection.ts'
import { leniently, soon } from '../../../data/profiles.ts'
import { readJson, type Visit } from '../../../page.ts'
import {
  type Draft,
  fieldText,
  filterText,
  parsedQuery,
  type Query,
  type RecordsAddress,
} from '../../../record-table/address.ts'
import { draftOf, filtersLike, signedDraft } from '../../../record-table/typed-filters.ts'
import { operatorLabels } from './question.tsx'

/** Filters that are looked at. Each takes a question. */
const filtersMax = 2
/** Answers have the beginnings of longer values. Characters. */
const valueMax = 100

export interface Meant {
  /** The other value or filter. */
  readonly text: string
  readonly change: Partial<Query>
  /** Records that match the question with it; undefined: not known. */
  readonly count?: number
}

/** A filter for people, right or wrong. */
export const draftText = ({ field, op, value }: Draft): string =>
  `${field} ${operatorLabels[op as Operator] ?? op} ${value}`.trim()

/** Other fields for the first filter whose field is not there, or for words such as `aera > 5`. */
export function fieldsMeant({ query, columns }: Pick<RecordsAddress, 'query' | 'columns'>): Meant[] {
  const { q, filter } = query
  const at = filter.findIndex((text) => parsedQuery({ filter: text }, columns) === undefined)
  const wrong = at < 0 ? signedDraft(q) : draftOf(filter[at]!)
  if (wrong === undefined) return []
  return filtersLike(wrong, columns).map(([draft, other]) => ({
    text: draftText(draft),
    change: at < 0 ? { q: '', filter: [...filter, other] } : { filter: filter.toSpliced(at, 1, other) },
  }))
}

interface Asked {
  readonly type: string
  readonly columns: readonly TableColumn[]
  readonly query: { readonly q: string; readonly filter: readonly string[] }
}

/** The most frequent such value of each filter. Asks only as far as the table answers soon. */
export async function readMeant(
  { registry: { tables } }: Visit,
  seen: VisitedCollection,
  { type, columns, query: { q, filter } }: Asked,
): Promise<readonly Meant[]> {
  const found: Meant[] = []
  const texts = filter.flatMap((text, index) => {
    const [one] = parsedQuery({ filter: text }, columns)?.filters ?? []
    const value = one?.values[0]
    if (one?.operator !== 'eq' || one.column.type !== 'text' || typeof value !== 'string') return []
    return value === '' || value.length > valueMax ? [] : [{ index, column: one.column, value }]
  })
  for (const { index, column, value } of texts.slice(0, filtersMax)) {
    const field = fieldText(column.names, columns)
    const like = [filterText(field, 'starts', value), filterText(field, 'ends', value)]
    const question: QueryText & { facet: string[] } = {
      q,
      filter: [...filter.toSpliced(index, 1), ...like],
      facet: [field],
    }
    const answer = await leniently(() =>
      soon(tables.facets(seen.who, { ...versionOf(seen), type }, question)),
    )
    if (answer === undefined || 'building' in answer) continue
    const [facet] = readJson<Facets>(answer).facets
    const alike = facet?.values.find((other) => isAlike(String(other.value), value))
    if (alike !== undefined)
      found.push({
        text: String(alike.value),
        change: { filter: filter.toSpliced(index, 1, filterText(field, 'eq', String(alike.value))) },
        count: alike.count,
      })
  }
  return found
}

const isAlike = (a: string, b: string): boolean => a !== b && a.toLowerCase() === b.toLowerCase()
