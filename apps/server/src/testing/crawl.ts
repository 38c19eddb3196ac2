/** Crawler for tests: follows links like a search engine, and also GET forms, feeds, and links in JSON that pages name. */
import type { TestClient, TestResponse } from './test-client.ts'

export interface Fetched extends TestResponse {
  /** Path and query. */
  readonly path: string
}

interface CrawlOptions {
  /** True if a link is followed. @param path with its query */
  isInside(path: string): boolean
  /** Called once for each page, with its response. */
  onPage(page: Fetched): void
}

/** Concurrent requests. */
const atOnce = 4
/** A longer crawl is a fault of the pages: their links generate ever new ones. */
const pagesMax = 5_000

/** @param client with an empty base. @returns the fetched pages by path */
export async function crawl(
  client: TestClient,
  starts: readonly string[],
  { isInside, onPage }: CrawlOptions,
): Promise<ReadonlyMap<string, Fetched>> {
  const fetched = new Map<string, Fetched>()
  const known = new Set(starts)
  const sent = new Set<string>()
  let queue = [...known]
  while (queue.length > 0) {
    const next = queue.splice(0, atOnce)
    const pages = await Promise.all(next.map(async (path) => ({ path, ...(await client.get(path)) })))
    for (const page of pages) {
      fetched.set(page.path, page)
      onPage(page)
      const links = [...linksOf(page), ...formsOf(page, sent)]
      const found = links.filter((path) => !known.has(path) && isInside(path))
      for (const path of found) known.add(path)
      queue = [...queue, ...new Set(found)]
    }
    if (fetched.size > pagesMax)
      throw new Error(`More than ${pagesMax} pages: ${[...known].slice(-20).join(' ')}`)
  }
  return fetched
}

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
const decoded = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (sign) => entities[sign]!)

/** All links of a response to the same server, as paths with queries. */
export function linksOf({ path, text, headers, status }: Fetched): string[] {
  const links: string[] = []
  if (typeof headers.location === 'string') links.push(headers.location)
  for (const [, link] of String(headers['link'] ?? '').matchAll(/<([^>]+)>/g)) links.push(link!)
  const type = String(headers['content-type'])
  if (status === 200 && /html|xml/.test(type)) {
    const attributes = text.matchAll(/\s(?:href|src|data-proof|data-worker)="([^"]*)"/g)
    for (const [, link] of attributes) links.push(decoded(link!))
    for (const [, link] of text.matchAll(/<loc>([^<]*)<\/loc>/g)) links.push(decoded(link!))
  }
  if (path === '/robots.txt') for (const [, link] of text.matchAll(/^Sitemap: (\S+)/gm)) links.push(link!)
  return links.flatMap((link) => pathOf(link, path))
}

/** Requests of a response's forms that are not in `sent` yet: the same fields with other values are the same form. */
function formsOf({ path, text, headers, status }: Fetched, sent: Set<string>): string[] {
  if (status !== 200 || !/html/.test(String(headers['content-type']))) return []
  const requests = formsIn(text, path).filter(({ name }) => !sent.has(name))
  for (const { name } of requests) sent.add(name)
  return requests.flatMap(({ links }) => links).flatMap((link) => pathOf(link, path))
}

/** Links to the server itself keep their path and query. Links to the public origin count as its own. */
function pathOf(link: string, from: string): string[] {
  const here = new URL(from, 'http://here')
  const url = URL.parse(link, here)
  if (url === null || !/^https?:$/.test(url.protocol)) return []
  const isOwn = url.hostname === 'here' || url.hostname === '127.0.0.1'
  return isOwn ? [`${url.pathname}${url.search}`] : []
}

/** Number of options tried for each choice. */
const choicesMax = 6

/** Requests of GET forms: with the preset texts, hidden fields and choices, then with each other choice of a list. */
function formsIn(html: string, here: string): { name: string; links: string[] }[] {
  return [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].flatMap(([, opening, inside]) => {
    if (/method="post"/.test(opening!)) return []
    const action = decoded(/action="([^"]*)"/.exec(opening!)?.[1] ?? here.split('?', 1)[0]!)
    const fields = [...inside!.matchAll(/<input([^>]*)>/g)].flatMap(([, field]): [string, string][] => {
      const name = attribute(field!, 'name')
      const isLeftOut = /type="(?:radio|checkbox)"/.test(field!) && !/\schecked/.test(field!)
      return name === undefined || isLeftOut ? [] : [[name, attribute(field!, 'value') ?? '']]
    })
    const lists = [...inside!.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)].flatMap(([, field, list]) => {
      const options = [...list!.matchAll(/<option([^>]*)>/g)].map(([, option]) => option!)
      const values = options.map((option) => attribute(option, 'value') ?? '')
      const chosen =
        values[
          Math.max(
            0,
            options.findIndex((option) => /\sselected/.test(option)),
          )
        ] ?? ''
      const name = attribute(field!, 'name')
      return name === undefined ? [] : [{ name, chosen, values: values.slice(0, choicesMax) }]
    })
    const usual = new URLSearchParams([...fields, ...lists.map(({ name, chosen }) => [name, chosen])])
    const others = lists.flatMap(({ name, values }) =>
      values.map((value) => {
        const other = new URLSearchParams(usual)
        other.set(name, value)
        return other
      }),
    )
    const links = [usual, ...others].map((query) => `${action}?${query}`)
    return [{ name: `${action} ${[...new Set(usual.keys())]}`, links }]
  })
}

/** A button that posts a form. */
export interface PostingButton {
  /** Absent: the path of the page. */
  readonly action: string | undefined
  /** Absent: it posts only the fields. */
  readonly name: string | undefined
  readonly value: string | undefined
  /** Names of the form's fields. */
  readonly fields: readonly string[]
}

/** All buttons of a page's POST forms. */
export const postingButtonsIn = (html: string): PostingButton[] =>
  [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].flatMap(([, opening, inside]) => {
    if (attribute(opening!, 'method') !== 'post') return []
    const named = [...inside!.matchAll(/<(?:input|select|textarea)([^>]*)>/g)]
    const fields = named.flatMap(([, field]) => attribute(field!, 'name') ?? [])
    return [...inside!.matchAll(/<button([^>]*)>/g)].map(([, button]) => ({
      action: attribute(opening!, 'action'),
      name: attribute(button!, 'name'),
      value: attribute(button!, 'value'),
      fields,
    }))
  })

const attribute = (tag: string, name: string): string | undefined => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : decoded(value)
}
