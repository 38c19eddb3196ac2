/** `/explore`: search of public collections by words, topics, owner and order. */
import { topicText } from '@ulmus/content'
import { CollectionList } from '../../components/collections.tsx'
import { Empty, Pager } from '../../components/small.tsx'
import type { Page } from '../../page.ts'
import { withQuery } from '../../paths.ts'

const orders = { match: 'Best match', updated: 'Recently updated', created: 'Newest', name: 'Name' } as const
type Order = keyof typeof orders
/** Topics of a search, as in the API. */
const topicsMax = 5
/** Collections per page. */
const aPage = 20

export const explore: Page = {
  async show({ registry, url }) {
    const given = (name: string) => url.searchParams.get(name)?.slice(0, 200) ?? ''
    const [search, owner] = [given('q').trim(), given('owner')]
    const topics = topicsIn(url.searchParams)
    const asked = given('sort') as Order
    const sort: Order = Object.hasOwn(orders, asked) ? asked : search === '' ? 'updated' : 'match'
    const ask = {
      limit: aPage,
      ...(search === '' ? {} : { search }),
      ...(owner === '' ? {} : { owner }),
      ...(topics.length === 0 ? {} : { topic: topics }),
      ...(sort === 'match' ? {} : { sort }),
      ...placeIn(url.searchParams),
    }
    const { items, links } = await registry.collections.browse(ask)
    const filter = { q: search, topic: topics, owner, sort: sort === asked ? sort : '' }
    const to = (link: string | undefined) =>
      link === undefined
        ? undefined
        : withQuery('/explore', { ...filter, ...Object.fromEntries(new URLSearchParams(link)) })
    return {
      title: [search, ...topics, 'Explore'].filter((part) => part !== '').join(' · '),
      description: 'Public collections of this registry.',
      json: withQuery('/api/collections', {
        search,
        topic: topics,
        owner,
        sort: sort === 'match' ? '' : sort,
      }),
      body: (
        <div class="wide content">
          <h1>Explore</h1>
          <Filter search={search} topics={topics} owner={owner} sort={sort} />
          <Chosen topics={topics} without={(topic) => withQuery('/explore', { ...filter, topic })} />
          {items.length === 0 ? (
            <Empty title={emptyTitle(search, topics)}>
              <p>
                Words are looked for at the beginnings of words in addresses, names, owners, topics,
                descriptions and readmes, and in the names of types and fields.{' '}
                {(search !== '' || owner !== '' || topics.length > 0) && <a href="/explore">Show all</a>}
              </p>
            </Empty>
          ) : (
            <CollectionList items={items} level="h2" />
          )}
          <Pager next={to(links.next)} prev={to(links.prev)} />
        </div>
      ),
    }
  },
}

function emptyTitle(search: string, topics: readonly string[]): string {
  if (search !== '') return `No collection has “${search}” in it.`
  return topics.length === 0 ? 'Nothing is public here yet.' : 'No collection has these topics.'
}

/** Distinct topics of the query. A text that cannot be a topic is kept: it finds nothing. */
function topicsIn(query: URLSearchParams): string[] {
  const given = query.getAll('topic').map((text) => topicText(text) ?? text.trim().slice(0, 200))
  return [...new Set(given)].filter((topic) => topic !== '').slice(0, topicsMax)
}

function placeIn(query: URLSearchParams): { cursor?: string; offset?: number } {
  const cursor = query.get('cursor')
  const offset = Number(query.get('offset') ?? 0)
  if (cursor !== null) return { cursor }
  return Number.isSafeInteger(offset) && offset > 0 ? { offset } : {}
}

interface ChosenProps {
  readonly topics: readonly string[]
  /** Path of the page with these topics. */
  readonly without: (rest: readonly string[]) => string
}

/** Topics of the search as links that remove them. */
const Chosen = ({ topics, without }: ChosenProps) =>
  topics.length === 0 ? null : (
    <ul class="chips" aria-label="Topics of the search">
      {topics.map((topic, index) => (
        <li key={topic}>
          <a class="chip" href={without(topics.toSpliced(index, 1))} rel="nofollow">
            <span class="sr-only">Remove topic </span>
            <bdi>{topic}</bdi> <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
    </ul>
  )

interface FilterProps {
  readonly search: string
  readonly topics: readonly string[]
  readonly owner: string
  readonly sort: Order
}

const Filter = ({ search, topics, owner, sort }: FilterProps) => (
  <form class="filter" action="/explore">
    {topics.map((topic) => (
      <input key={topic} type="hidden" name="topic" value={topic} />
    ))}
    <label>
      Words
      <input type="search" name="q" value={search} maxLength={200} />
    </label>
    <label>
      Owner
      <input name="owner" value={owner} maxLength={39} spellcheck={false} autocomplete="off" />
    </label>
    <label>
      Order
      <select name="sort">
        {Object.entries(orders)
          .filter(([name]) => name !== 'match' || search !== '')
          .map(([name, label]) => (
            <option key={name} value={name} selected={name === sort}>
              {label}
            </option>
          ))}
      </select>
    </label>
    <button type="submit">Show</button>
  </form>
)
