/** `/`: the live table for visitors, and new versions for signed-in users. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoded } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { type TestClient, testClient, whenBuilt } from '../testing/test-client.ts'

describe.each(anyDatabase)('the home page on $name', (database) => {
  let stage: Stage
  let anyone: TestClient
  let ada: TestClient
  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    anyone = testClient(stage.server.url, undefined, '')
    ada = testClient(stage.server.url, { cookie: (await stage.server.signIn('ada')).cookie }, '')
  })
  afterAll(() => stage.end())

  // Pages of one address are repeated while the database is unchanged.
  let visits = 0
  const home = async (client: TestClient) => decoded((await client.get(`/?visit=${++visits}`)).text)
  const tableIn = (html: string) => /<table class="data records">.*?<\/table>/s.exec(html)?.[0] ?? ''
  const towns = (count: number, secret: string) =>
    Array.from({ length: count }, (_, n) => ({
      id: `t${n}`,
      type: 'Town',
      data: { land: n % 2 === 0 ? 'Norway' : 'Sweden', people: n, diary: secret },
      ...(n === 1 && { private: true }),
    }))
  const schemas = {
    Town: { properties: { land: {}, people: { type: 'integer' }, diary: { private: true } } },
  }

  test('shows visitors a table with profiles if one is there, without private data, and builds none', async () => {
    const { path } = await stage.newCollection()
    const at = path.replace('/collections', '')
    await stage.push(path, { opening: { schemas }, puts: towns(30, 'hush') })
    const statistics = `${path}/versions/latest/tables/Town/statistics`
    const before = await home(anyone)
    expect(tableIn(before)).toBe('')
    expect(before).toContain(`<a href="${at}/records">29 records</a>`)

    // The statistics of members are of another table.
    await whenBuilt(() => stage.ada.get(statistics))
    expect(tableIn(await home(anyone))).toBe('')
    await whenBuilt(() => stage.anyone.get(statistics))
    const after = await home(anyone)
    const table = tableIn(after)
    expect(table).toContain('<tr class="profiles">')
    expect(table.match(/<th scope="row">/g)).toHaveLength(8)
    expect(table).toContain(`href="${at}/records/Town?filter=`)
    expect(after).toContain(`<a href="${at}/records/Town">All 29 records</a>`)
    expect(after).not.toMatch(/hush|diary|t1"/)
    // Members have it too, in their view, and each collection once.
    const own = await home(ada)
    expect(tableIn(own)).toContain('<tr class="profiles">')
    expect(own.split(`<span class="slash">/</span>${at.split('/').at(-1)}<`)).toHaveLength(2)

    await stage.ada.patch(path, { public: false })
    expect(await home(anyone)).not.toContain(at)
  })

  test('shows no table of a fork, and no small one', async () => {
    const { path } = await stage.newCollection()
    await stage.push(path, { opening: { schemas }, puts: towns(19, 'hush') })
    for (const client of [stage.ada, stage.anyone])
      await whenBuilt(() => client.get(`${path}/versions/latest/tables/Town/statistics`))
    expect(tableIn(await home(anyone))).toBe('')
  })

  test('tells users of new versions in their collections, with their comparison', async () => {
    const { path } = await stage.newCollection()
    const at = path.replace('/collections', '')
    await stage.push(path, { opening: { schemas, message: 'The <first>' }, puts: towns(1, 'hush') })
    await stage.push(path, { base: 'v1.0.0', opening: { message: 'More' }, puts: towns(3, 'hush') })
    const html = await home(ada)
    const section = /<p class="facts news">(?:(?!<\/p>).)*More.*?<\/p>/s.exec(html)?.[0] ?? ''
    expect(section).toContain('2 new versions')
    expect(section).toContain(`href="${at}/compare/v1.0.0...v1.1.0"`)
    expect(section).not.toContain('<first>')
    expect(await home(anyone)).not.toContain('class="facts news"')
    const newcomer = testClient(stage.server.url, { cookie: (await stage.server.signIn('eve')).cookie }, '')
    expect(await home(newcomer)).not.toContain('class="facts news"')
  })
})
