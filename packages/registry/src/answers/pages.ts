/**
 * Lists in pages: by limit and offset, or by a keyset cursor, with which a deep page costs no more than the first.
 * http-api §1 "Lists".
 *
 * A cursor is base64url of JCS(`[order, direction, value, id]`): the neighbour of the page, by what the list is sorted by and its id.
 */
import { canonicalize } from '@ulmus/content'
import { instantText, isInstant } from '../clock.ts'
import { RegistryError } from '../errors/errors.ts'

export const pageLimitUsual = 50
export const pageLimitMax = 100

/** Which page. `cursor` and an `offset` above 0 exclude each other. */
export interface PageAsk {
  /** Items at most: ≥ 1, default 50; more than 100 counts as 100. */
  limit?: number
  /** Items to pass over: ≥ 0, default 0. */
  offset?: number
  /** As a page before gave it. */
  cursor?: string
}

export interface Page<Item> {
  items: Item[]
  /** Query strings (without `?`) of the neighbouring pages, where there are any: `limit`, `offset` and `cursor` only. */
  links: { next?: string; prev?: string }
}

/** Position of a row in its list: the sort key, then the row's id, a UUID. */
export interface SortPosition {
  value: string | Date
  id: string
}

/** Slice to read for a page: one row more than it shows, to know whether there is another. */
export interface PageSlice {
  limit: number
  offset: number
  /** Only what comes after this place, or, `backwards`, before it, nearest first. */
  beyond?: SortPosition
  backwards: boolean
}

/** A slice that was not read to its end, since that is too much work for one answer. */
export interface Stopped<Row> {
  /** Fewer than requested; perhaps none. */
  rows: Row[]
  /** Position after which reading continues. */
  at: SortPosition
}

/** How a list is sorted. */
export interface PageOrder {
  /** A cursor of one order is refused in another. */
  name: string
  /** The value in a cursor; undefined: it is none of this kind. */
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
 * Reads a page and finds its neighbours.
 * @param read the rows of a slice, in its direction; a neighbour of a page that stopped begins where it did
 * @param placeOf the row's position in the list
 * @throws invalid_request when the cursor is none of this list
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
  // The page that the cursor came from is a neighbour, too.
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
 * Reads a page of a list without cursors, since its order depends on the request: neighbouring pages are given by offset.
 * @throws invalid_request for a cursor.
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
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Whether a text can be the id of a row at all. */
export const isUuid = (text: string): boolean => uuid.test(text)

const refused = (path: string, message: string): RegistryError =>
  new RegistryError('invalid_request', { details: { issues: [{ path, message }] } })
