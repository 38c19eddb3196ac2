/** Paged lists, read by their `Link` header (RFC 8288). http-api §1. */
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

/** Reads a page of a list. Uses only the query of the `next` link, so that no answer can direct the client elsewhere. */
export async function pageOf<T>(transport: Transport, request: Call): Promise<Page<T>> {
  const { body, headers } = await transport.json<T[]>(request)
  const query = nextQuery(headers.get('link'))
  return { items: body, next: query === null ? null : () => pageOf<T>(transport, { ...request, query }) }
}

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
