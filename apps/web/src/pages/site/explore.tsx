/** `/explore`: search of public collections by words, owner and order. */
import { CollectionList } from '../../components/collections.tsx'
import { Empty, Pager } from '../../components/small.tsx'
import type { Page } from '../../page.ts'
import { withQuery } from '../../paths.ts'

const orders = { match: 'Best match', updated: 'Recently updated', created: 'Newest', name: 'Name' } as const
type Order = keyof typeof orders
/** Collections per page. */
const aPage = 20

export const explore: Page = {
  async show({ registry, url }) {
    const given = (name: string) => url.searchParams.get(name)?.slice(0, 200) ?? ''
    const [search, owner] = [given('q').trim(), given('owner')]
    const asked = given('sort') as Order
    const sort: Order = Object.hasOwn(orders, asked) ? asked : search === '' ? 'updated' : 'match'
    const ask = {
      limit: aPage,
      ...(search === '' ? {} : { search }),
      ...(owner === '' ? {} : { owner }),
      ...(sort === 'match' ? {} : { sort }),
      ...placeIn(url.searchParams),
    }
    const { items, links } = await registry.collections.browse(ask)
    const filter = { q: search, owner, sort: sort === asked ? sort : '' }
    const to = (link: string | undefined) =>
      link === undefined
        ? undefined
        : withQuery('/explore', { ...filter, ...Object.fromEntries(new URLSearchParams(link)) })
    return {
      title: search === '' ? 'Explore' : `${search} · Explore`,
      description: 'Public collections of this registry.',
      json: withQuery('/api/collections', { search, owner, sort: sort === 'match' ? '' : sort }),
      body: (
        <div class="wide content">
          <h1>Explore</h1>
          <Filter search={search} owner={owner} sort={sort} />
          {items.length === 0 ? (
            <Empty
              title={search === '' ? 'Nothing is public here yet.' : `No collection has “${search}” in it.`}
            >
              <p>
                Words are looked for at the beginnings of words in slugs, names, owners and descriptions.{' '}
                {(search !== '' || owner !== '') && <a href="/explore">Show all</a>}
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

function placeIn(query: URLSearchParams): { cursor?: string; offset?: number } {
  const cursor = query.get('cursor')
  const offset = Number(query.get('offset') ?? 0)
  if (cursor !== null) return { cursor }
  return Number.isSafeInteger(offset) && offset > 0 ? { offset } : {}
}

const Filter = ({ search, owner, sort }: { search: string; owner: string; sort: Order }) => (
  <form class="filter" action="/explore">
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
