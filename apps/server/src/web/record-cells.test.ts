/** Cells of the table of records: bars behind numbers, pictures, colours and links, in the caller's view and without JavaScript. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoded } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { fileHash, testClient } from '../testing/test-client.ts'

const [small, hidden] = ['a small picture', 'hush']
const svg = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'
const large = Buffer.alloc(500_001)
const number = { type: 'number' }
const properties = {
  area: number,
  change: number,
  'a "<b>': number,
  photo: {},
  secret: { ...number, private: true },
}

describe.each(anyDatabase)('cells of records on $name', (database) => {
  let stage: Stage
  let cookie: string
  let at: string

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    cookie = (await stage.server.signIn('ada')).cookie
    const { path } = await stage.newCollection()
    for (const [text, type] of [
      [small, 'image/png'],
      [hidden, 'image/png'],
      [svg, 'image/svg+xml'],
      [large, 'image/png'],
    ] as const)
      await stage.ada.upload(path, text, type)
    const photo = (of: string | Buffer, name?: string) => ({ $file: fileHash(of), ...(name && { name }) })
    const rows = [
      { area: 0, change: -5, 'a "<b>': 1, photo: photo(small, 'one.png') },
      { area: 50, change: 0, 'a "<b>': 1e308, photo: [photo(svg, 'two.svg'), photo(large)] },
      { area: 200, change: 15, 'a "<b>': -1e308, secret: 7 },
      { photo: { $file: `sha256:${'0'.repeat(64)}`.slice(0, 20) } },
    ]
    await stage.push(path, {
      opening: { schemas: { A: { type: 'object', properties } } },
      puts: [
        ...rows.map((data, n) => ({ id: String(n), type: 'A', data })),
        { id: '9', type: 'A', data: { area: 1_000, photo: photo(hidden, 'hush.png') }, private: true },
      ],
    })
    at = `${path.replace('/collections', '')}/records/A`
  })
  afterAll(() => stage.end())

  const page = async (query = '', as?: string) => {
    const client = testClient(stage.server.url, as === undefined ? undefined : { cookie: as }, '')
    const { status, text } = await client.get(`${at}${query}`)
    expect(status).toBe(200)
    return text
  }
  /** Start and width of each bar. */
  const barsIn = (html: string) =>
    [...html.matchAll(/class="bar"[^>]*><rect x="([^"]*)" width="([^"]*)"/g)].map(([, x, width]) => [
      x,
      width,
    ])
  /** Where a question of a column's menu leads. */
  const inMenu = (html: string, column: string, question: string) => {
    const [, id] =
      new RegExp(`popovertarget="([^"]*)" aria-label="Questions about ${column}"`).exec(html) ?? []
    const menu = html.slice(html.indexOf(` id="${id}"`)).split('</div>')[0]!
    return decoded(new RegExp(`href="([^"]*)"[^>]*>${question}<`).exec(menu)?.[1] ?? '')
  }

  test('bars are behind the numbers of the columns that the address names, from zero', async () => {
    expect(barsIn(await page())).toEqual([])
    expect(barsIn(await page('?bars=area'))).toEqual([
      ['0%', '0%'],
      ['0%', '25%'],
      ['0%', '100%'],
    ])
    expect(barsIn(await page('?bars=change'))).toEqual([
      ['0%', '25%'],
      ['25%', '0%'],
      ['25%', '75%'],
    ])
    // Their difference is more than a number can be.
    const huge = await page(`?${new URLSearchParams({ bars: '"a \\"<b>"' })}`)
    expect(barsIn(huge)).toEqual([
      ['50%', '0%'],
      ['50%', '50%'],
      ['0%', '50%'],
    ])
    for (const query of ['?bars=photo', '?bars=none', '?bars=', `?bars=${'x'.repeat(3_000)}`])
      expect(barsIn(await page(query))).toEqual([])
  })

  test('the menu of numbers shows and hides them, and other links keep them', async () => {
    const on = inMenu(await page(), 'area', 'Bars')
    expect(on).toBe(`${at}?bars=area`)
    const html = await page(on.slice(at.length))
    expect(inMenu(html, 'area', 'Hide the bars')).toBe(at)
    expect(inMenu(html, 'change', 'Bars')).toBe(`${at}?bars=area&bars=change`)
    expect(html).toContain(`href="${at}?sort=area&amp;bars=area"`)
    expect(inMenu(html, 'photo', 'Bars')).toBe('')
  })

  test('a cell shows a small picture by its own address, and others by their names or kinds', async () => {
    const pictures = (html: string) =>
      [...html.matchAll(/<img class="thumbnail" src="[^"]*\/(sha256:\w+)"[^>]*loading="lazy"/g)].map(
        ([, hash]) => hash,
      )
    const open = await page()
    expect(pictures(open)).toEqual([fileHash(small)])
    expect(open).toMatch(/<bdi>one\.png<\/bdi><\/a><\/td>/)
    expect(open).toContain('<bdi>two.svg</bdi>')
    expect(open).toContain(`<span title="${fileHash(large).slice(0, 15)}…">PNG picture, `)
    expect(open).not.toMatch(/hush|1,000/)
    expect(pictures(await page('', cookie))).toEqual([fileHash(small), fileHash(hidden)])
    expect(pictures(await page('?view=public', cookie))).toEqual([fileHash(small)])
  })

  test('bars show outsiders nothing of private records and fields', async () => {
    const own = await page('?bars=area&bars=secret', cookie)
    expect(barsIn(own)).toContainEqual(['0%', '20%'])
    for (const html of [
      await page('?bars=area&bars=secret'),
      await page('?bars=area&bars=secret&view=public', cookie),
    ])
      expect(barsIn(html)).toEqual([
        ['0%', '0%'],
        ['0%', '25%'],
        ['0%', '100%'],
      ])
  })
})
