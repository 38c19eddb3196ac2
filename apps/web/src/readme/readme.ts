/**
 * Renders readmes of collections as HTML. Their authors are not trusted, so a separate process (`renderer.ts`) renders each text once, with
 * limits of time and memory: when a version is published, else for the first page that shows it. The registry caches the HTML by a hash of
 * the text. A page waits for it only briefly.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Registry } from '@ulmus/registry'
import { LRUCache } from 'lru-cache'
import { type CollectionName, ownFilesPath } from '../paths.ts'
import { type Rendered, Renderer } from './renderer.ts'

/** A longer readme is shown as plain text. Characters. */
export const readmeCharactersMax = 50_000
/** Longer plain text is cut. Characters. */
const plainCharactersMax = 200_000
/** Time that a page waits for a rendering. Milliseconds. */
const waitMilliseconds = 300
/** Size of the in-memory cache of rendered readmes. Characters. */
const keptCharactersMax = 4_000_000
/** Part of each hash. Increment it with every change of the output of `render.ts`. */
const revision = 1

export interface ReadmeSite {
  readonly registry: Pick<Registry, 'readmes'>
  /** True if readmes show images of other sites; else they are links. */
  readonly readmeImages: boolean
}

const renderer = new Renderer()
/** Running renderings by hash: readers of the same text share one. */
const underWay = new Map<string, Promise<Rendered>>()
const kept = new LRUCache<string, { html: string | null }>({
  maxSize: keptCharactersMax,
  sizeCalculation: ({ html }, hash) => (html?.length ?? 0) + hash.length,
})

/**
 * HTML of a readme; undefined if there is none. Returns plain text with a note if the readme cannot be rendered, or not in time.
 * @param readme `metadata.readme`, any JSON
 * @param wait in milliseconds
 */
export async function readmeOf(
  readme: unknown,
  collection: CollectionName,
  site: ReadmeSite,
  wait = waitMilliseconds,
): Promise<string | undefined> {
  if (typeof readme !== 'string' || readme.trim() === '') return undefined
  if (readme.length > readmeCharactersMax) return asPlainText(readme, notes.long)
  const waited = new AbortController()
  const html = await Promise.race([
    rendered(readme, collection.owner, site),
    sleep(wait, undefined, { signal: waited.signal }).catch(() => undefined),
  ])
  waited.abort()
  if (html === undefined) return asPlainText(readme, notes.pending)
  if (html === null) return asPlainText(readme, notes.costly)
  return html.replaceAll(ownFilesPath, `/api/collections/${collection.owner}/${collection.slug}/files/`)
}

/** Renders a readme before a page needs it. */
export function renderAhead(markdown: string, owner: string, site: ReadmeSite): void {
  if (markdown.trim() !== '' && markdown.length <= readmeCharactersMax) void rendered(markdown, owner, site)
}

/** Never rejects. */
async function rendered(markdown: string, owner: string, site: ReadmeSite): Promise<Rendered> {
  const { readmeImages } = site
  const hash = createHash('sha256').update(`${revision} ${readmeImages}\n${markdown}`).digest('base64url')
  const known = kept.get(hash)
  if (known !== undefined) return known.html
  const others = underWay.get(hash)
  if (others !== undefined) return others
  const own = findOrRender(hash, owner, { markdown, readmeImages }, site).catch(() => undefined)
  underWay.set(hash, own)
  const html = await own
  underWay.delete(hash)
  if (html !== undefined) kept.set(hash, { html })
  return html
}

async function findOrRender(
  hash: string,
  owner: string,
  task: Parameters<Renderer['render']>[1],
  { registry }: ReadmeSite,
): Promise<Rendered> {
  const stored = await registry.readmes.find(hash)
  if (stored !== undefined) return stored
  const html = await renderer.render(owner, task)
  if (html !== undefined) void registry.readmes.keep(hash, html)
  return html
}

const notes = {
  pending: 'Shown as plain text, because it is not rendered yet. Reload the page to see it rendered.',
  costly: 'Shown as plain text, because rendering it takes too long. Shorter tables and fewer links help.',
  long: `Shown as plain text, because it has more than ${readmeCharactersMax.toLocaleString('en')} characters.`,
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const asPlainText = (text: string, note: string): string => {
  const rendered = text.slice(0, plainCharactersMax).toWellFormed()
  return `<p class="quiet">${note}</p><pre class="plain-text">${rendered.replace(/[&<>]/g, (sign) => signs[sign]!)}</pre>`
}
