import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Stage, setStage } from '../testing/stage.ts'
import { testClient } from '../testing/test-client.ts'

describe.each(anyDatabase)('feeds on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage(database)
  })
  afterAll(() => stage.end())

  const read = async (path: string, cookie?: string) =>
    testClient(stage.server.url, cookie === undefined ? undefined : { cookie }, '').get(path)

  test('a collection has its versions as JSON Feed 1.1, withdrawn ones with their reason', async () => {
    const { path, id, slug } = await stage.newCollection()
    await stage.push(path, { opening: { schemas: { A: {} }, message: 'First & <b>' } })
    await stage.ada.patch(`${path}/metadata`, { license: 'MIT' })
    await stage.ada.post(`${path}/versions/v1.0.0/withdraw`, { reason: 'wrong' })
    const { status, headers, text } = await read(`/ada/${slug}/feed.json`)
    expect([status, headers['content-type']]).toEqual([200, 'application/feed+json; charset=utf-8'])
    expect(JSON.parse(text)).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      title: `ada/${slug}`,
      home_page_url: `${stage.server.url}/ada/${slug}/versions`,
      feed_url: `${stage.server.url}/ada/${slug}/feed.json`,
      items: [
        { id: `urn:uuid:${id}:v1.0.1`, url: `${stage.server.url}/ada/${slug}/v/v1.0.1` },
        { id: `urn:uuid:${id}:v1.0.0`, title: 'v1.0.0: withdrawn: wrong' },
      ],
    })
  })

  test('an account has the new versions of its collections as Atom, private ones for members alone', async () => {
    const open = await stage.newCollection()
    const hidden = await stage.newCollection({ public: false })
    for (const { path } of [open, hidden]) await stage.push(path, { opening: { schemas: { A: {} } } })
    const { cookie } = await stage.server.signIn('ada')
    await vi.waitFor(
      async () => expect((await read('/ada/-/feed.atom', cookie)).text).toContain(hidden.slug),
      10_000,
    )
    const { status, headers, text } = await read('/ada/-/feed.atom')
    expect([status, headers['content-type']]).toEqual([200, 'application/atom+xml; charset=utf-8'])
    expect(text).toContain(`<title>${open.slug} v1.0.0</title>`)
    expect(text).toContain(`href="${stage.server.url}/ada/${open.slug}/v/v1.0.0"`)
    expect(text).not.toContain(hidden.slug)
    expect(text.indexOf(open.slug)).toBeGreaterThan(0)
    expect((await read('/absent/-/feed.atom')).status).toBe(404)
    expect((await read('/ada')).text).toContain('href="/ada/-/feed.atom"')
  })
})
