/** Feeds of new versions: of a collection as Atom and as JSON Feed 1.1, of all collections of an account as Atom. */
import { type SeenCollection, seeCollection } from '../../data/collection.ts'
import { cutText } from '../../format.ts'
import { type Page, Plain, type Visit } from '../../page.ts'
import { accountPath, collectionPath, versionPath } from '../../paths.ts'

/** Entries of a feed, the newest ones. */
const entriesMax = 50
/** Maximum length of a message or a description in a feed. Characters. */
const wordsMax = 1_000

const xmlSigns: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Escapes text for XML. Omits control characters, which XML cannot contain. */
const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"]/g, (sign) => xmlSigns[sign]!)

interface Entry {
  readonly id: string
  readonly title: string
  readonly at: string
  /** Path of its page. */
  readonly path: string
  readonly summary: string
}

interface Feed {
  readonly id: string
  readonly title: string
  readonly subtitle: string
  readonly author: string
  /** Paths of the feed and of its page. */
  readonly self: string
  readonly page: string
  /** Time without entries. */
  readonly since: string
  readonly entries: readonly Entry[]
}

export const feed: Page = {
  show: async (visit) => atom(visit, await ofCollection(visit, 'versions.atom')),
}

export const jsonFeed: Page = {
  async show(visit) {
    const { title, subtitle, author, self, page, entries } = await ofCollection(visit, 'feed.json')
    const { origin } = visit
    // Without `<`, no reader that takes it for a page finds markup.
    return new Plain(
      'application/feed+json; charset=utf-8',
      `${JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        ...{ title, description: subtitle, home_page_url: origin + page, feed_url: origin + self },
        authors: [{ name: author }],
        items: entries.map((entry) => ({
          ...{ id: entry.id, url: origin + entry.path, title: entry.title },
          ...{ content_text: entry.summary, date_published: entry.at },
        })),
      }).replaceAll('<', '\\u003c')}\n`,
    )
  },
}

export const ownerFeed: Page = {
  async show(visit) {
    const slug = visit.params['owner']!
    const profile = await visit.registry.accounts.profile(slug)
    const ask = { kind: 'version.made', limit: entriesMax } as const
    const found = await visit.registry.events.newest(visit.who, slug, ask)
    return atom(visit, {
      id: `urn:uuid:${profile.id}`,
      title: profile.displayName,
      subtitle: `New versions of the collections of ${profile.displayName}.`,
      author: profile.displayName,
      self: `${accountPath(slug)}/-/feed.atom`,
      page: accountPath(slug),
      since: profile.createdAt,
      entries: found.map(({ at, collection, semver, bump }) => ({
        id: `urn:uuid:${collection.id}:${semver}`,
        title: `${collection.slug} ${semver}`,
        at,
        path: versionPath({ ...collection, version: semver! }),
        summary: `A ${bump} change`,
      })),
    })
  },
}

async function ofCollection(visit: Visit, name: string): Promise<Feed> {
  const seen = await seeCollection(visit)
  const { items } = await visit.registry.versions.list(seen.who, seen, { limit: entriesMax })
  return {
    id: `urn:uuid:${seen.id}`,
    title: `${seen.owner}/${seen.slug}`,
    subtitle: cutText(seen.description ?? seen.name, wordsMax),
    author: seen.ownerName,
    self: collectionPath(seen, name),
    page: collectionPath(seen, 'versions'),
    since: seen.createdAt,
    entries: items.map((item) => entryOf(seen, item)),
  }
}

interface Item {
  readonly semver: string
  readonly message: string | null
  readonly createdAt: string
  readonly recordCount: number
  readonly withdrawn?: { readonly at: string; readonly reason: string }
}

function entryOf(seen: SeenCollection, { semver, message, createdAt, recordCount, withdrawn }: Item): Entry {
  const words = withdrawn === undefined ? message : `withdrawn: ${withdrawn.reason}`
  return {
    id: `urn:uuid:${seen.id}:${semver}`,
    title: words === null ? semver : `${semver}: ${cutText(words, wordsMax)}`,
    at: withdrawn?.at ?? createdAt,
    path: versionPath({ ...seen, version: semver }),
    summary: `${recordCount} records`,
  }
}

const atom = ({ origin }: Visit, { id, title, subtitle, author, self, page, since, entries }: Feed): Plain =>
  new Plain(
    'application/atom+xml; charset=utf-8',
    `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${id}</id>
<title>${xml(title)}</title>
<subtitle>${xml(subtitle)}</subtitle>
<updated>${entries[0]?.at ?? since}</updated>
<author><name>${xml(author)}</name></author>
<link rel="self" href="${origin}${self}"/>
<link rel="alternate" href="${origin}${page}"/>
${entries.map((entry) => entryText(origin, entry)).join('\n')}
</feed>
`,
  )

const entryText = (origin: string, { id, title, at, path, summary }: Entry): string =>
  `<entry>
<id>${id}</id>
<title>${xml(title)}</title>
<updated>${at}</updated>
<link rel="alternate" href="${xml(origin + path)}"/>
<summary>${xml(summary)}</summary>
</entry>`
