/** Records whose ids are whole numbers: listed as numbers on pages, once their statistics are known. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoded, idsIn } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { testClient } from '../testing/test-client.ts'

const numbers = Array.from({ length: 120 }, (_, n) => String(n))

describe.each(anyDatabase)('records with numbers as ids, on $name', (database) => {
  let stage: Stage
  let at: string
  let api: string

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    const { path } = await stage.newCollection()
    const schema = { properties: { n: { type: 'integer' }, even: { type: 'boolean' } } }
    const rows = (type: string, ids: readonly string[]) =>
      ids.map((id, n) => ({ id, type, data: { n: 1_000 - n, even: n % 2 === 0 } }))
    await stage.push(path, {
      opening: { schemas: { Row: schema, Mixed: schema } },
      puts: [...rows('Row', numbers), ...rows('Mixed', ['10', '9', 'x'])],
    })
    at = `${path.replace('/collections', '')}`
    api = `${path}/versions/latest/tables`
    for (const type of ['Row', 'Mixed'])
      while ((await stage.anyone.get(`${api}/${type}/statistics`)).status === 202);
  })
  afterAll(() => stage.end())

  const page = async (path: string) => (await testClient(stage.server.url, undefined, '').get(path)).text
  const linkTo = (html: string, text: string) =>
    decoded(new RegExp(`href="([^"]*)"[^>]*>[^<]*${text}`).exec(html)?.[1] ?? '')

  test('all of them by number, page after page, and the record that follows', async () => {
    const seen: string[] = []
    let path = `${at}/records/Row`
    for (let n = 0; n < 3; n++) {
      const html = await page(path)
      expect(html).not.toContain('Clear all')
      seen.push(...idsIn(html))
      path = linkTo(html, 'Next')
    }
    expect(seen).toEqual(numbers)
    const second = await page(`${at}/records/Row?sort=_number&offset=50`)
    expect(idsIn(await page(linkTo(second, 'First')))[0]).toBe('0')
    const [, link = ''] = /href="([^"]*\/records\/Row\/9\?[^"]*)"/.exec(await page(`${at}/records/Row`)) ?? []
    expect(await page(decoded(link))).toMatch(/Row\/8\?.*Row\/10\?/s)
  })

  test('filtered ones by number, in the JSON of the page too, unless another order is asked for', async () => {
    const filter = new URLSearchParams({ filter: 'even eq true' })
    const html = await page(`${at}/records/Row?${filter}`)
    expect(idsIn(html).slice(0, 7)).toEqual(['0', '2', '4', '6', '8', '10', '12'])
    const json = JSON.parse(await page(linkTo(html, 'JSON')))
    expect(json.rows.slice(4, 6).map(({ id }: { id: string }) => id)).toEqual(['8', '10'])
    expect(idsIn(await page(`${at}/records/Row?sort=_id`)).slice(0, 3)).toEqual(['0', '1', '10'])
    expect(idsIn(await page(`${at}/records/Row?sort=n`))[0]).toBe('119')
    const [, header = ''] =
      /<th scope="col"[^>]*><a[^>]*href="([^"]*)"/.exec(await page(`${at}/records/Row`)) ?? []
    const down = await page(decoded(header))
    expect(idsIn(down).slice(0, 2)).toEqual(['119', '118'])
    expect(down).toContain('aria-sort="descending"')
  })

  test('ids of which one is no number stay in the order of texts, as in the API', async () => {
    expect(idsIn(await page(`${at}/records/Mixed`))).toEqual(['10', '9', 'x'])
    const rows = (await stage.anyone.get(`${api}/Row/rows?limit=3`)).json.rows as { id: string }[]
    expect(rows.map(({ id }) => id)).toEqual(['0', '1', '10'])
    const numbered = async (type: string) =>
      (await stage.anyone.get(`${api}/${type}/statistics`)).json.numbered
    expect([await numbered('Row'), await numbered('Mixed')]).toEqual([true, false])
  })
})
