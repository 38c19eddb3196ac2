/** Values that a question without an answer may mean: as in the records, but written in another case. */
import type { QueryText, TableColumn } from '@ulmus/content'
import type { Facets } from '@ulmus/wire'
import { type VisitedCollection, versionOf } from '../../../data/collection.ts'
import { leniently, soon } from '../../../data/profiles.ts'
import { readJson, type Visit } from '../../../page.ts'
import { fieldText, filterText, parsedQuery } from '../../../record-table/address.ts'

/** Filters that are looked at. Each takes a question. */
const filtersMax = 2
/** Answers have the beginnings of longer values. Characters. */
const valueMax = 100

/** A filter in place of one that no record meets. */
export interface Meant {
  /** Number of the filter in the question. */
  readonly index: number
  readonly value: string
  /** The filter with this value. */
  readonly filter: string
  /** Records that match the question with it. */
  readonly count: number
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
        index,
        value: String(alike.value),
        filter: filterText(field, 'eq', String(alike.value)),
        count: alike.count,
      })
  }
  return found
}

const isAlike = (a: string, b: string): boolean => a !== b && a.toLowerCase() === b.toLowerCase()
