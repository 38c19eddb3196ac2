/** The strip of versions over HTTP: as JSON and on pages, its links, clicks on its pictures, and what outsiders see. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { pushesOn, put, type Stage, setStage } from '../testing/stage.ts'
import { testClient } from '../testing/test-client.ts'

describe.each(anyDatabase)('the strip of versions on $name', (database) => {
  let stage: Stage
  let ada: ReturnType<typeof testClient>
  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    const { cookie } = await stage.server.signIn('ada')
    ada = testClient(stage.server.url, { cookie }, '')
  })
  afterAll(() => stage.end())
  const { newPath } = pushesOn(() => stage)
  const anyone = () => testClient(stage.server.url, undefined, '')

  const names = Array.from({ length: 20 }, (_, n) => `n${n}`)
  const properties = { ...Object.fromEntries(names.map((name) => [name, {}])), hush: { private: true } }
  const data = (n: number) => ({ ...Object.fromEntries(names.map((name) => [name, n])), hush: n })

  /** A collection with versions up to v1.(count − 1).0, whose strip is computed. */
  async function withVersions(count: number): Promise<string> {
    const path = await newPath()
    const puts = Array.from({ length: 4 }, (_, n) => put(`${n}`, data(0)))
    await stage.push(path, { opening: { schemas: { A: { properties } } }, puts })
    for (let n = 1; n < count; n++)
      await stage.push(path, { base: `v1.${n - 1}.0`, puts: [put('0', data(n))] })
    const computed = async () => {
      const { json } = await stage.ada.get(`${path}/versions/strip`)
      expect(json.columns).toHaveLength(names.length + 1)
      expect(json.versions.at(0).changed).toEqual(json.columns.map(() => 0.25))
      expect(json.versions.at(-2).changed).toEqual(json.columns.map(() => 0.25))
    }
    await vi.waitFor(computed, { timeout: 30_000, interval: 200 })
    return path
  }
  const pageOf = (path: string) => path.replace('/collections', '')

  test('is JSON in the view of the caller', async () => {
    const path = await withVersions(3)
    const member = (await stage.ada.get(`${path}/versions/strip`)).json
    const stranger = (await stage.anyone.get(`${path}/versions/strip`)).json
    expect(member.columns.map(({ column }: { column: string }) => column).sort()).toEqual(
      ['hush', ...names].sort(),
    )
    expect(stranger.columns).toHaveLength(20)
    expect(JSON.stringify(stranger)).not.toContain('hush')
    expect(stranger.versions).toMatchObject([
      { semver: 'v1.2.0', before: 'v1.1.0', records: 4 },
      { semver: 'v1.1.0', before: 'v1.0.0', records: 4 },
      { semver: 'v1.0.0', before: null, records: 4 },
    ])
    expect(stranger).toMatchObject({ columnCount: 20, versionCount: 3 })
    for (const page of ['', '/versions', '/compare/v1.0.0...v1.2.0']) {
      const html = (await anyone().get(`${pageOf(path)}${page}`)).text
      expect(html, page).toContain('class="strip"')
      expect(html, page).not.toContain('hush')
      expect((await ada.get(`${pageOf(path)}${page}`)).text, page).toContain('class="strip"')
    }
    expect((await anyone().get(`${pageOf(path)}/compare/v1.1.0...v1.2.0`)).text).not.toContain(
      'class="strip"',
    )
  })

  test('the overview of a version names no column that it keeps private, though others showed it', async () => {
    const path = await newPath()
    const puts = (n: number) => [put('0', { open: n, later: n })]
    const schemas = (later: object) => ({ A: { properties: { open: {}, later } } })
    await stage.push(path, { opening: { schemas: schemas({}) }, puts: puts(0) })
    await stage.push(path, { base: 'v1.0.0', puts: puts(1) })
    const hidden = await stage.push(path, {
      base: 'v1.1.0',
      opening: { schemas: schemas({ private: true }) },
      puts: puts(2),
    })
    const overview = async (version: string) =>
      /class="strip".*?<\/table>/s.exec((await anyone().get(`${pageOf(path)}/v/${version}`)).text)?.[0] ?? ''
    await expect.poll(() => overview('v1.1.0'), { timeout: 30_000 }).toContain('<bdi>later</bdi>')
    await expect.poll(() => overview(hidden.semver), { timeout: 30_000 }).toContain('<bdi>open</bdi>')
    expect(await overview(hidden.semver)).not.toContain('later')
  })

  test('a cell of a page leads to its comparison, filtered to the column; so does a click on a row of a large one', async () => {
    const path = await withVersions(9)
    const at = pageOf(path)
    const html = (await anyone().get(`${at}/versions`)).text
    expect(html).toContain('<input type="image"')
    const facts = /<th scope="row"><bdi>n3<\/bdi><\/th>.*?href="([^"]*)"/s
      .exec(html)![1]!
      .replaceAll('&amp;', '&')
    expect(facts).toBe(`${at}/compare/v1.7.0...v1.8.0?type=A&column=n3#records`)
    const compared = (await anyone().get(facts.split('#')[0]!)).text
    expect(compared).toContain('<option value="n3" selected>')
    const click = async (x: number, more: Record<string, string> = {}) => {
      const query = new URLSearchParams({
        until: 'v1.8.0',
        cells: '9',
        'A/n3.x': `${x}`,
        'A/n3.y': '2',
        ...more,
      })
      const { status, headers } = await anyone().get(`${at}/compare?${query}`)
      return [status, headers['location']]
    }
    // Nine cells of 40 pixels, oldest first.
    expect(await click(359)).toEqual([302, facts])
    expect(await click(41)).toEqual([302, `${at}/compare/v1.0.0...v1.1.0?type=A&column=n3#records`])
    expect(await click(0)).toEqual([302, `${at}/v/v1.0.0/records/A`])
    // Versions that landed since do not move the cells.
    await stage.push(path, { base: 'v1.8.0', puts: [put('1', data(9))] })
    expect(await click(359)).toEqual([302, facts])
    for (const [name, value] of Object.entries({ cells: '1000', until: '', 'A/n3.x': 'x' }))
      expect((await click(10, { [name]: value }))[1]).toBe(`${at}/versions`)
  })

  test('a version cannot have its name; hidden collections have no strip', async () => {
    const { path } = await stage.newCollection({ public: false })
    expect((await stage.anyone.get(`${path}/versions/strip`)).json.code).toBe('collection_not_found')
    expect((await stage.ada.get(`${path}/versions/strip`)).json).toEqual({
      ...{ columns: [], versions: [], columnCount: 0, versionCount: 0 },
    })
    expect((await stage.ada.get(`${path}/versions/Strip`)).json.code).toBe('version_not_found')
  })
})
