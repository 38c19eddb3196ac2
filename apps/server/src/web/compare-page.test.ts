/** The page that compares two versions: summary, statistics, tables and filters, in the caller's view. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoded, idsIn } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { testClient } from '../testing/test-client.ts'

const properties = {
  name: { type: 'string' },
  people: { type: ['integer', 'null'] },
  founded: { type: 'string', format: 'date' },
  place: { type: 'object', properties: { height: { type: 'number' } }, additionalProperties: false },
  secret: { type: 'string', private: true },
}
const towns = Array.from({ length: 60 }, (_, n) => ({
  id: `t${String(n).padStart(2, '0')}`,
  type: 'Town',
  data: {
    name: `Town ${n}`,
    people: n < 10 ? null : n * 1_000,
    founded: '1900-06-15',
    place: { height: n },
    secret: 'hush',
  },
}))
/** Nine towns are filled, five emptied, one is higher, one is renamed, all have another secret, one goes and one comes. */
const later = towns.slice(1).map((town, n) => ({
  ...town,
  data: {
    ...town.data,
    name: n === 30 ? '<b>New</b>' : town.data.name,
    people: n < 9 ? 20_000 : n > 53 ? null : town.data.people,
    place: { height: n === 20 ? 900.5 : town.data.place.height },
    secret: 'whispered',
  },
}))

describe.each(anyDatabase)('the page that compares versions, on $name', (database) => {
  let stage: Stage
  let cookie: string
  let at: string

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    cookie = (await stage.server.signIn('ada')).cookie
    const { path } = await stage.newCollection()
    const wide = (n: number) => Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`f${i}`, n]))
    await stage.push(path, {
      opening: {
        schemas: {
          Town: { properties },
          Wide: {},
          Ghost: { properties: { mood: {} }, private: true },
          Odd: {},
        },
      },
      puts: [
        ...towns,
        { id: 'w', type: 'Wide', data: wide(1) },
        { id: 'g', type: 'Ghost', data: { mood: 'grim' } },
        { id: 'o', type: 'Odd', data: 'only a text' },
        { id: 'p', type: 'Odd', data: null },
      ],
    })
    await stage.push(path, {
      base: 'v1.0.0',
      puts: [
        ...later,
        { id: 'newby', type: 'Town', data: { name: 'Newby', place: { height: 1 } } },
        { id: 'w', type: 'Wide', data: wide(2) },
        { id: 'g', type: 'Ghost', data: { mood: 'merry' } },
        { id: 'o', type: 'Odd', data: { now: 'an object' } },
        { id: 'p', type: 'Odd', data: [1] },
      ],
      deletes: [{ id: 't00', type: 'Town' }],
    })
    at = `${path.replace('/collections', '')}/compare/v1.0.0...v1.1.0`
  })
  afterAll(() => stage.end())

  const page = async (path: string, as?: string) => {
    const { status, text } = await testClient(stage.server.url, as ? { cookie: as } : undefined, '').get(path)
    return { status, html: text }
  }
  const plain = (html: string) => decoded(html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '))
  const statisticsOf = (html: string) =>
    /<h3>Statistics before and after<\/h3>.*?<\/table>/s.exec(html)?.[0] ?? ''
  const linkTo = (html: string, text: string) =>
    [...html.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs)]
      .filter(([, , inside]) => plain(inside!).trim() === text)
      .map(([, href]) => decoded(href!))[0]!
  /** Ids in the tables below the filter. */
  const recordsIn = (html: string) => idsIn(html.split('id="records"')[1] ?? '')
  const countsOf = (html: string) =>
    plain(/<table class="data change-counts">.*?<\/table>/s.exec(html)?.[0] ?? '')

  test('the summary counts by type and column, and each row leads to its records', async () => {
    const { html } = await page(at)
    expect(countsOf(html)).toContain(
      'Town 1 added 16 updated 1 removed Town.name 1 changed Town.people 9 filled 5 emptied Town.place.height 1 changed',
    )
    expect(plain(html)).not.toContain('Of the first')
    const ofType = linkTo(html, 'Town')
    expect([ofType, recordsIn((await page(`${at}?type=Town`)).html).length]).toEqual([
      `${at}?type=Town#records`,
      18,
    ])
    const [toFilled] = linkTo(html, 'Town.people').split('#')
    const filled = await page(toFilled!)
    expect(recordsIn(filled.html)).toHaveLength(14)
    expect(filled.html).toMatch(/<option value="people" selected/)
    // Only the first page has the summary.
    const cursor = Buffer.from('["Town","t05"]').toString('base64url')
    expect(countsOf((await page(`${at}?cursor=${cursor}`)).html)).toBe('')
  })

  test('a column filter finds nothing else, and says so', async () => {
    const { html } = await page(`${at}?type=Town&column=place.height`)
    expect(recordsIn(html)).toEqual(['t21'])
    // Its name did not change, and tells what the id is.
    const table = /<table class="data records updates stacked">.*?<\/table>/s.exec(html)![0]
    expect(plain(table)).toMatch(/^ id name place\.height t21 Town 21 was 21 is 900\.5/)
    expect(plain(html)).toContain('1 record added 19 updated 1 removed')
    // Those that came or went did so with this column, too.
    expect(plain(html)).toContain('1 record added and 1 removed with all columns.')
    expect(linkTo(html, 'Show all changes')).toBe(`${at}?type=Town#records`)
    expect(plain((await page(`${at}?column=missing`)).html)).toContain('No record differs so.')
    expect(plain((await page(`${at}?change=added&column=people`)).html)).toContain('No record differs so.')
  })

  test('a table shows the old value over the new one in columns that changed', async () => {
    const { html } = await page(`${at}?type=Town&change=updated`)
    const table = /<table class="data records updates stacked">.*?<\/table>/s.exec(html)![0]
    expect(plain(/<thead>.*?<\/thead>/s.exec(table)![0])).toBe(' id name people place.height ')
    const row = (id: string) =>
      new RegExp(`<tr><th scope="row"><a[^>]*><bdi>${id}<.*?</tr>`, 's').exec(table)![0]
    expect(row('t01')).toContain(`href="${at.split('/compare')[0]}/v/v1.1.0/records/Town/t01"`)
    expect(plain(row('t01'))).toContain('was null is 20,000')
    expect(row('t31')).toMatch(/<del>.*Town 31.*<\/del><ins>.*&lt;b>New&lt;\/b>.*<\/ins>/s)
    // An unchanged value of a column that changed is quiet.
    expect(row('t31')).toContain('<span class="quiet">31,000</span>')
    expect(html).not.toContain('<b>New')
  })

  test('added and removed records have the columns of their type and lead to their versions', async () => {
    const { html } = await page(`${at}?type=Town`)
    const place = at.split('/compare')[0]
    for (const [id, version, text] of [
      ['newby', 'v1.1.0', 'Newby'],
      ['t00', 'v1.0.0', 'Town 0'],
    ] as const) {
      expect(html).toContain(`href="${place}/v/${version}/records/Town/${id}"`)
      expect(plain(html)).toContain(`${id} ${text}`)
    }
  })

  test('many changed columns are listed by record, and data may be no object', async () => {
    const { html } = await page(`${at}?type=Wide`)
    expect(html.match(/<th scope="row"><bdi>f\d+/g)).toHaveLength(13)
    expect(html).not.toContain('class="data records updates"')
    const odd = plain((await page(`${at}?type=Odd`)).html)
    expect(odd).toContain('was only a text')
    expect(odd).toContain('was null is [1]')
  })

  test('statistics of numbers and dates that differ are shown before and after', async () => {
    const withStatistics = async (path: string): Promise<string> => {
      const part = statisticsOf((await page(path)).html)
      return part === '' ? withStatistics(path) : plain(part)
    }
    const text = await withStatistics(at)
    expect(text).toContain('Town.people 50 → 54')
    expect(text).toContain('59 → 900.5')
    expect(text).not.toMatch(/Town\.name|Town\.secret/)
    // A large table is not built for a visit.
    const { tables } = stage.server.registry
    const { answersSoon } = tables
    try {
      tables.answersSoon = async () => false
      expect(statisticsOf((await page(at)).html)).toBe('')
    } finally {
      tables.answersSoon = answersSoon
    }
  })

  test('others see nothing of private fields and types', async () => {
    const own = await page(at, cookie)
    expect(countsOf(own.html)).toContain('Town.secret 59 changed')
    expect(countsOf(own.html)).toContain('Ghost 1 updated')
    const asPublic = await page(`${at}?view=public`, cookie)
    expect(countsOf(asPublic.html)).toBe(countsOf((await page(at)).html))
    expect(asPublic.html).not.toMatch(/hush|whispered|grim|merry/)
    for (const query of ['', '?column=secret', '?type=Ghost', '?type=Town'])
      expect((await page(`${at}${query}`)).html).not.toMatch(/hush|whispered|grim|merry|59 changed/)
    expect((await page(at)).html).not.toMatch(/secret|Ghost/)
    expect(recordsIn((await page(`${at}?column=secret`)).html)).toEqual([])
    // Links keep the view.
    const html = (await page(`${at}?type=Town&view=public`, cookie)).html
    expect(html).toMatch(/records\/Town\/t00\?view=public/)
    expect(linkTo(html, 'Town')).toContain('view=public')
  })
})
