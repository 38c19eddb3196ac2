/** `/`: introduces the registry; signed-in users see their collections and new versions first. */
import type { CollectionItem, OwnInvitation } from '@ulmus/wire'
import { CollectionList } from '../../components/collections.tsx'
import { SampleForm } from '../../components/sample.tsx'
import { Code, Empty, Icon, Name, Pager, SavedNote } from '../../components/small.tsx'
import { grantWords } from '../../data/readers.ts'
import { ownText } from '../../data/saved.ts'
import { counted } from '../../format.ts'
import type { Page, Visit } from '../../page.ts'
import { accountPath, versionPath, withQuery } from '../../paths.ts'
import { type Change, ChangeNote, changesIn } from './home-changes.tsx'
import { Live, type LiveTable, liveTable } from './home-table.tsx'

/** Collections of the whole registry, and of the visitor: the live table follows within sight. */
const recentMax = 10
const mineMax = 5

export const home: Page = {
  async show(visit) {
    const recent = (await visit.registry.collections.browse({ limit: recentMax })).items
    return {
      title: 'Versioned, structured data',
      description: 'A registry for versioned, structured data: collections of JSON records and files.',
      json: '/api/collections',
      body:
        visit.caller === undefined ? (
          <Stranger recent={recent} live={await liveTable(visit, recent)} visit={visit} />
        ) : (
          await signedIn(visit, recent)
        ),
    }
  },
}

interface StrangerProps {
  readonly recent: readonly CollectionItem[]
  readonly live: LiveTable | undefined
  readonly visit: Visit
}

const Stranger = ({ recent, live, visit }: StrangerProps) => (
  <div class="wide content">
    <section class="hero">
      <h1>Version control for data</h1>
      <p>
        This registry keeps every version of structured data, so that you can browse its records, see what
        changed, cite a version, and check that what you got is what was published.
      </p>
      {live === undefined && <Example recent={recent} />}
      <p class="actions">
        <a class="button primary" href="/explore">
          Explore collections
        </a>
        <a class="button" href="/auth/login" rel="nofollow">
          Sign in to publish
        </a>
        <a href="/docs">How it works</a>
      </p>
    </section>
    {live !== undefined && <Live {...live} />}
    <Recent recent={recent} />
    <section>
      <h2>For programs</h2>
      <p>Each page has an address that programs can read, without a key for what is public.</p>
      <Code>{`curl -s '${visit.origin}/api/collections?limit=5'`}</Code>
    </section>
  </div>
)

/** Link to the records of the first collection that has some. */
function Example({ recent }: { recent: readonly CollectionItem[] }) {
  const example = recent.find(({ recordCount }) => recordCount !== null && recordCount > 0)
  if (example === undefined) return null
  const { ownerSlug: owner, slug, name, recordCount } = example
  return (
    <p>
      See for yourself:{' '}
      <a href={versionPath({ owner, slug }, 'records')}>{counted(recordCount!, 'record')}</a> of{' '}
      <Name of={name} />.
    </p>
  )
}

interface RecentProps {
  readonly recent: readonly CollectionItem[]
  /** Account that may load the sample from here, if any. */
  readonly owner?: string | undefined
}

const Recent = ({ recent, owner }: RecentProps) => (
  <section>
    <div class="section-head">
      <h2>Recently updated</h2>
      <a href="/explore">All collections</a>
    </div>
    {recent.length === 0 ? (
      <Empty title="Nothing is public here yet.">
        <p>
          <a href="/new">Publish the first collection</a>, or read{' '}
          <a href="/docs/publishing">how publishing works</a>.
        </p>
        {owner !== undefined && <SampleForm owner={owner} />}
      </Empty>
    ) : (
      <CollectionList items={recent} level="h3" />
    )}
  </section>
)

async function signedIn(visit: Visit, recent: readonly CollectionItem[]) {
  const { registry, who, caller } = visit
  const own = caller!.accountSlug
  const cursor = visit.url.searchParams.get('cursor') || undefined
  const [orgs, mine, invitations] = await Promise.all([
    registry.members.membershipsOf(who, { limit: 20 }),
    registry.collections.mine(who, { limit: mineMax, ...(cursor !== undefined && { cursor }) }),
    registry.invitations.own(who),
  ])
  const changes = await changesIn(visit, mine.items)
  const live = await liveTable(visit, recent)
  const listed = new Set(mine.items.map(({ id }) => id))
  const others = recent.filter(({ id }) => !listed.has(id))
  const owners = new Set([own, ...orgs.items.map(({ account }) => account.slug)])
  const isShared = ({ ownerSlug }: CollectionItem) => orgs.links.next === undefined && !owners.has(ownerSlug)
  const saved = ownText(visit.url)
  const isNew = cursor === undefined && orgs.items.length === 0 && mine.items.length === 0
  return (
    <div class="wide content columns">
      <div>
        {saved !== undefined && <SavedNote>{saved}</SavedNote>}
        {isNew ? <FirstSteps slug={own} level="h1" /> : <Mine {...{ own, mine, changes, isShared }} />}
        {live !== undefined && <Live {...live} />}
        {/* The first steps offer the sample, too. */}
        {(others.length > 0 || recent.length === 0) && (
          <Recent recent={others} owner={isNew ? undefined : own} />
        )}
      </div>
      <aside>
        {invitations.length > 0 && <Invitations invitations={invitations} />}
        <div class="section-head">
          <h2>Organizations</h2>
          <a href="/new/org">New</a>
        </div>
        {orgs.items.length === 0 ? (
          <p class="quiet">An organization owns collections together with others.</p>
        ) : (
          <ul class="plain">
            {orgs.items.map(({ account, role }) => (
              <li key={account.id}>
                <Icon name="users" />{' '}
                <a href={accountPath(account.slug)}>
                  <Name of={account.displayName} />
                </a>{' '}
                <span class="quiet">{role}</span>
              </li>
            ))}
          </ul>
        )}
      </aside>
    </div>
  )
}

const Invitations = ({ invitations }: { invitations: readonly OwnInvitation[] }) => (
  <section>
    <h2>Invitations</h2>
    <ul class="plain">
      {invitations.map(({ id, org, role, collection }) => (
        <li key={id}>
          <a href={`/invitations/${id}`}>
            Join{' '}
            {collection === null ? <Name of={org.displayName} /> : `${collection.owner}/${collection.slug}`}
          </a>{' '}
          <span class="quiet">
            {collection === null ? `as ${role}` : `to ${grantWords[collection.grant]}`}
          </span>
        </li>
      ))}
    </ul>
  </section>
)

interface MineProps {
  readonly own: string
  readonly mine: Awaited<ReturnType<Visit['registry']['collections']['mine']>>
  readonly changes: ReadonlyMap<string, Change>
  /** True for a collection on which the visitor is a collaborator. */
  isShared(item: CollectionItem): boolean
}

function Mine({ own, mine: { items, links }, changes, isShared }: MineProps) {
  const noteOf = (item: CollectionItem) => {
    const change = changes.get(item.id)
    return (
      <>
        {isShared(item) && <p class="facts">Shared by {item.ownerSlug}: you are a collaborator.</p>}
        {change && <ChangeNote {...change} />}
      </>
    )
  }
  return (
    <section>
      <div class="section-head">
        <h1>Your collections</h1>
        <a class="button primary" href="/new">
          <Icon name="plus" />
          New collection
        </a>
      </div>
      {items.length === 0 ? (
        <Empty title="Neither you nor your organizations have a collection yet.">
          <p>
            <a href="/new">Create one</a>.
          </p>
        </Empty>
      ) : (
        <CollectionList items={items} level="h2" note={noteOf} />
      )}
      {/* Shared ones are on no other page of the visitor. */}
      <Pager next={pathOf(links.next)} prev={pathOf(links.prev)} />
      {links.next !== undefined && (
        <p>
          <a href={accountPath(own)}>All collections of {own}</a>
        </p>
      )}
    </section>
  )
}

/** Page of the list. @param link of the answer of the registry */
const pathOf = (link: string | undefined): string | undefined =>
  link && withQuery('/', { cursor: new URLSearchParams(link).get('cursor') ?? '' })

/** First steps for new users. @param level of the heading: `h2` if the page has a heading of its own */
export const FirstSteps = ({ slug, level: Heading }: { slug: string; level: 'h1' | 'h2' }) => (
  <section class="steps">
    <Heading>Welcome, {slug}</Heading>
    <p>Three steps to your first published version:</p>
    <ol>
      <li>
        <a href="/new">Create a collection</a>. It is private until you say otherwise.
      </li>
      <li>
        Publish records in it: <a href="/new">from a file</a> in the browser, or from a program with an{' '}
        <a href="/settings/keys">API key</a>.
      </li>
      <li>
        Look at it, mark what is private, and make it public in its settings.{' '}
        <a href="/docs/publishing">Publishing</a> explains the rest.
      </li>
    </ol>
    <SampleForm owner={slug} />
  </section>
)
