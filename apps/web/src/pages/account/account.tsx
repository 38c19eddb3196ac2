/** `/:owner`: an account and its collections. */
import { RegistryError } from '@ulmus/registry'
import { CollectionList } from '../../components/collections.tsx'
import { Empty, FeedLinks, Icon, Name, Pager, Time } from '../../components/small.tsx'
import { counted } from '../../format.ts'
import type { Page, Visit } from '../../page.ts'
import { accountFeeds, accountPath, withQuery } from '../../paths.ts'
import { FirstSteps } from '../site/home.tsx'

export const account: Page = {
  async show(visit) {
    const { registry, who, params, url } = visit
    const slug = params['owner']!
    const profile = await registry.accounts.profile(slug)
    const cursor = url.searchParams.get('cursor')
    const list = await registry.collections.list(who, slug, {
      limit: 50,
      ...(cursor === null ? {} : { cursor }),
    })
    const isSelf = visit.caller?.accountSlug === slug
    const people = profile.type === 'org' ? await peopleOf(visit, slug) : undefined
    const to = (link: string | undefined) =>
      link === undefined
        ? undefined
        : withQuery(accountPath(slug), { cursor: new URLSearchParams(link).get('cursor') ?? '' })
    const mayCreate = isSelf || people !== undefined
    return {
      title: profile.displayName,
      description: `Collections of ${profile.displayName}.`,
      json: `/api/accounts/${slug}`,
      feeds: accountFeeds(slug),
      body: (
        <div class="wide content columns">
          <div>
            <div class="section-head">
              <h1>
                <Name of={profile.displayName} />
              </h1>
              {mayCreate && (
                <a class="button primary" href={withQuery('/new', { owner: slug })}>
                  <Icon name="plus" />
                  New collection
                </a>
              )}
            </div>
            {list.items.length > 0 && <CollectionList items={list.items} level="h2" />}
            {list.items.length === 0 && isSelf && <FirstSteps slug={slug} level="h2" />}
            {list.items.length === 0 && !isSelf && <NoCollections slug={slug} mayCreate={mayCreate} />}
            <Pager next={to(list.links.next)} prev={to(list.links.prev)} />
          </div>
          <aside>
            <h2>About</h2>
            <dl class="facts-list">
              <dt>Handle</dt>
              <dd>{slug}</dd>
              <dt>Kind</dt>
              <dd>{profile.type === 'org' ? 'Organization' : 'Person'}</dd>
              <dt>Since</dt>
              <dd>
                <Time at={profile.createdAt} />
              </dd>
            </dl>
            {people !== undefined && (
              <p>
                <Icon name="users" /> <a href={`${accountPath(slug)}/-/members`}>{people}</a>
              </p>
            )}
            <FeedLinks feeds={accountFeeds(slug)} />
            {isSelf && (
              <p>
                <a href="/settings">Settings</a>
              </p>
            )}
          </aside>
        </div>
      ),
    }
  },
}

/** Only members see all collections of an account. */
const NoCollections = ({ slug, mayCreate }: { slug: string; mayCreate: boolean }) =>
  mayCreate ? (
    <Empty title="No collections yet.">
      <p>
        <a class="button" href={withQuery('/new', { owner: slug })}>
          New collection
        </a>
      </p>
    </Empty>
  ) : (
    <Empty title="No collections that you can see" />
  )

/** Number of members of an organization as text; undefined for non-members. */
async function peopleOf({ registry, who, caller }: Visit, slug: string): Promise<string | undefined> {
  if (caller === undefined) return undefined
  try {
    const { items, links } = await registry.members.list(who, slug, { limit: 100 })
    const members = counted(items.length, 'member')
    return links.next === undefined ? members : `more than ${members}`
  } catch (error) {
    if (error instanceof RegistryError && error.kind === 'forbidden') return undefined
    throw error
  }
}
