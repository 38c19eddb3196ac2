/** Files for programs: robots.txt, the site map, llms.txt, the icon, the manifest. */
import { RegistryError } from '@ulmus/registry'
import { type Page, Plain, type Visit } from '../../page.ts'
import { versionPath } from '../../paths.ts'

export const robots: Page = {
  show: async ({ origin }) =>
    new Plain(
      'text/plain; charset=utf-8',
      `User-agent: *
Disallow: /api/
Disallow: /auth/
Disallow: /settings
Disallow: /new
Disallow: /*/sql?
Allow: /

Sitemap: ${origin}/sitemap.xml
`,
    ),
}

/** Number of latest collections in the site map. The protocol allows 50,000 entries per file. */
const mappedMax = 5_000
/** Cache time of the site map, which takes many queries. Milliseconds. */
const mapKeptMilliseconds = 60_000

interface Mapped {
  readonly id: string
  /** Its XML element. */
  readonly text: string
}

/** Cached site maps by registry. */
const maps = new WeakMap<object, { readonly entries: Promise<Mapped[]>; readonly until: number }>()

export const siteMap: Page = {
  async show({ registry, origin }) {
    const kept = maps.get(registry)
    const isFresh = kept !== undefined && performance.now() < kept.until
    const entries = isFresh ? kept.entries : mapOf(registry, origin)
    if (!isFresh) {
      maps.set(registry, { entries, until: performance.now() + mapKeptMilliseconds })
      entries.catch(() => maps.delete(registry))
    }
    // Check visibility at each request, so that a collection that became private disappears at once.
    const shown = await registry.collections.stillPublic((await entries).map(({ id }) => id))
    const urls = (await entries).filter(({ id }) => shown.has(id)).map(({ text }) => text)
    return new Plain(
      'application/xml; charset=utf-8',
      `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`,
    )
  },
}

async function mapOf(registry: Visit['registry'], origin: string): Promise<Mapped[]> {
  const entries: Mapped[] = []
  let cursor: string | undefined
  do {
    const ask = { limit: 100, ...(cursor === undefined ? {} : { cursor }) }
    const { items, links } = await registry.collections.browse(ask)
    for (const { id, ownerSlug, slug, updatedAt } of items) {
      const at = `${origin}${versionPath({ owner: ownerSlug, slug })}`
      entries.push({ id, text: `<url><loc>${at}</loc><lastmod>${updatedAt}</lastmod></url>` })
    }
    cursor = new URLSearchParams(links.next ?? '').get('cursor') ?? undefined
  } while (cursor !== undefined && entries.length < mappedMax)
  return entries
}

export const llms: Page = {
  show: async ({ origin, site }) =>
    new Plain(
      'text/plain; charset=utf-8',
      `# ${site.name}

> A registry for versioned, structured data: collections of JSON records and files, each with immutable semver versions.

Everything public is read without a key. A collection is ${origin}/{owner}/{slug}; as JSON, ${origin}/api/collections/{owner}/{slug}.

- [Browse](${origin}/api/collections): JSON; \`?search=words\`, \`?topic=birds\`, \`?type=Bird\`, \`?license=MIT\`, \`?owner=slug\`, pages by the \`Link\` header
- [A version](${origin}/api/collections/{owner}/{slug}/versions/latest): its metadata, JSON Schemas, counts and digest
- [Its records](${origin}/api/collections/{owner}/{slug}/versions/latest/records.ndjson?type={type}): one JSON record a line
- [Questions](${origin}/api/collections/{owner}/{slug}/versions/latest/tables): \`tables/{type}/rows?filter=…&sort=…\`, facets, statistics, CSV, Parquet and SQL
- [Differences](${origin}/api/collections/{owner}/{slug}/versions/latest/diff?from=v1.0.0): what changed since a version
- [Events](${origin}/api/events?kind=version.made): new versions and other changes, by \`after\`; \`wait=30\` waits for the next
- Feeds of new versions: ${origin}/{owner}/{slug}/versions.atom, ${origin}/{owner}/{slug}/feed.json, and of an account ${origin}/{owner}/-/feed.atom
- [Webhooks](${origin}/docs/webhooks.md): a signed request to a server of yours for each of them

## Documentation

- [Reading](${origin}/docs/reading.md): records, differences and exports with curl, Python, R and SQL
- [Search, filter and SQL](${origin}/docs/queries.md): questions about the records of a type
- [Pushing](${origin}/docs/pushing.md): the first push, changes and files with curl
- [Nightly](${origin}/docs/nightly.md): a script that makes a collection equal to its source every night
- [Concepts](${origin}/docs/concepts.md): records, types, versions, what is private
- [Verifying](${origin}/docs/verifying.md): checking a record or a version without trusting the registry
- [Errors](${origin}/docs/errors.md): every error code and what to do about it
- [OpenAPI](${origin}/api/openapi.json): every call
`,
    ),
}

const leaf =
  'M12 1C5 5 3.4 10.4 5 15.4c.9 2.8 3.2 4.7 6.2 5.2V23h1.6v-3.4c3-.9 5.3-3 6-6.2C19.9 8.6 18 4.4 12 1z'

export const icon: Page = {
  show: async () =>
    new Plain(
      'image/svg+xml',
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#2f8f52" d="${leaf}"/></svg>\n`,
    ),
}

/** Days until a copy of `security.txt` is out of date; RFC 9116 wants less than a year. */
const securityDays = 180

/** RFC 9116, if the operator gave a contact. */
export const securityText: Page = {
  async show({ origin, site: { contact }, url }) {
    if (contact === undefined) throw new RegistryError('route_not_found', { say: { path: url.pathname } })
    const expires = new Date(Date.now() + securityDays * 86_400_000).toISOString()
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${expires}`,
      `Canonical: ${origin}/.well-known/security.txt`,
      'Preferred-Languages: en',
    ]
    return new Plain('text/plain; charset=utf-8', `${lines.join('\n')}\n`)
  },
}

export const manifest: Page = {
  show: async ({ site }) =>
    new Plain(
      'application/manifest+json',
      `${JSON.stringify({
        name: site.name,
        short_name: site.name,
        ...(site.color !== undefined && { theme_color: site.color }),
        start_url: '/',
        display: 'browser',
        icons: [{ src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' }],
      })}\n`,
    ),
}
