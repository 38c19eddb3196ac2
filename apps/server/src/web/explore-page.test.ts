/** `/explore`: its filter, frequent values, and what it says of words that nothing has. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pushesOn, type Stage, setStage } from '../testing/stage.ts'
import { type TestClient, testClient, whenBuilt } from '../testing/test-client.ts'

describe.each(anyDatabase)('the page of all collections on $name', (database) => {
  let stage: Stage
  let anyone: TestClient
  beforeAll(async () => {
    stage = await setStage(database)
    anyone = testClient(stage.server.url, undefined, '')
  })
  afterAll(() => stage.end())
  const { newPath } = pushesOn(() => stage)
  const linksOn = (html: string) => Array.from(html.matchAll(/ href="([^"]*)"/g), ([, href]) => href)
  async function pushed(license: string, types: readonly string[]): Promise<string> {
    const path = await newPath()
    const schemas = Object.fromEntries(types.map((type) => [type, {}]))
    await stage.push(path, { opening: { schemas, metadata: { license } } })
    return path.replace('/collections/', '')
  }

  test('narrows by frequent values, which become chips that remove them', async () => {
    const [cc0, mit] = [
      await pushed('CC0-1.0', ['Country', '<b>&"']),
      await pushed('MIT', ['Country', 'Secret']),
    ]
    const { text } = await anyone.get('/explore?sort=name')
    expect(text).toMatch(/<aside class="facets"[\s\S]*<h2>Licence<\/h2>[\s\S]*<h2>Types<\/h2>/)
    expect(text).not.toContain('<b>&')
    expect(linksOn(text)).toEqual(
      expect.arrayContaining([
        '/explore?license=CC0-1.0&amp;sort=name',
        '/explore?type=%3Cb%3E%26%22&amp;sort=name',
      ]),
    )
    // Above the list in a fold, too, for windows without room beside it.
    expect(text).toMatch(
      /<details class="facet-fold"><summary>Narrow the search<\/summary>.*<h2>Licence<\/h2>.*<ul class="collections"/s,
    )
    expect(text).not.toContain('<label>Owner')
    expect(text).toContain('placeholder="Search collections and records"')
    expect((await anyone.get('/explore?owner=ada')).text).toContain(
      '<input type="hidden" name="owner" value="ada"',
    )
    const one = await anyone.get('/explore?license=CC0-1.0&type=Country&size=small')
    expect(one.text).toContain(`href="/${cc0}"`)
    expect(one.text).not.toContain(`href="/${mit}"`)
    expect(one.text).toContain('<input type="hidden" name="license" value="CC0-1.0"')
    expect(one.text).toMatch(/Remove size <\/span><bdi>Up to 1,000 records<\/bdi>/)
    expect(linksOn(one.text)).toEqual(
      expect.arrayContaining([
        '/explore?type=Country&amp;size=small',
        '/explore?license=CC0-1.0&amp;size=small',
        '/explore?type=Country&amp;license=CC0-1.0',
      ]),
    )
    expect(linksOn(one.text)).toContain(
      '/api/collections?type=Country&amp;license=CC0-1.0&amp;size=small&amp;sort=updated',
    )
  })

  test('says that it searched for other words, and searches for exactly those', async () => {
    const path = await newPath()
    await stage.push(path, { opening: { schemas: { A: {} }, metadata: { keywords: ['country'] } } })
    const near = await anyone.get('/explore?q=contry&size=small')
    const plain = near.text.replaceAll(/<\/?bdi>/g, '')
    expect(plain).toContain('No collection has “contry”. Showing results for “country”.')
    expect(linksOn(near.text)).toContain('/explore?q=contry&amp;size=small&amp;exact=1')
    // The records are searched first.
    const exact = async () => (await anyone.get('/explore?q=contry&size=small&exact=1')).text
    await expect.poll(exact, { timeout: 60_000 }).toContain('No collection has “contry” in it.')
    expect(await exact()).not.toContain('class="collections"')
    const found = async (query: string) => (await stage.anyone.get(`/collections?${query}`)).json.length
    expect([await found('search=contry'), await found('search=contry&similar=true')]).toEqual([0, 3])
  })

  test('the form orders by best match once words are entered, unless another order was chosen', async () => {
    const form = (html: string) => /<form class="filter"[\s\S]*?<\/form>/.exec(html)![0]
    expect(form((await anyone.get('/explore')).text)).toContain('<option value selected>Recently updated')
    const asSent = await anyone.get('/explore?q=country&owner=&sort=')
    expect(form(asSent.text)).toMatch(/selected[^>]*>Best match/)
    expect(form((await anyone.get('/explore?q=country&sort=updated')).text)).toMatch(
      /selected[^>]*>Recently updated/,
    )
  })

  test('finds records of a new version at the first search, in the public view', async () => {
    const path = await newPath()
    const schemas = { Town: { properties: { name: {}, diary: { private: true } } } }
    const town = (id: string, name: string, diary: string) => ({ id, type: 'Town', data: { name, diary } })
    const puts = [town('a', 'Tromsø <i>', 'hush'), town('b', 'Bodø', 'tromsdalen')]
    const hidden = { ...town('c', 'Tromsdal', 'x'), private: true }
    await stage.push(path, { opening: { schemas }, puts: [...puts, hidden] })
    const at = path.replace('/collections', '')
    const ada = testClient(stage.server.url, { cookie: (await stage.server.signIn('ada')).cookie }, '')
    // An answer that takes over 0.7 s follows.
    for (const client of [anyone, ada])
      await expect
        .poll(async () => linksOn((await client.get('/explore?q=troms&exact=1')).text), { timeout: 60_000 })
        .toContain(`${at}/records/Town/a`)
    for (const client of [anyone, ada]) {
      const { text } = await client.get('/explore?q=troms&exact=1')
      expect(linksOn(text).filter((link) => link?.includes('/records/Town/'))).toEqual([
        `${at}/records/Town/a`,
      ])
      expect(text).not.toContain('<i>')
      expect(text).not.toMatch(/hush|tromsdal/i)
    }
    const none = (await anyone.get('/explore?q=nowhere')).text
    expect([none.includes('class="empty"'), none.includes('No record has these words')]).toEqual([true, true])
    expect((await anyone.get('/explore?q=troms&exact=1')).text).not.toContain('class="empty"')
    // Where collections match, their records are searched on request.
    const found = await anyone.get('/explore?q=town')
    expect(found.text).not.toContain('Records with')
    expect(linksOn(found.text)).toContain('/explore?q=town&amp;records=1')
  })

  test('a record that has the name comes first; others say where the words are', async () => {
    const path = await newPath()
    const schemas = { Street: { properties: { name: {}, note: {} } } }
    const street = (id: string, name: string, note = '') => ({ id, type: 'Street', data: { name, note } })
    const note = `<b>${'long '.repeat(20)}beside Zwingli`
    const puts = [street('a', 'Kirchgasse', note), street('b', 'Zwingli Park'), street('c', 'Zwingli')]
    await stage.push(path, { opening: { schemas }, puts })
    const at = path.replace('/collections', '')
    const links = (text: string) => linksOn(text).filter((link) => link?.includes('/records/Street/'))
    const open = async () => (await anyone.get('/explore?q=zwingli&exact=1')).text
    await expect.poll(async () => links(await open()), { timeout: 60_000 }).toHaveLength(3)
    const text = await open()
    expect(links(text)).toEqual(['c', 'b', 'a'].map((id) => `${at}/records/Street/${id}`))
    expect(text.match(/<span class="quiet"><bdi>note<\/bdi>: <bdi>(.*?)<\/bdi>/g)).toHaveLength(1)
    expect(text).toMatch(/: <bdi>…[^<]*beside Zwingli<\/bdi>/)
    expect(text).not.toContain('<b>')
  })

  test('records that take longer follow in their place, and each table is asked once', async () => {
    const path = await newPath()
    const schemas = { Fjord: { properties: { name: {} } } }
    const puts = [{ id: 'a', type: 'Fjord', data: { name: 'Geiranger' } }]
    await stage.push(path, { opening: { schemas }, puts })
    await whenBuilt(() => stage.anyone.get(`${path}/versions/latest/tables/Fjord/statistics`))
    const { tables } = stage.server.registry
    const { rows } = tables
    const gate = Promise.withResolvers<void>()
    let asked = 0
    Object.assign(tables, {
      rows: async (...args: Parameters<typeof rows>) => {
        asked += args[1].type === 'Fjord' ? 1 : 0
        await gate.promise
        return rows(...args)
      },
    })
    const open = async () => (await anyone.get('/explore?q=geiranger')).text
    const marks = (text: string) =>
      ['data-awaits="parts"', 'Searching', '/records/Fjord/a'].map((mark) => text.includes(mark))
    try {
      for (const text of [await open(), await open()]) {
        expect(marks(text)).toEqual([true, true, false])
        expect(text.replaceAll(/<noscript>.*?<\/noscript>/g, '')).not.toMatch(/load the page/i)
        expect(text).toMatch(/<noscript>.*Load the page again/)
      }
      gate.resolve()
      await expect.poll(async () => marks(await open()), { timeout: 60_000 }).toEqual([false, false, true])
    } finally {
      Object.assign(tables, { rows })
    }
    expect(asked).toBe(1)
    const found = await open()
    expect([found.includes('Records with'), found.includes('No collection has')]).toEqual([true, false])
    expect(asked).toBe(1)
    // The next version answers for itself.
    const renamed = { ...puts[0]!, data: { name: 'Nærøy' } }
    await stage.push(path, { base: 'v1.0.0', puts: [renamed] })
    await whenBuilt(() => stage.anyone.get(`${path}/versions/latest/tables/Fjord/statistics`))
    await expect
      .poll(async () => (await open()).includes('No record has these words'), { timeout: 60_000 })
      .toBe(true)
  })

  test('survives any filter', async () => {
    for (const odd of ['%00', 'x'.repeat(3_000), '%F0%9F', '%E2%80%8B', '{%22a', '%25'])
      for (const name of ['license', 'type', 'size']) {
        const { status, text } = await anyone.get(`/explore?${name}=${odd}`)
        expect([name, odd, status]).toEqual([name, odd, 200])
        expect(text.length).toBeLessThan(20_000)
      }
    expect((await anyone.get('/explore?size=constructor')).text).not.toContain('Remove size')
    const many = Array.from({ length: 1_000 }, (_, n) => `type=t${n}`).join('&')
    expect((await anyone.get(`/explore?${many}`)).text.match(/class="chip"/g)).toHaveLength(5)
  })

  test('the API takes the same filter and refuses what it does not know', async () => {
    const slugs = async (query: string) =>
      (await stage.anyone.get(`/collections?${query}`)).json.map(
        ({ license }: { license: string }) => license,
      )
    expect(await slugs('type=Country&license=MIT&size=small')).toEqual(['MIT'])
    expect(await slugs('type=Country&type=Secret')).toEqual(['MIT'])
    for (const query of [
      'size=tiny',
      'license=',
      `type=${'x'.repeat(200)}`,
      'type=a&type=b&type=c&type=d&type=e&type=f',
    ]) {
      const { status, json } = await stage.anyone.get(`/collections?${query}`)
      expect([query, status, json.error.includes(query.split('=')[0]!)]).toEqual([query, 400, true])
    }
  })
})
