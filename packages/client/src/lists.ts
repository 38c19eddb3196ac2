/** Paged lists, read by their `Link` header (RFC 8288). http-api §1. */
import { endless, versionOf } from './subject.ts'
import type { Call, Transport } from './transport.ts'

/** A page of a list, and a way to the next one. */
export interface Page<T> {
  readonly items: T[]
  /** Reads the next page; null on the last. */
  readonly next: (() => Promise<Page<T>>) | null
}

/** Options of every list. */
export interface PageOptions {
  /** At most 100. Default 50. */
  readonly limit?: number
  readonly offset?: number
}

/** Most pages of one list: more than any registry has, and an end for one that lies. */
const pagesMax = 100_000

/** Returns a function that accepts the cursors of a list. @throws UlmusError `wrong_answer` for one that repeats, and after too many */
export function onward(): (cursor: unknown) => void {
  const seen = new Set<string>()
  return (cursor) => {
    const text = JSON.stringify(cursor)
    if (seen.has(text) || seen.size >= pagesMax) throw endless(text)
    seen.add(text)
  }
}

/** Reads a page of a list. Uses only the query of the `next` link, so that no answer can direct the client elsewhere. */
export async function pageOf<T>(transport: Transport, request: Call, go = onward()): Promise<Page<T>> {
  const { body, headers } = await transport.json<T[]>(request)
  const query = nextQuery(headers.get('link'))
  if (query === null) return { items: body, next: null }
  const path = pinned(request.path, headers)
  go(query)
  return { items: body, next: () => pageOf<T>(transport, { ...request, path, query }, go) }
}

/** The path with the version that an answer was about in place of `latest`, so that later pages are of the same one. */
export const pinned = (path: string, headers: Headers): string =>
  path.replace('/versions/latest', `/versions/${versionOf(headers)}`)

/** All items of a list, with pages fetched on demand. */
export async function* everyItem<T>(first: Promise<Page<T>>): AsyncGenerator<T, void, undefined> {
  let page: Page<T> | null = await first
  while (page !== null) {
    yield* page.items
    page = page.next === null ? null : await page.next()
  }
}

/** Query of the `next` link in a `Link` header, or null if there is none. */
export function nextQuery(link: string | null): Record<string, string> | null {
  for (const [, target, parameters] of (link ?? '').matchAll(/<([^>]*)>((?:\s*;[^,<]*)*)/g)) {
    if (!/;\s*rel\s*=\s*"?(?:[^"]*\s)?next(?:\s[^"]*)?"?\s*(?:;|$)/i.test(parameters ?? '')) continue
    return Object.fromEntries(new URL(target ?? '', 'http://registry.invalid/').searchParams)
  }
  return null
}
