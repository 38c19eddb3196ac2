/** Pages of saved questions: their forms, their answers, and their readers. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoded } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { testClient, urlencoded } from '../testing/test-client.ts'

const schemas = {
  City: {
    properties: {
      name: { type: 'string' },
      people: { type: 'integer' },
      budget: { type: 'integer', private: true },
    },
  },
}
const city = (name: string, people: number) => ({
  id: name.toLowerCase(),
  type: 'City',
  data: { name, people, budget: 1 },
})
const statement = 'SELECT name, people FROM "City" ORDER BY people DESC'

describe.each(anyDatabase)('pages of saved questions, on $name', (database) => {
  let stage: Stage
  let ada: string
  let at: string

  const page = async (path: string, cookie?: string) => {
    const client = testClient(stage.server.url, cookie === undefined ? undefined : { cookie }, '')
    for (;;) {
      const { status, headers, text } = await client.get(`${at}${path}`)
      if (!text.includes('is being built')) return { status, headers, html: decoded(text) }
    }
  }
  const post = (path: string, form: Record<string, string>, cookie = ada) =>
    testClient(stage.server.url, { cookie }, '').request('POST', `${at}${path}`, {
      body: new URLSearchParams(form).toString(),
      headers: urlencoded,
    })
  const saving = (asked: Record<string, string>) => `/questions/new?${new URLSearchParams(asked)}`
  const tab = '/questions"'

  beforeAll(async () => {
    stage = await setStage(database, { sqlSeconds: 60 })
    ada = (await stage.server.signIn('ada')).cookie
    const { path } = await stage.newCollection()
    await stage.push(path, {
      opening: { schemas },
      puts: [city('Oslo', 700), city('Bergen', 290), city('Moss', 50)],
    })
    at = path.replace('/collections', '')
  })
  afterAll(() => stage.end())

  test('the tab is there once there is a question that the visitor may see', async () => {
    const overview = async (cookie?: string) => (await page('', cookie)).html.includes(tab)
    expect([await overview(), await overview(ada)]).toEqual([false, false])
    const made = await post(saving({ type: 'City', query: 'filter=budget gt 0' }), {
      name: 'Paid',
      version: 'latest',
      public: 'no',
    })
    expect([made.status, made.headers['location']]).toEqual([
      303,
      `${at}/questions/paid?saved=question-saved`,
    ])
    expect([await overview(), await overview(ada)]).toEqual([false, true])
    expect((await page('/questions/paid')).status).toBe(404)
    const none = (await page('/questions')).html
    expect(none).not.toContain('Paid')
    // Visitors learn what a question is, and where the records are.
    const [, empty] = /No question is saved\.(.*?)<\/main>/s.exec(none)!
    expect(empty).toContain('A saved question is')
    expect(empty).toContain(`href="${at}/records"`)
    expect(empty).not.toContain('Save</strong>')
    const { html, headers } = await page('/questions/paid', ada)
    expect([html.includes('>Oslo<'), html.includes('class="badge private">Private<')]).toEqual([true, true])
    expect(String(headers['x-robots-tag'] ?? '') + html).toContain('noindex')
  })

  test('a records page saves what it asks, and the answer is that page below the name', async () => {
    const { html } = await page('/records/City?filter=people+gt+100&sort=-people&columns=name&cite=1', ada)
    const [, link] = /href="([^"]*\/questions\/new\?[^"]*)"/.exec(html)!
    expect(new URLSearchParams(link!.split('?')[1])).toEqual(
      new URLSearchParams({ type: 'City', query: 'filter=people+gt+100&sort=-people&columns=name' }),
    )
    await post(link!.slice(at.length), { name: 'Large', version: 'v1.0.0', public: 'yes' })
    await stage.push(`/collections${at}`, { base: 'v1.0.0', puts: [city('Trondheim', 200)] })
    const answer = await page('/questions/large')
    expect(answer.html).toContain('v1.0.0: the answer never changes')
    expect(answer.html.match(/>(?:Oslo|Bergen|Moss|Trondheim)</g)).toEqual(['>Oslo<', '>Bergen<'])
    expect(answer.html).toContain(`/records/City?filter=people+gt+100&sort=-people&columns=name`)
    expect((await page('/questions')).html).toContain('/questions/large"')
  })

  test('everybody sees the answer to a published statement, and runs no other', async () => {
    await post(saving({ sql: statement }), { name: 'By size', version: 'latest', public: 'yes' })
    const { html } = await page('/questions/by-size')
    expect(html.match(/>(?:Oslo|Bergen|Moss|Trondheim)</g)!.slice(-4)).toEqual(
      ['Oslo', 'Bergen', 'Trondheim', 'Moss'].map((name) => `>${name}<`),
    )
    expect(html).not.toContain('/sql?format')
    // Its chart measures what readers choose, at its own address.
    const charted = 'SELECT name, length(name) AS letters, people FROM "City"'
    await post(saving({ sql: charted, view: 'chart' }), { name: 'Drawn', version: 'latest', public: 'yes' })
    const drawn = (await page('/questions/drawn')).html
    expect(drawn).toContain('aria-label="Bars of people by name: ')
    expect(drawn).toContain(`<form class="form inline chart-form" action="${at}/questions/drawn"`)
    expect((await page('/questions/drawn?x=name&y=letters&by=&view=chart')).html).toContain(
      'aria-label="Bars of letters by name: ',
    )
    expect((await page(`/sql?${new URLSearchParams({ sql: statement })}`)).html).toContain('signed-in')
  })

  test('a question that needs a private column is refused to the public, and kept as entered', async () => {
    const asked = saving({ type: 'City', query: 'sort=-budget' })
    const refused = await post(asked, { name: 'Richest', version: 'latest', public: 'yes' })
    expect(refused.status).toBe(422)
    expect(decoded(refused.text)).toContain('Only members and collaborators can ask this')
    expect(refused.text).toContain('value="Richest"')
    expect((await page('/questions', ada)).html).not.toContain('Richest')
  })

  test('a question says since when its answer is the same, and its feed when it changed', async () => {
    await post(saving({ type: 'City', query: 'filter=people gt 600' }), {
      name: 'Metropoles',
      version: 'latest',
      public: 'yes',
    })
    const since = async (semver: string) => {
      const follows = async () => (await page('/questions/metropoles')).html.includes(`>${semver}</a>`)
      await expect.poll(follows, { timeout: 60_000 }).toBe(true)
    }
    const base = async () => (await stage.anyone.get(`/collections${at}`)).json.latestVersion.semver
    const [before, feed] = [await base(), '/questions/metropoles/changes.atom']
    await since(before)
    expect((await page('/questions/metropoles')).html).toContain(`href="${at}${feed}"`)
    const quiet = await page(feed)
    expect([quiet.headers['content-type'], quiet.html.includes('<entry>')]).toEqual([
      'application/atom+xml; charset=utf-8',
      false,
    ])
    await stage.push(`/collections${at}`, { base: before, puts: [city('Stavanger', 650)] })
    const after = await base()
    await since(after)
    await expect
      .poll(async () => (await page(feed)).html, { timeout: 20_000 })
      .toContain(`<title>Another answer since ${after}</title>`)
    expect((await page('/questions')).html).toContain(`>${after}<`)
    expect((await page('/questions/absent/changes.atom')).status).toBe(404)
    // The answer about a fixed version has no changes.
    const fixed = await page('/questions/large/changes.atom')
    expect([fixed.status, fixed.html.includes('<entry>')]).toEqual([200, false])
  })

  test('the form that saves one says first how to ask', async () => {
    const { html } = await page('/questions/new', ada)
    expect([html.includes('First ask a question'), html.includes('name="name"')]).toEqual([true, false])
    expect((await page(saving({ type: 'City' }), ada)).html).toContain('name="name"')
    // And what it would save.
    const { html: named } = await page(
      saving({ type: 'City', query: 'q=<b>&filter=name ne x&sort=-people' }),
      ada,
    )
    expect(named).toContain(' with “<b>” where name is not x, ordered by people ↓</bdi>, as a table')
  })

  test('a question is changed and removed', async () => {
    const sql = 'SELECT count(*) AS all_cities FROM "City"'
    const changed = await post('/questions/by-size/edit', {
      sql,
      name: 'How many',
      version: 'latest',
      public: 'yes',
    })
    expect(changed.status).toBe(303)
    expect((await page('/questions/by-size')).html).toContain('all_cities')
    expect((await post('/questions/by-size/edit', { do: 'remove' })).status).toBe(303)
    expect((await page('/questions/by-size')).status).toBe(404)
  })
})
