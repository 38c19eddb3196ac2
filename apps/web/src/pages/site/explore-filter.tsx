/** Filter of `/explore`: its part of the URL, its values as links that remove them, and frequent values as links that add them. */
import { topicText } from '@ulmus/content'
import type { CollectionFacets } from '@ulmus/wire'
import { countText, cutText } from '../../format.ts'

const sizes = {
  small: 'Up to 1,000 records',
  medium: 'Up to 100,000 records',
  large: 'Over 100,000 records',
} as const

export interface ExploreFilter {
  readonly topic: readonly string[]
  readonly type: readonly string[]
  readonly license: string
  readonly size: keyof typeof sizes | ''
  readonly owner: string
}
type Kind = keyof ExploreFilter

const names: Record<Kind, string> = {
  topic: 'topic',
  type: 'type',
  license: 'licence',
  size: 'size',
  owner: 'owner',
}
const kinds = Object.keys(names) as Kind[]

/** Topics and types of a search, as in the API. */
const valuesMax = 5
/** Longer values are cut. Characters. */
const shownMax = 40

/** Distinct values of the query. A text that cannot be a topic is kept: it finds nothing. */
export function filterIn(query: URLSearchParams): ExploreFilter {
  const several = (name: string) => {
    const given = query.getAll(name).map((text) => text.trim().slice(0, 200))
    return [...new Set(given)].filter((text) => text !== '').slice(0, valuesMax)
  }
  const one = (name: string) => query.get(name)?.trim().slice(0, 200) ?? ''
  const size = one('size')
  return {
    topic: [...new Set(several('topic').map((text) => topicText(text) ?? text))],
    type: several('type'),
    license: one('license'),
    size: Object.hasOwn(sizes, size) ? (size as ExploreFilter['size']) : '',
    owner: one('owner'),
  }
}

/** The filter as the registry and its API have it. */
export const parametersOf = ({ topic, type, license, size, owner }: ExploreFilter) => ({
  ...(topic.length > 0 && { topic }),
  ...(type.length > 0 && { type }),
  ...(license !== '' && { license }),
  ...(size !== '' && { size }),
  ...(owner !== '' && { owner }),
})

interface Props {
  readonly filter: ExploreFilter
  /** Path of the page with another filter. */
  readonly to: (filter: ExploreFilter) => string
}

const labelOf = (kind: Kind, value: string): string =>
  kind === 'size' ? sizes[value as keyof typeof sizes] : cutText(value, shownMax)

const valuesOf = (filter: ExploreFilter, kind: Kind): readonly string[] =>
  [filter[kind]].flat().filter((value) => value !== '')

/** The filter without a value, or with it. */
const without = (filter: ExploreFilter, kind: Kind, value: string): ExploreFilter => ({
  ...filter,
  [kind]: kind === 'topic' || kind === 'type' ? filter[kind].filter((one) => one !== value) : '',
})
const having = (filter: ExploreFilter, kind: Kind, value: string): ExploreFilter => ({
  ...filter,
  [kind]: kind === 'topic' || kind === 'type' ? [...filter[kind], value] : value,
})

/** Values of the filter as links that remove them. */
export function Chosen({ filter, to }: Props) {
  const chosen = kinds.flatMap((kind) => valuesOf(filter, kind).map((value) => ({ kind, value })))
  if (chosen.length === 0) return null
  return (
    <ul class="chips" aria-label="Filter of the search">
      {chosen.map(({ kind, value }) => (
        <li key={`${kind}:${value}`}>
          <a class="chip" href={to(without(filter, kind, value))} rel="nofollow">
            <span class="sr-only">Remove {names[kind]} </span>
            <bdi>{labelOf(kind, value)}</bdi> <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Headings of the frequent values. */
const headings = { license: 'Licence', size: 'Size', type: 'Types', owner: 'Owner' } as const

/** Kinds that the filter does not have yet, with those of their values that make the list shorter. */
export function facetsToAdd({ facets, total }: CollectionFacets, filter: ExploreFilter) {
  return facets.flatMap(({ filter: kind, values }) => {
    if (kind !== 'type' && filter[kind] !== '') return []
    const ofKind = values.filter(({ value }) => !valuesOf(filter, kind).includes(value))
    const isUseful = ofKind.length > 1 || ofKind.some(({ count }) => count < total)
    const mayAdd = kind !== 'type' || filter.type.length < valuesMax
    return isUseful && mayAdd ? [{ kind, heading: headings[kind], values: ofKind }] : []
  })
}

interface FacetProps extends Props {
  readonly facets: CollectionFacets
}

/** Frequent values among the collections of the list, beside it. */
export const FacetPanel = (props: FacetProps) => (
  <aside class="facets" aria-label="Narrow the search">
    <FacetLists {...props} />
  </aside>
)

/** The same above the list, folded, where the window has no room beside it. */
export const FacetFold = (props: FacetProps) => (
  <details class="facet-fold">
    <summary>Narrow the search</summary>
    <div class="facets">
      <FacetLists {...props} />
    </div>
  </details>
)

const FacetLists = ({ filter, to, facets }: FacetProps) =>
  facetsToAdd(facets, filter).map(({ kind, heading, values }) => (
    <section key={kind}>
      <h2>{heading}</h2>
      <ul>
        {values.map(({ value, count }) => (
          <li key={value}>
            <a href={to(having(filter, kind, value))} rel="nofollow">
              <bdi>{labelOf(kind, value)}</bdi>
            </a>
            <span class="quiet number">
              {countText(count)}
              {facets.hasMore && '+'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  ))
