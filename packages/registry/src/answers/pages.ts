/**
 * Paged lists, by limit and offset or by a keyset cursor, which makes a deep page as cheap as the first. http-api §1 "Lists".
 *
 * A cursor is base64url of JCS(`[order, direction, value, id]`): the sort value and id of the row at the edge of the page.
 */
import { canonicalize, parseJson } from '@ulmus/content'
import { instantText, isInstant } from '../clock.ts'
import { RegistryError } from '../errors/errors.ts'

/** Items of a page if the request names no limit. */
export const pageLimitUsual = 50
/** Maximum items of a page, as in docs/limits.md. */
export const pageLimitMax = 100

/** The requested page. `cursor` and an `offset` above 0 exclude each other. */
export interface PageAsk {
  /** Items at most: ≥ 1, default 50; larger values count as 100. */
  limit?: number
  /** Items to skip: ≥ 0, default 0. */
  offset?: number
  /** Cursor from the links of another page. */
  cursor?: string
}

export interface Page<Item> {
  items: Item[]
  /** Query strings (without `?`) of the neighbouring pages, if any: `limit`, `offset` and `cursor` only. */
  links: { next?: string; prev?: string }
}

/** Position of a row in its list: the sort key, then the row's id, a UUID. */
export interface SortPosition {
  value: string | Date
  id: string
}

/** Slice to read for a page: one row more than the page shows, to learn whether another page follows. */
export interface PageSlice {
  limit: number
  offset: number
  /** Only rows after this position, or, if `backwards`, before it, nearest first. */
  beyond?: SortPosition
  backwards: boolean
}

/** Part of a slice: reading all of it would be too much work for one answer. */
export interface Stopped<Row> {
  /** Fewer rows than requested; perhaps none. */
  rows: Row[]
  /** Position after which reading continues. */
  at: SortPosition
}

/** Sort order of a list. */
export interface PageOrder {
  /** Name in cursors; a cursor of another order is refused. */
  name: string
  /** Parses the sort value of a cursor; undefined if it is malformed. */
  read(text: string): string | Date | undefined
}

export const byInstant = (name: string): PageOrder => ({
  name,
  read: (text) => {
    const date = new Date(text)
    return isInstant(date) && instantText(date) === text ? date : undefined
  },
})

export const byText = (name: string): PageOrder => ({
  name,
  read: (text) => (text.isWellFormed() && !text.includes('\0') ? text : undefined),
})

/**
 * Reads a page and links to its neighbours.
 * @param read returns the rows of a slice, in its direction; if it stopped early, the neighbouring page begins there
 * @param placeOf the row's position in the list
 * @throws invalid_request if the cursor is not of this list
 */
export async function pageOf<Row>(
  ask: PageAsk,
  order: PageOrder,
  read: (slice: PageSlice) => Promise<Row[] | Stopped<Row>>,
  placeOf: (row: Row) => SortPosition,
): Promise<Page<Row>> {
  const limit = Math.min(ask.limit ?? pageLimitUsual, pageLimitMax)
  const offset = ask.offset ?? 0
  const cursor = ask.cursor === undefined ? undefined : readCursor(ask.cursor, order)
  if (cursor !== undefined && offset > 0) throw refused('offset', 'cannot be given together with `cursor`')
  const backwards = cursor?.direction === 'prev'
  const beyond = cursor && { value: cursor.value, id: cursor.id }
  const answered = await read({ limit: limit + 1, offset, beyond, backwards })
  const { rows, at } = Array.isArray(answered) ? { rows: answered, at: undefined } : answered
  const more = rows.length > limit || at !== undefined
  const items = rows.slice(0, limit)
  if (backwards) items.reverse()

  const placeAt = (row: Row | undefined): SortPosition | undefined => row && placeOf(row)
  const towards = (direction: Direction, place: SortPosition | undefined): string | undefined => {
    if (place === undefined) return undefined
    const { value, id } = place
    const text = canonicalize([
      order.name,
      direction,
      typeof value === 'string' ? value : value.toISOString(),
      id,
    ])
    return `limit=${limit}&cursor=${Buffer.from(text).toString('base64url')}`
  }
  const links: Page<Row>['links'] = {}
  // A backwards cursor implies a next page: the one that it came from.
  const next =
    more || backwards ? towards('next', (backwards ? undefined : at) ?? placeAt(items.at(-1))) : undefined
  if (next !== undefined) links.next = next
  const before = backwards ? more : cursor !== undefined
  const prev =
    offset > 0
      ? `limit=${limit}&offset=${Math.max(0, offset - limit)}`
      : before
        ? towards('prev', (backwards ? at : undefined) ?? placeAt(items[0]))
        : undefined
  if (prev !== undefined) links.prev = prev
  return { items, links }
}

/**
 * Reads a page of a list whose order depends on the request, so that cursors are impossible; links give offsets.
 * @throws invalid_request for a cursor
 */
export async function pageByOffset<Row>(
  ask: PageAsk,
  read: (slice: { limit: number; offset: number }) => Promise<Row[]>,
): Promise<Page<Row>> {
  if (ask.cursor !== undefined) throw refused('cursor', 'is not of this list, which is paged by `offset`')
  const limit = Math.min(ask.limit ?? pageLimitUsual, pageLimitMax)
  const offset = ask.offset ?? 0
  const rows = await read({ limit: limit + 1, offset })
  const at = (place: number) => `limit=${limit}&offset=${place}`
  const links: Page<Row>['links'] = {}
  if (rows.length > limit) links.next = at(offset + limit)
  if (offset > 0) links.prev = at(Math.max(0, offset - limit))
  return { items: rows.slice(0, limit), links }
}

/** The same page with its rows rendered. */
export const mapPage = <Row, Item>(page: Page<Row>, render: (row: Row) => Item): Page<Item> => ({
  items: page.items.map(render),
  links: page.links,
})

type Direction = 'next' | 'prev'

function readCursor(text: string, order: PageOrder): SortPosition & { direction: Direction } {
  const parts = parsed(text)
  if (parts !== undefined && parts.length === 4 && parts.every((part) => typeof part === 'string')) {
    const [name, direction, value, id] = parts as [string, string, string, string]
    const read = order.read(value)
    const known = direction === 'next' || direction === 'prev'
    if (name === order.name && known && read !== undefined && isUuid(id))
      return { direction, value: read, id }
  }
  throw refused('cursor', 'is not a cursor of this list; take it from the `Link` header of a page of it')
}

function parsed(text: string): unknown[] | undefined {
  try {
    const value: unknown = parseJson(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** True if the text has the form of a row's id. */
export const isUuid = (text: string): boolean => uuid.test(text)

const refused = (path: string, message: string): RegistryError =>
  new RegistryError('invalid_request', { details: { issues: [{ path, message }] } })
