import { describe, expect, test } from 'vitest'
import { byInstant, byText, type PageAsk, type PageSlice, pageOf, type SortPosition } from './pages.ts'

interface Row {
  at: Date
  id: string
}

const rows: Row[] = Array.from({ length: 23 }, (_, index) => ({
  // Groups of three share an instant, so the id decides.
  at: new Date(Date.UTC(2026, 0, 1) - Math.floor(index / 3) * 1000),
  id: `00000000-0000-0000-0000-0000000000${String(99 - index)}`,
}))
const placeOf = (row: Row): SortPosition => ({ value: row.at, id: row.id })
const rank = (place: SortPosition) => `${(place.value as Date).toISOString()} ${place.id}`

const list =
  (among: Row[]) =>
  async ({ limit, offset, beyond, backwards }: PageSlice): Promise<Row[]> => {
    const walked = backwards ? [...among].reverse() : among
    const after = walked.filter((row) => {
      if (beyond === undefined) return true
      return backwards ? rank(placeOf(row)) > rank(beyond) : rank(placeOf(row)) < rank(beyond)
    })
    return after.slice(offset, offset + limit)
  }
const read = (ask: PageAsk, among = rows) => pageOf(ask, byInstant('at'), list(among), placeOf)
const askOf = (query: string): PageAsk => {
  const { limit, offset, cursor } = Object.fromEntries(new URLSearchParams(query))
  return { limit: Number(limit), ...(offset && { offset: Number(offset) }), ...(cursor && { cursor }) }
}

describe('pages', () => {
  test('limit is 50 when not given, and more than 100 counts as 100', async () => {
    const asked: number[] = []
    const count = async (slice: PageSlice) => {
      asked.push(slice.limit - 1)
      return [] as Row[]
    }
    await pageOf({}, byInstant('at'), count, placeOf)
    await pageOf({ limit: 100 }, byInstant('at'), count, placeOf)
    await pageOf({ limit: 1_000_000 }, byInstant('at'), count, placeOf)
    expect(asked).toEqual([50, 100, 100])
  })

  test('`next` leads through the whole list, each item once, and ends', async () => {
    const seen: Row[] = []
    let pages = 0
    for (let query: string | undefined = 'limit=4'; query !== undefined; pages++) {
      const page = await read(askOf(query))
      seen.push(...page.items)
      query = page.links.next
    }
    expect(seen).toEqual(rows)
    expect(pages).toBe(6)
  })

  test('`prev` leads back the same way to the first page', async () => {
    const seen: Row[][] = []
    const last = await read({ limit: 4, offset: 20 })
    expect(last.links).toEqual({ prev: 'limit=4&offset=16' })
    let page = await read({ limit: 4 })
    while (page.links.next !== undefined) page = await read(askOf(page.links.next))
    for (let query = page.links.prev; query !== undefined; ) {
      const before = await read(askOf(query))
      seen.unshift(before.items)
      query = before.links.prev
    }
    expect(seen.flat()).toEqual(rows.slice(0, 20))
  })

  test('the first page has no `prev`, a page by offset has one by offset, an only page neither', async () => {
    expect((await read({ limit: 4 })).links).toEqual({
      next: expect.stringMatching(/^limit=4&cursor=[\w-]+$/),
    })
    expect((await read({ limit: 4, offset: 2 })).links.prev).toBe('limit=4&offset=0')
    expect((await read({}, rows.slice(0, 5))).links).toEqual({})
  })

  test('a row inserted before a cursor does not move the page behind it', async () => {
    const first = await read({ limit: 4 })
    const newest = { at: new Date(Date.UTC(2026, 5, 1)), id: '00000000-0000-0000-0000-000000000001' }
    const second = await read(askOf(first.links.next ?? ''), [newest, ...rows])
    expect(second.items).toEqual(rows.slice(4, 8))
  })

  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const id = rows[0]?.id
  test.each([
    ['no base64url', '%%%'],
    ['no JSON', Buffer.from('nonsense').toString('base64url')],
    ['no array', cursor({})],
    ['another order', cursor(['name', 'next', '2026-01-01T00:00:00.000Z', id])],
    ['no direction', cursor(['at', 'up', '2026-01-01T00:00:00.000Z', id])],
    ['no instant', cursor(['at', 'next', 'yesterday', id])],
    ['of a year before 1', cursor(['at', 'next', '0000-12-31T23:59:59.999Z', id])],
    ['of a year before 0', cursor(['at', 'next', '-000001-01-01T00:00:00.000Z', id])],
    ['of a year after 9999', cursor(['at', 'next', '+275760-09-13T00:00:00.000Z', id])],
    ['no id', cursor(['at', 'next', '2026-01-01T00:00:00.000Z', "1' or true"])],
    ['too short', cursor(['at', 'next'])],
  ])('a cursor that is %s is refused', async (_, text) => {
    const issues = [{ path: 'cursor', message: expect.any(String) }]
    await expect(read({ cursor: text })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { issues },
    })
  })

  test('a cursor and an offset together are refused', async () => {
    const { next } = (await read({ limit: 4 })).links
    await expect(read({ ...askOf(next ?? ''), offset: 1 })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('a cursor of texts that PostgreSQL cannot hold is refused', async () => {
    const text = cursor(['name', 'next', 'a\0b', id])
    await expect(pageOf({ cursor: text }, byText('name'), list(rows), placeOf)).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })
})
