/** Charts of the records that match: what their numbers are, in the view of the caller, without JavaScript. */
import { countText } from '@ulmus/content/quantities'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoded } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { testClient } from '../testing/test-client.ts'

const lands = ['NOR', 'SWE', 'FIN']
const towns = Array.from({ length: 60 }, (_, n) => ({
  land: lands[n % 3]!,
  people: n * 1_000,
  founded: `${1900 + n}-06-15`,
  opened: `2026-01-01T${String(n % 24).padStart(2, '0')}:30:00Z`,
  coast: n % 4 === 0,
  tags: n % 2 === 0 ? ['a', 'b'] : ['b'],
  secret: n < 40 ? 'hush' : 'hidden thing',
}))
const hidden = { land: 'NOR', people: 900_000, founded: '1850-01-01' }

describe.each(anyDatabase)('charts of records on $name', (database) => {
  let stage: Stage
  let cookie: string
  let at: string

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    cookie = (await stage.server.signIn('ada')).cookie
    const { path } = await stage.newCollection()
    const properties = {
      land: { type: 'string', 'x-ref-type': 'Land' },
      people: { type: 'integer' },
      founded: { type: 'string', format: 'date' },
      opened: { type: 'string', format: 'date-time' },
      coast: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      secret: { type: 'string', private: true },
    }
    await stage.push(path, {
      opening: {
        schemas: {
          Town: { properties },
          Land: { properties: { name: { type: 'string' } } },
          Stop: {
            properties: {
              ...{ area: { type: 'string' }, band: { type: 'string' }, kind: { type: 'string' } },
              near: { type: 'number' },
            },
          },
        },
      },
      puts: [
        ...Array.from({ length: 12 }, (_, n) => ({
          id: `s${n}`,
          type: 'Stop',
          data: {
            area: n < 6 ? 'north' : 'south',
            band: n < 6 ? 'A' : 'B',
            kind: n % 2 ? 'bus' : 'tram',
            near: 1 + (n % 2) * Number.EPSILON,
          },
        })),
        ...towns.map((data, n) => ({ id: `t${n}`, type: 'Town', data })),
        { id: 'hidden', type: 'Town', data: hidden, private: true },
        { id: 'NOR', type: 'Land', data: { name: 'Norway' } },
        { id: 'SWE', type: 'Land', data: { name: 'Hushland' }, private: true },
      ],
    })
    at = `${path.replace('/collections', '')}/records/Town`
    for (const client of [stage.ada, stage.anyone])
      for (const type of ['Town', 'Land', 'Stop'])
        while ((await client.get(`${path}/versions/latest/tables/${type}/statistics`)).status === 202);
  })
  afterAll(() => stage.end())

  const page = async (query: Record<string, string>, as?: string, type = 'Town') => {
    const path = `${at.replace(/Town$/, type)}?${new URLSearchParams({ view: 'chart', ...query })}`
    const { status, text } = await testClient(stage.server.url, as ? { cookie: as } : undefined, '').get(path)
    expect(status).toBe(200)
    return text
  }
  /** Rows of the table of numbers, which has those of the drawing. */
  const numbersIn = (html: string) => {
    const [, table = ''] = /<details class="numbers">.*?<tbody>(.*?)<\/tbody>/s.exec(html) ?? []
    return [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
      [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
        decoded(cell!.replaceAll(/<[^>]*>/g, '')),
      ),
    )
  }
  const numbers = async (query: Record<string, string>, as?: string) => numbersIn(await page(query, as))
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)

  test('names make bars, the largest first, of what matches', async () => {
    expect(await numbers({ x: 'land' })).toEqual([
      ['FIN', '20'],
      ['Norway', '20'],
      ['SWE', '20'],
    ])
    const peopleOf = (land: string) => towns.filter((town) => town.land === land).map(({ people }) => people)
    const sums = lands.map((land) => [land === 'NOR' ? 'Norway' : land, sum(peopleOf(land))] as const)
    expect(await numbers({ x: 'land', y: 'sum:people' })).toEqual(
      sums.toSorted(([, a], [, b]) => b - a).map(([land, people]) => [land, countText(people)]),
    )
    const filtered = await page({ x: 'land', filter: 'people ge 50000' })
    expect(sum(numbersIn(filtered).map(([, count]) => Number(count)))).toBe(10)
    expect(filtered).toContain('<strong>10 of 60 records</strong>')
    // Items of lists count one by one.
    expect(await numbers({ x: 'tags' })).toEqual([
      ['b', '60'],
      ['a', '30'],
    ])
    for (const [measure, value] of Object.entries({ mean: 30_500, median: 30_500, min: 2_000, max: 59_000 }))
      expect((await numbers({ x: 'land', y: `${measure}:people` }))[0]).toEqual(['FIN', countText(value)])
  })

  test('names with series begin with the largest total of what is measured', async () => {
    const html = await page({ x: 'land', y: 'sum:people', by: 'coast' })
    const order = [...new Set(numbersIn(html).map(([land]) => land))]
    expect(order).toEqual((await numbers({ x: 'land', y: 'sum:people' })).map(([land]) => land))
    expect(order).toEqual(['FIN', 'SWE', 'Norway'])
    expect(html).toMatch(/<figcaption>.*Sum of people.*by <bdi>land<\/bdi> and <bdi>coast<\/bdi>/s)
    expect(/<ul class="legend">.*?<\/ul>/s.exec(html)?.[0].replaceAll(/<[^>]*>/g, ' ')).toMatch(
      /^\s*coast\s*:\s*false\s*true\s*$/,
    )
  })

  test('bars and bins lead to their records', async () => {
    const countsOf = async (html: string) => {
      const rows = [
        ...html.matchAll(/<th[^>]*><a href="([^"]*)" rel="nofollow">[^<]*<\/a><\/th><td[^>]*>(\d+)</g),
      ]
      const counts: [number, number][] = []
      // One after the other: the server refuses many questions at once.
      for (const [, href, count] of rows) {
        const { text } = await testClient(stage.server.url, undefined, '').get(decoded(href!))
        counts.push([Number(count), Number(/<strong>(\d+) of 60 records/.exec(text)?.[1])])
      }
      return counts
    }
    for (const query of [
      { x: 'land' },
      { x: 'tags' },
      { x: 'coast' },
      { x: 'people', filter: 'people lt 12500' },
    ]) {
      const counts = await countsOf(await page(query as Record<string, string>))
      expect([query, counts.length > 1, counts]).toEqual([
        query,
        true,
        counts.map(([count]) => [count, count]),
      ])
    }
    expect(await page({ x: 'land' })).toMatch(
      /<svg class="bars" role="group".*<a href="[^"]*filter=land\+eq\+NOR/s,
    )
  })

  test('times make lines in the unit that has room, with series', async () => {
    const months = await numbers({ x: 'founded' })
    expect([months.length, months[0]]).toEqual([60, ['1900-06', '1']])
    const days = await numbers({ x: 'founded', filter: 'founded lt 1902-01-01' })
    expect(days).toEqual([
      ['1900-06-15', '1'],
      ['1901-06-15', '1'],
    ])
    const hours = await numbers({ x: 'opened', y: 'max:people' })
    expect(hours).toHaveLength(24)
    const largest = Math.max(
      ...towns.filter(({ opened }) => opened.includes('T01:')).map(({ people }) => people),
    )
    expect(hours[1]).toEqual(['2026-01-01 01:00:00', countText(largest)])
    const series = await numbers({ x: 'founded', by: 'land' })
    expect(series).toHaveLength(60)
    expect(new Set(series.map(([, land]) => land))).toEqual(new Set(['Norway', 'SWE', 'FIN']))
  })

  test('numbers make a histogram, and points of a measure', async () => {
    const bins = await numbers({ x: 'people' })
    // Round bounds, each of which belongs to the bin that it begins.
    expect(bins).toEqual(
      Array.from({ length: 12 }, (_, n) => [`${countText(n * 5_000)} to ${countText((n + 1) * 5_000)}`, '5']),
    )
    const points = await page({ x: 'people', y: 'count' })
    expect(points).toContain('Histogram of people')
    expect(await numbers({ x: 'people', y: 'mean:people', filter: 'people lt 3000' })).toEqual([
      ['0', '0'],
      ['1,000', '1,000'],
      ['2,000', '2,000'],
    ])
  })

  test('numbers with nothing between them are one bin', async () => {
    expect(numbersIn(await page({ x: 'near' }, undefined, 'Stop')).map((row) => row.at(-1))).toEqual(['12'])
  })

  test('without axes the chart has those that suit the columns, and the table is one step away', async () => {
    const html = await page({ q: 'nor', sort: '-people' })
    expect(html).toMatch(/<select name="x">.*?<option value="founded" selected>/s)
    expect(html).toMatch(/aria-current="true">Chart</)
    const [, table] = /href="([^"]*)"[^>]*>Table</.exec(html)!
    expect(decoded(table!)).toBe(`${at}?q=nor&sort=-people`)
    expect(html).toContain('data-to="')
    expect(decoded(/data-to="([^"]*)"/.exec(html)![1]!)).toContain('view=chart')
  })

  test('a proposal skips columns that have one value in the answer', async () => {
    const along = async (query: Record<string, string>) => {
      const html = await page(query, undefined, 'Stop')
      expect(html).toContain('<figure class="chart">')
      return /<select name="x">(?:(?!<\/select>).)*?value="([^"]*)" selected/s.exec(html)?.[1]
    }
    expect(await along({})).toBe('area')
    expect(await along({ filter: 'area eq north' })).toBe('kind')
    expect(await along({ filter: 'band lt B' })).toBe('kind')
    expect(await along({ by: 'area' })).toBe('band')
  })

  test('a chart that cannot be is refused with the reason', async () => {
    for (const [query, reason] of [
      [{ x: 'nothing' }, 'nothing'],
      [{ x: 'land', y: 'sum:land' }, 'Name a column of numbers to measure.'],
      [{ x: 'land', y: 'product:people' }, 'Value has to be the number of records, or the sum, mean'],
      [{ x: 'people', by: 'land' }, 'Series need times or names along the axis'],
      [
        { x: 'land', filter: 'land eq NOR' },
        'all records have the same land. Choose another column in Along',
      ],
      [{ x: 'people', filter: 'people lt 0' }, 'no record has a value of people.'],
      [{ x: 'people', filter: 'people eq 1000' }, 'all values of people are equal.'],
    ] as const) {
      const html = await page(query)
      expect([query, decoded(/No chart: (.*?)<\/p>/s.exec(html)?.[1] ?? '')]).toEqual([
        query,
        expect.stringContaining(reason),
      ])
    }
  })

  test('others see nothing of private records and columns', async () => {
    const own = await numbers({ x: 'founded' }, cookie)
    expect(own[0]).toEqual(['1850', '1'])
    expect((await numbers({ x: 'land' }, cookie)).map(([land]) => land)).toContain('Hushland')
    expect(await numbers({ x: 'secret' }, cookie)).toEqual([
      ['hush', '40'],
      ['hidden thing', '20'],
    ])
    for (const as of [undefined, cookie]) {
      const view = `${at}?${as === undefined ? '' : 'view=public&'}view=chart&x=`
      const client = testClient(stage.server.url, as ? { cookie: as } : undefined, '')
      expect(numbersIn((await client.get(`${view}founded`)).text)[0]).toEqual(['1900-06', '1'])
      const { text } = await client.get(`${view}secret`)
      expect(text).toContain('No chart: ')
      expect(text).not.toMatch(/hidden thing|<option value="secret"|sum:secret/)
    }
  })
})
