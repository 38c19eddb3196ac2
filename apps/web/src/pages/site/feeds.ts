/** Feeds: versions of a collection as Atom and as JSON Feed 1.1, of an account's public collections as Atom, other answers to a question. */
import type { VersionItem } from '@ulmus/wire'
import { seeCollection, type VisitedCollection } from '../../data/collection.ts'
import { questionFeedPath, questionPath } from '../../data/questions.ts'
import { counted, cutText } from '../../format.ts'
import { feedTypes, type Page, Plain, type Visit } from '../../page.ts'
import { accountFeeds, accountPath, collectionPath, versionPath } from '../../paths.ts'

/** Entries of a feed, the newest ones. */
const entriesMax = 50
/** Maximum length of a message or a description in a feed. Characters. */
const wordsMax = 1_000

interface Entry {
  /** Has the id of the collection, so it stays the same when the collection is renamed or transferred. */
  readonly id: string
  readonly title: string
  readonly published: string
  /** Time of publication or withdrawal. */
  readonly updated: string
  readonly author: string | undefined
  /** Path of its page. */
  readonly path: string
  readonly summary: string
}

interface Feed {
  readonly id: string
  readonly title: string
  readonly subtitle: string
  readonly author: string
  /** Path of the feed. */
  readonly self: string
  /** Path of its page. */
  readonly page: string
  /** Time of a feed without entries. */
  readonly since: string
  readonly entries: readonly Entry[]
}

export const feed: Page = {
  show: async (visit) => atom(visit, await ofCollection(visit, 'versions.atom')),
}

export const jsonFeed: Page = {
  show: async (visit) => json(visit, await ofCollection(visit, 'feed.json')),
}

/** When the answer to a saved question changed, as far as the visitor may know. */
export const questionFeed: Page = {
  async show(visit) {
    const seen = await seeCollection(visit)
    const { questions } = visit.registry
    const question = await questions.get(seen.who, seen, visit.params['question']!)
    const changes = await questions.changes(seen.who, seen, question.slug)
    const page = questionPath(seen, question)
    const id = `urn:uuid:${seen.id}:question:${question.slug}`
    return atom(visit, {
      ...{ id, title: question.name, author: seen.ownerName, page },
      subtitle: `Answers to a question about ${seen.owner}/${seen.slug}`,
      self: questionFeedPath(seen, question),
      since: question.createdAt,
      entries: changes.map(({ at, semver }) => ({
        id: `${id}:${at.toISOString()}`,
        title: `Another answer since ${semver}`,
        ...{ published: at.toISOString(), updated: at.toISOString(), author: undefined },
        path: page,
        summary: `${seen.owner}/${seen.slug} ${semver} has another answer to “${question.name}”.`,
      })),
    })
  },
}

/** The same for every visitor, so that private changes cannot show in it. */
export const accountFeed: Page = {
  async show(visit) {
    const owner = visit.params['owner']!
    const [profile, items] = await Promise.all([
      visit.registry.accounts.profile(owner),
      visit.registry.versions.newestPublic(visit.who, owner, entriesMax),
    ])
    return atom(visit, {
      id: `urn:uuid:${profile.id}`,
      title: profile.displayName,
      subtitle: `New versions of the public collections of ${profile.displayName}`,
      author: profile.displayName,
      self: accountFeeds(owner)[0]!.path,
      page: accountPath(owner),
      since: profile.createdAt,
      entries: items.map(({ collection: { id, slug }, ...item }) => {
        const entry = entryOf({ id, owner, slug }, item)
        return { ...entry, title: `${slug} ${entry.title}` }
      }),
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

function entryOf(
  { id, owner, slug }: Pick<VisitedCollection, 'id' | 'owner' | 'slug'>,
  item: VersionItem,
): Entry {
  const { semver, withdrawn, createdAt } = item
  const words = withdrawn === undefined ? item.message : `withdrawn: ${withdrawn.reason}`
  return {
    id: `urn:uuid:${id}:${semver}`,
    title: words === null ? semver : `${semver}: ${cutText(words, wordsMax)}`,
    published: createdAt,
    updated: withdrawn?.at ?? createdAt,
    author: item.actor?.displayName,
    path: versionPath({ owner, slug, version: semver }),
    summary: counted(item.recordCount, 'record'),
  }
}

function json({ origin }: Visit, { title, subtitle, author, self, page, entries }: Feed): Plain {
  const content = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: origin + page,
    feed_url: origin + self,
    description: subtitle,
    authors: [{ name: author }],
    items: entries.map((entry) => ({
      id: entry.id,
      url: origin + entry.path,
      title: entry.title,
      content_text: entry.summary,
      date_published: entry.published,
      ...(entry.updated !== entry.published && { date_modified: entry.updated }),
      ...(entry.author !== undefined && { authors: [{ name: entry.author }] }),
    })),
  }
  // A reader that takes the feed for HTML must find no markup in it.
  const text = JSON.stringify(content).replaceAll('<', '\\u003c')
  return new Plain(`${feedTypes['JSON Feed']}; charset=utf-8`, `${text}\n`)
}

function atom({ origin }: Visit, { id, title, subtitle, author, self, page, since, entries }: Feed): Plain {
  // A withdrawal may be later than the newest version. ISO times of one length sort as texts.
  const updated = entries.reduce((latest, entry) => (entry.updated > latest ? entry.updated : latest), since)
  return new Plain(
    `${feedTypes.Atom}; charset=utf-8`,
    `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${id}</id>
<title>${xml(title)}</title>
<subtitle>${xml(subtitle)}</subtitle>
<updated>${updated}</updated>
<author><name>${xml(author)}</name></author>
<link rel="self" type="${feedTypes.Atom}" href="${xml(origin + self)}"/>
<link rel="alternate" type="text/html" href="${xml(origin + page)}"/>
${entries.map((entry) => atomEntry(origin, entry)).join('')}</feed>
`,
  )
}

const atomEntry = (origin: string, { id, title, published, updated, author, path, summary }: Entry): string =>
  `<entry>
<id>${id}</id>
<title>${xml(title)}</title>
<published>${published}</published>
<updated>${updated}</updated>
${author === undefined ? '' : `<author><name>${xml(author)}</name></author>\n`}<link rel="alternate" type="text/html" href="${xml(origin + path)}"/>
<summary>${xml(summary)}</summary>
</entry>
`

const xmlSigns: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Escapes text for XML. Omits control characters, which XML cannot contain. */
const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"]/g, (sign) => xmlSigns[sign]!)
