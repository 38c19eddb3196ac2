/** Pages of records: order of fields, types whose schemas list none, and references to files with other members. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../testing/stage.ts'
import { fileHash, testClient } from '../testing/test-client.ts'

describe.each(anyDatabase)('pages of records on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
  })
  afterAll(() => stage.end())

  const page = async (path: string) => (await testClient(stage.server.url, undefined, '').get(path)).text
  const pageOf = (apiPath: string) => apiPath.replace('/collections', '')
  /** Names that the page contains, in page order. */
  const inOrder = (html: string, names: readonly string[]) =>
    names
      .filter((name) => html.includes(`>${name}<`))
      .sort((a, b) => html.indexOf(`>${a}<`) - html.indexOf(`>${b}<`))

  test('fields stand in the order of propertyOrder on every page, and places close up over private ones', async () => {
    const { path } = await stage.newCollection()
    const place = {
      type: 'object',
      properties: { street: { propertyOrder: 2 }, number: { propertyOrder: 1 } },
    }
    const properties = {
      alpha: { propertyOrder: 4 },
      code: { propertyOrder: 1 },
      secret: { propertyOrder: 2, private: true },
      zeta: { propertyOrder: 3 },
      place: { ...place, propertyOrder: 5 },
    }
    const data = (zeta: number) => ({ alpha: 1, code: `c${zeta}`, zeta, place: { number: 7, street: 'S' } })
    const opening = { schemas: { T: { properties } } }
    await stage.push(path, { opening, puts: [{ id: '1', type: 'T', data: data(1) }] })
    const next = { ...data(2), alpha: 2 }
    await stage.push(path, { base: 'v1.0.0', puts: [{ id: '1', type: 'T', data: next }] })
    const names = ['alpha', 'code', 'place', 'zeta']
    const ordered = ['code', 'zeta', 'alpha', 'place']
    const at = pageOf(path)
    for (const one of [`${at}/records/T`, `${at}/schemas`, `${at}/records/T/1`])
      expect(inOrder(await page(one), names), one).toEqual(ordered)
    const record = (await page(`${at}/records/T/1`)).replaceAll(/<[^>]*>/g, '')
    expect(record).toMatch(/number\s*7\s*street/)
    expect(inOrder(await page(`${at}/compare/v1.0.0...v1.1.0`), names)).toEqual(['code', 'zeta', 'alpha'])
    const { json } = await stage.anyone.get(`${path}/versions/latest`)
    const shown = json.schemas.T.properties
    expect(ordered.map((name) => shown[name].propertyOrder)).toEqual([1, 2, 3, 4])
  })

  test('the overview shows references by the titles of records, which others see only if they are public', async () => {
    const { path } = await stage.newCollection()
    const properties = { name: { type: 'string' }, country: { type: 'string', 'x-ref-type': 'Country' } }
    const opening = { schemas: { City: { properties }, Country: { properties } } }
    const city = (id: string, country: string) => ({ id, type: 'City', data: { name: id, country } })
    const country = (id: string, name: string, more = {}) => ({
      ...{ id, type: 'Country', data: { name }, ...more },
    })
    const puts = [
      ...[city('oslo', 'no'), city('lund', 'se'), city('vik', 'xx')],
      ...[country('no', 'Norway'), country('se', 'Sweden', { private: true })],
    ]
    await stage.push(path, { opening, puts })
    const at = pageOf(path)
    const linkOf = (html: string, id: string) =>
      new RegExp(`class="reference" href="${at}/records/Country/${id}"[^>]*><bdi>([^<]*)`).exec(html)?.[1]
    const ada = testClient(stage.server.url, await stage.server.signIn('ada'), '')
    const html = (await ada.get(at)).text
    expect(['no', 'se', 'xx'].map((id) => linkOf(html, id))).toEqual(['Norway', 'Sweden', 'xx'])
    for (const seen of [await page(at), (await ada.get(`${at}?view=public`)).text])
      expect([seen.includes('>Norway<'), seen.includes('Sweden')]).toEqual([true, false])
  })

  test('a type without properties shows the members that its records have', async () => {
    const { path } = await stage.newCollection()
    const puts = [
      { id: '1', type: 'Open', data: { name: 'Oslo', people: 700_000 } },
      { id: '2', type: 'Open', data: { mayor: 'Ada' } },
      { id: '3', type: 'Open', data: 'only a text' },
      { id: '4', type: 'Open', data: null },
    ]
    await stage.push(path, { opening: { schemas: { Open: {} } }, puts })
    const html = await page(`${pageOf(path)}/records/Open`)
    expect(inOrder(html, ['mayor', 'people', 'name'])).toEqual(['name', 'mayor', 'people'])
    for (const text of ['Oslo', '700,000', 'Ada', 'only a text']) expect(html).toContain(text)
    expect(await page(`${pageOf(path)}/records/Open/1`)).toContain('Oslo')
    expect(await page(`${pageOf(path)}/records/Open/3`)).toContain('only a text')
    expect(await page(`${pageOf(path)}/records/Open/4`)).toContain('null')
  })

  test('a reference with more beside its $file is a file, and what names no file is none', async () => {
    const { path } = await stage.newCollection()
    await stage.ada.upload(path, 'a photo')
    const file = fileHash('a photo')
    const data = { photo: { $file: file, caption: 'Elms' }, odd: { $file: 'nowhere' } }
    await stage.push(path, { opening: { schemas: { P: {} } }, puts: [{ id: '1', type: 'P', data }] })
    for (const one of ['records/P', 'records/P/1']) {
      const html = await page(`${pageOf(path)}/${one}`)
      expect(html).toContain(file.slice('sha256:'.length))
      expect(html).toContain('Elms')
      expect(html).not.toMatch(/href="[^"]*nowhere/)
    }
  })

  test('files have the names that records give them, on pages and as downloads', async () => {
    const { path } = await stage.newCollection()
    for (const text of ['one', 'two', 'three']) await stage.ada.upload(path, text)
    const data = {
      first: { $file: fileHash('one'), name: 'elm\u202e"<b>.txt' },
      second: [{ $file: fileHash('two'), name: 'x'.repeat(201) }],
      third: { $file: fileHash('three'), name: 7 },
    }
    await stage.push(path, { opening: { schemas: { P: {} } }, puts: [{ id: '1', type: 'P', data }] })
    const files = `${pageOf(path)}/files`
    for (const one of [`${pageOf(path)}/records/P/1`, files, `${files}?hash=${fileHash('one')}`]) {
      const html = await page(one)
      expect(html).toContain('>elm&quot;&lt;b>.txt<')
      expect(html.match(/download="[^"]+"/g)).toEqual(['download="elm&quot;&lt;b>.txt"'])
    }
  })

  test('coordinates are a dot on a map, geometries an outline; values that only look like them stay as they are', async () => {
    const { path } = await stage.newCollection()
    const area = { type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, 1], [0, 0]]] } // biome-ignore format: one line
    const data = {
      oslo: { latitude: 59.91273, longitude: 10.74609 },
      ['"><script>x']: area,
      odd: { type: 'Polygon', coordinates: [[[0, 1e300]]] },
    }
    const puts = [
      { id: '1', type: 'P', data },
      { id: '2', type: 'P', data: { name: 'Oslo', lat: -33.5, lng: -70 } },
      { id: '3', type: 'P', data: { lat: 95, lng: 0, odd: data.odd } },
    ]
    await stage.push(path, { opening: { schemas: { P: {} } }, puts })
    const both = await page(`${pageOf(path)}/records/P/1`)
    expect(both.match(/<svg role="img"/g)).toHaveLength(2)
    expect(both).toContain('59.91273° N, 10.74609° E')
    expect(both).toContain('Polygon of 4 positions, 0° N, 0° E to 1° N, 1° E')
    expect(both).toContain('cx="190.7" cy="30.1"')
    expect(both).not.toContain('<script>x')
    expect(await page(`${pageOf(path)}/records/P/2`)).toContain('33.5° S, 70° W')
    expect(await page(`${pageOf(path)}/records/P/3`)).not.toContain('<svg role="img"')
  })
})
