import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../testing/stage.ts'
import { expectStatus, testClient } from '../testing/test-client.ts'

describe.each(serviceDatabases)('feeds on $name', (database) => {
  let stage: Stage
  let cookie: string
  beforeAll(async () => {
    stage = await setStage(database)
    cookie = (await stage.server.signIn('ada')).cookie
  })
  afterAll(() => stage.end())

  const read = async (path: string, as?: string) =>
    testClient(stage.server.url, as === undefined ? undefined : { cookie: as }, '').get(path)
  const change = (path: string, changes: object) => expectStatus(stage.ada.patch(path, changes), 200)
  const withdraw = async (path: string, semver: string) =>
    expectStatus(
      (await stage.keyOfAda('admin')).post(`${path}/versions/${semver}/withdraw`, { reason: 'wrong' }),
      200,
    )
  const put = (id: string, isPrivate: boolean) => ({ id, type: 'A', data: {}, private: isPrivate })
  const updatedOf = (feed: string) => /<updated>([^<]+)/.exec(feed)![1]!
  const idsOf = (feed: string) => [...feed.matchAll(/<id>([^<]+)/g)].map(([, id]) => id)

  test('a collection has its versions as JSON Feed 1.1, withdrawn ones with their reason', async () => {
    const { path, id, slug } = await stage.newCollection()
    await stage.push(path, { opening: { schemas: { A: {} }, message: 'First & <b>' } })
    await stage.ada.patch(`${path}/metadata`, { license: 'MIT' })
    const url = `${stage.server.url}/ada/${slug}`
    const before = (await read(`/ada/${slug}/feed.json`)).text
    expect(before).not.toContain('<')
    expect(JSON.parse(before).items[1]).toEqual({
      id: `urn:uuid:${id}:v1.0.0`,
      url: `${url}/v/v1.0.0`,
      title: 'v1.0.0: First & <b>',
      content_text: '0 records',
      date_published: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      authors: [{ name: 'ada' }],
    })
    await withdraw(path, 'v1.0.0')
    const { status, headers, text } = await read(`/ada/${slug}/feed.json`)
    expect([status, headers['content-type']]).toEqual([200, 'application/feed+json; charset=utf-8'])
    expect(JSON.parse(text)).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      title: `ada/${slug}`,
      home_page_url: `${url}/versions`,
      feed_url: `${url}/feed.json`,
      authors: [{ name: 'ada' }],
      items: [
        { id: `urn:uuid:${id}:v1.0.1`, url: `${url}/v/v1.0.1` },
        { title: 'v1.0.0: withdrawn: wrong', date_modified: expect.any(String) },
      ],
    })
  })

  test('a withdrawal updates the feed of a collection', async () => {
    const { path, slug } = await stage.newCollection()
    await stage.push(path, { opening: { schemas: { A: {} } } })
    await stage.ada.patch(`${path}/metadata`, { license: 'MIT' })
    const before = (await read(`/ada/${slug}/versions.atom`)).text
    await withdraw(path, 'v1.0.0')
    const after = (await read(`/ada/${slug}/versions.atom`)).text
    expect(updatedOf(after) > updatedOf(before)).toBe(true)
    expect(idsOf(after)).toEqual(idsOf(before))
  })

  test('an account has the new versions of its public collections as Atom, the same for everyone', async () => {
    const at = '/ada/-/feed.atom'
    const [first, second] = [await stage.newCollection(), await stage.newCollection()]
    for (const { path } of [first, second])
      await stage.push(path, { opening: { schemas: { A: {} } }, puts: [put('a', false)] })
    await stage.push(first.path, { base: 'v1.0.0', opening: { message: 'More' }, puts: [put('b', false)] })
    const { status, headers, text } = await read(at)
    expect([status, headers['content-type']]).toEqual([200, 'application/atom+xml; charset=utf-8'])
    const titles = [...text.matchAll(/<title>([^<]+)/g)].map(([, title]) => title)
    expect(titles.slice(0, 4)).toEqual([
      'ada',
      `${first.slug} v1.1.0: More`,
      `${second.slug} v1.0.0`,
      `${first.slug} v1.0.0`,
    ])
    expect(text).toContain(`href="${stage.server.url}/ada/${first.slug}/v/v1.1.0"`)

    const ifChanged = { 'if-none-match': String(headers['etag']) }
    expect((await testClient(stage.server.url, undefined, '').get(at, ifChanged)).status).toBe(304)

    // Private things change.
    const secret = { puts: [put('secret', true)], opening: { message: 'A secret' } }
    const { semver } = await stage.push(first.path, { base: 'v1.1.0', ...secret })
    const hidden = await stage.newCollection({ public: false })
    await stage.push(hidden.path, { opening: { schemas: { A: {} } }, puts: [put('a', false)] })
    await withdraw(first.path, semver)
    for (const as of [undefined, cookie])
      for (const path of [at, `${at}?view=public`]) expect((await read(path, as)).text).toBe(text)

    // A rename changes no id.
    await change(second.path, { slug: 'renamed' })
    const renamed = (await read(at)).text
    expect(idsOf(renamed)).toEqual(idsOf(text))
    expect(renamed).toContain(`href="${stage.server.url}/ada/renamed/v/v1.0.0"`)
    await change('/collections/ada/renamed', { public: false })
    expect((await read(at, cookie)).text).not.toContain('renamed')
    await withdraw(first.path, 'v1.0.0')
    expect(updatedOf((await read(at)).text) > updatedOf(text)).toBe(true)
  })

  test('pages link to their feeds', async () => {
    const { path, slug } = await stage.newCollection()
    await stage.push(path, { opening: { schemas: { A: {} } } })
    for (const page of [`/ada/${slug}`, `/ada/${slug}/v/v1.0.0`, `/ada/${slug}/versions`]) {
      const { text } = await read(page)
      const [head, body] = text.split('</head>')
      expect(head).toContain(`type="application/atom+xml" href="/ada/${slug}/versions.atom"`)
      expect(head).toContain(`type="application/feed+json" href="/ada/${slug}/feed.json"`)
      expect(body!.includes('feed.json"')).toBe(page.endsWith('/versions'))
    }
    expect((await read('/ada')).text.match(/href="\/ada\/-\/feed\.atom"/g)).toHaveLength(2)
    expect((await read('/absent/-/feed.atom')).status).toBe(404)
    expect((await read(`/ada/${slug}/versions?view=public`, cookie)).text).toContain('feed.json?view=public"')
  })
})
