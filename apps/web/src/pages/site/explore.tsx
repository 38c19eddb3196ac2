/** `/explore`: search of public collections by words and a filter, in an order, and of their records. */
import { CollectionList } from '../../components/collections.tsx'
import { Empty, Pager } from '../../components/small.tsx'
import { countText } from '../../format.ts'
import type { Page } from '../../page.ts'
import { withQuery } from '../../paths.ts'
import {
  Chosen,
  type ExploreFilter,
  FacetFold,
  FacetPanel,
  facetsToAdd,
  filterIn,
  parametersOf,
} from './explore-filter.tsx'
import { FoundRecords, isSearching, searchRecords } from './explore-records.tsx'

const orders = { match: 'Best match', updated: 'Recently updated', created: 'Newest', name: 'Name' } as const
type Order = keyof typeof orders
/** Collections per page. */
const aPage = 20
/** Shorter words are in too many records. Characters. */
const recordWordsMin = 3

export const explore: Page = {
  async show(visit) {
    const { registry, url } = visit
    const search = url.searchParams.get('q')?.slice(0, 200).trim() ?? ''
    const filter = filterIn(url.searchParams)
    const chosen = url.searchParams.get('sort') as Order
    const sort: Order = Object.hasOwn(orders, chosen) ? chosen : search === '' ? 'updated' : 'match'
    const order = sort === 'match' ? {} : { sort }
    const parameters = { ...(search !== '' && { search }), ...parametersOf(filter) }
    const isExact = url.searchParams.get('exact') === '1'
    const { items, links, instead } = await registry.collections.browse({
      ...{ ...parameters, ...order, similar: !isExact, limit: aPage },
      ...placeIn(url.searchParams),
    })
    const facets = await registry.collections.facets({ ...parameters, ...(instead && { search: instead }) })
    const to = (wanted: ExploreFilter, link?: string) =>
      withQuery('/explore', {
        q: search,
        ...wanted,
        sort: sort === chosen ? sort : '',
        exact: isExact ? '1' : '',
        ...Object.fromEntries(new URLSearchParams(link)),
      })
    const isFirst = Object.keys(placeIn(url.searchParams)).length === 0
    const mayAsk = search.length >= recordWordsMin && registry.tables.isAvailable && isFirst
    const isAsked = url.searchParams.get('records') === '1' || items.length === 0 || instead !== undefined
    const found = mayAsk && isAsked ? await searchRecords(visit, search) : undefined
    const further = (link: string | undefined) => link && to(filter, link)
    const isFiltered = Object.keys(parametersOf(filter)).length > 0
    const hasFacets = facetsToAdd(facets, filter).length > 0
    return {
      title: [search, ...filter.topic, ...filter.type, 'Explore'].filter((part) => part !== '').join(' · '),
      description: 'Public collections of this registry.',
      json: withQuery('/api/collections', { ...parameters, ...order }),
      isPartial: found !== undefined && isSearching(found),
      body: (
        <div class="wide content explore">
          <h1>Explore</h1>
          <Form search={search} filter={filter} sort={sort} />
          <Chosen filter={filter} to={to} />
          <div class={hasFacets ? 'with-facets' : undefined}>
            <div>
              {hasFacets && <FacetFold filter={filter} to={to} facets={facets} />}
              {found !== undefined && <FoundRecords found={found} words={search} />}
              {items.length === 0 &&
              found !== undefined &&
              (found.hits.length > 0 || isSearching(found)) ? null : items.length === 0 ? (
                <Empty title={emptyTitle(search, filter)}>
                  <p>
                    A search finds the beginnings of words in addresses, names, owners, topics, descriptions
                    and readmes, and in the names of types and columns.{' '}
                    {(search !== '' || isFiltered) && <a href="/explore">Show all</a>}
                  </p>
                </Empty>
              ) : (
                <>
                  {instead !== undefined && (
                    <p class="note">
                      No collection has “<bdi>{search}</bdi>”. Showing results for “<bdi>{instead}</bdi>”.{' '}
                      <a href={withQuery(to(filter), { exact: '1' })} rel="nofollow">
                        Search for exactly “<bdi>{search}</bdi>”
                      </a>
                    </p>
                  )}
                  <p class="facts">
                    <span>
                      {countText(facets.total)}
                      {facets.hasMore && '+'} {facets.total === 1 ? 'collection' : 'collections'}
                    </span>
                    {mayAsk && !isAsked && (
                      <a href={withQuery(to(filter), { records: '1' })} rel="nofollow">
                        Search records, too
                      </a>
                    )}
                  </p>
                  <CollectionList items={items} level="h2" />
                </>
              )}
              <Pager next={further(links.next)} prev={further(links.prev)} />
            </div>
            {hasFacets && <FacetPanel filter={filter} to={to} facets={facets} />}
          </div>
        </div>
      ),
    }
  },
}

function emptyTitle(search: string, filter: ExploreFilter): string {
  if (search !== '') return `No collection has “${search}” in it.`
  const { topic, ...others } = parametersOf(filter)
  if (Object.keys(others).length > 0) return 'No collection has all of these.'
  return topic === undefined ? 'Nothing is public here yet.' : 'No collection has these topics.'
}

function placeIn(query: URLSearchParams): { cursor?: string; offset?: number } {
  const cursor = query.get('cursor')
  const offset = Number(query.get('offset') ?? 0)
  if (cursor !== null) return { cursor }
  return Number.isSafeInteger(offset) && offset > 0 ? { offset } : {}
}

interface FormProps {
  readonly search: string
  readonly filter: ExploreFilter
  readonly sort: Order
}

const Form = ({ search, filter, sort }: FormProps) => (
  <form class="filter" action="/explore">
    {Object.entries(filter).flatMap(([name, values]) =>
      [values]
        .flat()
        .filter((value) => value !== '')
        .map((value) => <input key={`${name}:${value}`} type="hidden" name={name} value={value} />),
    )}
    <label>
      Search
      <input type="search" name="q" value={search} maxLength={200} autocomplete="off" data-suggest />
    </label>
    <label>
      Order
      <select name="sort">
        {Object.entries(orders)
          .filter(([name]) => name !== 'match' || search !== '')
          .map(([name, label]) => (
            // Without words, the first order is the default: it must not outlast the words that a reader enters now.
            <option
              key={name}
              value={search === '' && name === 'updated' ? '' : name}
              selected={name === sort}
            >
              {label}
            </option>
          ))}
      </select>
    </label>
    <button type="submit">Search</button>
  </form>
)
