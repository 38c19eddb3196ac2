/** Pages over HTTP: hostile collections, views of strangers, forms, and sizes of scripts and styles. */

import { gzipSync } from 'node:zlib'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blankIn } from '../testing/html.ts'
import { addOrg } from '../testing/serve.ts'
import { pushesOn, type Stage, setStage } from '../testing/stage.ts'
import { fileHash, testClient, urlencoded } from '../testing/test-client.ts'
import { readingPaths, versionPaths } from './reading-pages.ts'

const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202eevil\u0007'
const long = 'x'.repeat(8_000_000)

describe.each(anyDatabase)('pages on $name', (database) => {
  let stage: Stage
  let cookie: string

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    cookie = (await stage.server.signIn('ada')).cookie
  })
  afterAll(() => stage.end())
  const { newPath } = pushesOn(() => stage)

  const clientOf = (as?: string) =>
    testClient(stage.server.url, as === undefined ? undefined : { cookie: as }, '')
  async function page(path: string, { as, form }: { as?: string; form?: Record<string, string> } = {}) {
    const client = clientOf(as)
    const response = await (form === undefined ? client.get(path) : client.postForm(path, form))
    const { status, headers, text: html } = response
    return { status, html, headers }
  }
  /** Posts a form from ada's browser as a page of another site would. */
  const postFromElsewhere = (path: string, form: Record<string, string>) =>
    clientOf().request('POST', path, {
      body: new URLSearchParams(form).toString(),
      headers: {
        ...{ ...urlencoded, cookie },
        ...{ 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' },
      },
    })
  /** Path of a collection's page. @param apiPath its path in the API, without `/api` */
  const pageOf = (apiPath: string) => apiPath.replace('/collections', '')

  test('a hostile collection does nothing and stays bounded', async () => {
    const path = await newPath()
    const many = Object.fromEntries(Array.from({ length: 499 }, (_, n) => [`T${n}`, { title: evil }]))
    const schemas = {
      A: {
        title: evil,
        description: evil,
        properties: {
          nested: {},
          long: {},
          $file: {},
          [evil]: { title: evil, description: evil, enum: [evil, 1, { a: 1 }] },
        },
      },
      ...many,
    }
    const puts = [
      {
        id: evil.replace(/[\u0007\u202e]/g, ''),
        type: 'A',
        data: { [evil]: evil, nested: { deep: [[[[evil]]]] } },
      },
      { id: 'long', type: 'A', data: { long } },
      { id: '..', type: 'A', data: { $file: evil } },
      { id: 'a/b?c#d%2F', type: 'A', data: evil },
    ].filter(({ data }) => typeof data === 'object')
    const metadata = {
      description: evil,
      license: evil,
      title: evil,
      creators: [evil, { name: evil }],
      readme: `${evil}\n\n[a](javascript:alert(1))\n\n![b](https://elsewhere.example/x.png)\n\n<iframe src="//elsewhere.example"></iframe>`,
    }
    await stage.push(path, { opening: { schemas, metadata, message: 'x"><script>alert(1)</script>' }, puts })
    await stage.ada.post(`${path}/questions`, {
      name: `Asked ${evil.replace('\u0007', '')}`,
      type: 'A',
      query: 'q=x',
      public: true,
    })
    const at = pageOf(path)
    const question = (await stage.anyone.get(`${path}/questions`)).json[0].slug
    const paths = [
      ...readingPaths(at, { id: 'long', question }),
      `${at}/record?type=A&id=..`,
      `${at}/records/A/${encodeURIComponent(puts[0]!.id)}`,
      `${at}/records/A?id=${encodeURIComponent(evil)}`,
      `/explore?q=${encodeURIComponent(evil)}`,
    ]
    for (const one of paths) {
      const { status, html, headers } = await page(one)
      expect([one, status]).toEqual([one, 200])
      const scripts = [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)
      const strange = scripts.filter(
        (tag) => !/^<script type="(?:module" src="\/assets\/[\w-]+\.js"|application\/ld\+json")>$/.test(tag),
      )
      expect([
        one,
        strange,
        /<[^>]+\son\w+=/.test(html),
        /<iframe|<img(?! class="thumbnail")/.test(html),
      ]).toEqual([one, [], false, false])
      expect([one, /href="(?!https?:|\/|#|\?)/.exec(html)?.[0]]).toEqual([one, undefined])
      expect(html.length, one).toBeLessThan(2_000_000)
      if (!/\.(?:atom|json)$/.test(one))
        expect(headers['content-security-policy']).toContain("script-src 'self'")
    }
  })

  test('names without visible characters are visible in links, headings and labels', async () => {
    const path = await newPath()
    const [space, hard, zero] = [' ', '\u00a0', '\u200b']
    const hash = (await stage.ada.upload(path, 'text', 'text/plain')).json.hash
    const properties = { [space]: { title: zero }, [hard]: { 'x-ref-type': hard }, [zero]: {}, file: {} }
    const schemas = { [hard]: { properties }, [zero]: { properties }, Plain: {} }
    const data = (n: number) => ({
      ...{ [space]: n, [hard]: [space, hard], [zero]: { [zero]: n } },
      ...{ file: { $file: hash, name: zero } },
    })
    const puts = [space, hard, zero].flatMap((id) =>
      [hard, zero].map((type) => ({ id, type, data: data(1) })),
    )
    await stage.push(path, { opening: { schemas }, puts })
    const changed = puts.map((put) => ({ ...put, data: data(2) }))
    await stage.push(path, { base: 'v1.0.0', puts: changed })
    await stage.ada.post(`${path}/questions`, { name: 'Asked', type: hard, public: true })
    const at = pageOf(path)
    const record = `${at}/records/${encodeURIComponent(hard)}/${encodeURIComponent(zero)}`
    const paths = [
      ...readingPaths(at, { id: zero, type: hard, pair: 'v1.0.0...v1.1.0' }),
      ...[record, `${record}/edit`, `${record}/delete`],
      `${at}/schemas/${encodeURIComponent(hard)}/edit`,
    ]
    const found: unknown[] = []
    for (const one of paths) {
      const { status, html } = await page(one, { as: cookie })
      expect([one, status]).toEqual([one, 200])
      found.push(...blankIn(html).map((element) => [one, element]))
    }
    expect(found).toEqual([])
  })

  test('hidden and absent collections look the same', async () => {
    const path = await newPath(false)
    await stage.push(path, { opening: { schemas: { A: {} } }, puts: [{ id: '1', type: 'A', data: {} }] })
    await stage.ada.post(`${path}/questions`, { name: 'Asked', type: 'A', public: true })
    const at = pageOf(path)
    const absent = `${at}z`
    const pathsOf = (one: string) => [
      ...readingPaths(one),
      ...versionPaths().map((below) => `${one}/v/v1.0.0${below}`),
      `${one}/compare`,
    ]
    for (const [index, one] of pathsOf(at).entries()) {
      const [hidden, none] = [await page(one), await page(pathsOf(absent)[index]!)]
      expect([one, hidden.status, none.status]).toEqual([one, 404, 404])
      expect(hidden.html.replaceAll(at, '').replaceAll(encodeURIComponent(at), '')).toBe(
        none.html.replaceAll(absent, '').replaceAll(encodeURIComponent(absent), ''),
      )
      expect((await page(one, { as: cookie })).status).toBeLessThan(400)
    }
  })

  test('a stranger reads no byte of what is private, on any page; a member does, and sees what others see', async () => {
    const path = await newPath()
    const secret = 'hush-hush'
    const schemas = {
      Open: { properties: { name: {}, [`${secret}-field`]: { private: true } } },
      [`T-${secret}`]: { private: true, properties: { name: {} } },
    }
    const puts = [
      { id: 'one', type: 'Open', data: { name: 'One', [`${secret}-field`]: secret } },
      { id: `${secret}-id`, type: 'Open', data: { name: secret }, private: true },
      { id: 'two', type: `T-${secret}`, data: { name: secret } },
    ]
    await stage.push(path, { opening: { schemas }, puts })
    await stage.push(path, {
      base: 'v1.0.0',
      opening: { message: secret },
      puts: [{ ...puts[1], data: { name: `${secret} 2` } }],
    })
    const at = pageOf(path)
    const queue = [at]
    const seen = new Set<string>()
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      const { html, status } = await page(next)
      expect([next, html.includes('hush')]).toEqual([next, false])
      if (status !== 200) continue
      for (const [, href] of html.matchAll(/href="([^"#]+)/g)) {
        const link = href!.replaceAll('&amp;', '&')
        if (link.startsWith(`${at}`) || link.startsWith(`/api${path}`)) queue.push(link)
      }
    }
    expect(seen.size).toBeGreaterThan(15)
    for (const guess of [`${at}/records/Open/${secret}-id`, `${at}/records/T-${secret}`, `${at}?view=full`])
      expect(
        (await page(guess)).html.replaceAll(guess, '').replaceAll(encodeURIComponent(guess), ''),
      ).not.toContain(`${secret} 2`)
    const own = await page(at, { as: cookie })
    expect(own.html).toContain(`1 of 3 records`.replace('1', '2'))
    const asPublic = await page(`${at}?view=public`, { as: cookie })
    expect(asPublic.html).toContain('As the public sees it.')
    expect(asPublic.html.split('As the public sees it.')[1]!.split('</p>')[1]).not.toContain('hush')
  })

  test('pictures and texts are shown and do nothing; what is private, to members in their view alone', async () => {
    const path = await newPath()
    const script = '<script>alert(1)</script>'
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${script}</svg>`
    const [wide, latin] = ['ä'.repeat(40_000), Buffer.from('caf\xe9', 'latin1')]
    const files = [
      [svg, 'image/svg+xml'],
      [`</pre>${script}`, 'text/html'],
      [wide, 'text/plain'],
      [latin, 'text/csv; charset=iso-8859-1'],
      ['hush-hush', 'text/plain'],
    ] as const
    for (const [bytes, type] of files) await stage.ada.upload(path, bytes, type)
    const [picture, page1, cut, latin1, secret] = files.map(([bytes]) => fileHash(bytes))
    const of = (...hashes: string[]) => hashes.map(($file) => ({ $file }))
    const puts = [
      {
        id: 'open',
        type: 'A',
        data: { all: of(picture!, page1!, cut!, latin1!), none: { $file: 'sha256:none' } },
      },
      { id: 'mine', type: 'A', data: { file: { $file: secret } }, private: true },
    ]
    await stage.push(path, { opening: { schemas: { A: {} } }, puts })
    const at = pageOf(path)
    const look = async (hash: string, options = {}, more = '') =>
      (await page(`${at}/files?hash=${encodeURIComponent(hash)}${more}`, options)).html
    expect(await look(picture!)).toContain(`<img class="picture" src="/api${path}/files/${picture}"`)
    expect(await look(page1!)).toMatch(
      /<pre class="text"[^>]*>&lt;\/pre>&lt;script>alert\(1\)&lt;\/script><\/pre>/,
    )
    const html = await look(cut!)
    expect(html).toContain(`${'ä'.repeat(32_768)}</pre>`)
    expect(html).toContain('The first 65.5 kB of 80 kB.')
    expect(await look(latin1!)).toContain('>café</pre>')
    for (const one of [picture!, page1!]) expect(await look(one)).not.toContain(script)
    const record = await page(`${at}/records/A/open`)
    expect([record.status, record.html.match(/<figure class="file">/g)?.length]).toEqual([200, 4])
    expect(record.html).not.toContain(script)
    expect(await look(secret!, { as: cookie })).toContain('hush-hush')
    for (const hidden of [await look(secret!), await look(secret!, { as: cookie }, '&view=public')]) {
      expect(hidden).toContain('This version has no such file.')
      expect(hidden).not.toContain('hush-hush')
    }
  })

  test('a version that was withdrawn says so where no other stands, too', async () => {
    const path = await newPath()
    await stage.push(path, { opening: { schemas: { A: {} } }, puts: [{ id: '1', type: 'A', data: {} }] })
    await (await stage.keyOfAda('admin')).post(`${path}/versions/v1.0.0/withdraw`, {
      reason: 'It was wrong.',
    })
    const at = pageOf(path)
    expect((await page(at)).status).toBe(200)
    for (const below of versionPaths())
      for (const as of [{}, { as: cookie }]) {
        const { status, html } = await page(`${at}/v/v1.0.0${below}`, as)
        expect([below, status, html.includes('It was wrong.')]).toEqual([below, 410, true])
        expect([below, (await page(`${at}/v/v9.0.0${below}`, as)).status]).toEqual([below, 404])
      }
  })

  test('the other view is of the same page: its query stays', async () => {
    const path = await newPath()
    const puts = [
      { id: '..', type: 'A', data: {} },
      { id: 'b', type: 'A', data: {}, private: true },
    ]
    await stage.push(path, { opening: { schemas: { A: {} } }, puts })
    const { html } = await page(`${pageOf(path)}/record?type=A&id=..`, { as: cookie })
    const [, other] = /<a href="([^"]+)">Show as the public sees it/.exec(html)!
    const asPublic = await page(other!.replaceAll('&amp;', '&'), { as: cookie })
    expect([asPublic.status, asPublic.html.includes('As the public sees it.')]).toEqual([200, true])
    expect(asPublic.html).toContain(`href="${pageOf(path)}/versions?view=public"`)
    const chosen = await page(`${pageOf(path)}/records/A?columns=n&columns=m`, { as: cookie })
    expect(chosen.html).toContain(`href="${pageOf(path)}/records/A?columns=n&amp;columns=m&amp;view=public"`)
    const list = await page(`${pageOf(path)}/records/A?view=public`, { as: cookie })
    expect(list.html).toContain(`href="${pageOf(path)}/record?type=A&amp;id=..&amp;view=public"`)
  })

  test('forms are refused from other sites, to strangers, and keep what was typed', async () => {
    const form = { slug: 'Not A Slug', name: 'Typed', owner: 'ada' }
    expect((await page('/new', { form })).status).toBe(401)
    const refused = await page('/new', { form, as: cookie })
    expect([
      refused.status,
      refused.html.includes('value="Not A Slug"'),
      refused.html.includes('role="alert"'),
    ]).toEqual([422, true, true])
    const other = await postFromElsewhere('/new', { ...form, slug: 'stolen' })
    expect([other.status, other.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8'])
    expect((await stage.ada.get('/collections/ada/stolen')).status).toBe(404)
    expect((await page('/settings')).headers.location).toBe('/auth/login?return_to=%2Fsettings')
  })

  test('browsers that are signed in are listed by name, and one that is signed out is out', async () => {
    const other = (await stage.server.signIn('ada')).cookie
    const { html } = await page('/settings/sessions', { as: cookie })
    expect(html).toContain('this one')
    const [, id] = /name="end" value="([^"]+)"/.exec(html)!
    const ended = await page('/settings/sessions', { as: cookie, form: { end: id! } })
    expect([ended.status, ended.headers.location]).toEqual([303, '/settings/sessions?ended=1'])
    const again = await page('/settings/sessions', { as: cookie, form: { end: id! } })
    expect(again.status).toBe(404)
    await page('/settings/sessions', { as: cookie, form: {} })
    expect((await page('/settings/keys', { as: other })).status).toBe(302)
    const alone = await page('/settings/sessions', { as: cookie })
    expect([alone.status, alone.html.includes('name="end"')]).toEqual([200, false])
  })

  test('a terminal is allowed or refused by its own form alone, and says what it is in text', async () => {
    const deviceCode = async (label: string) => {
      const headers = { 'content-type': 'application/json', 'user-agent': '<i>me</i>' }
      const body = JSON.stringify({ scope: 'admin', label })
      return (await clientOf().request('POST', '/auth/device', { headers, body })).json
    }
    const { user_code: code } = await deviceCode('<script>alert(1)</script>')
    const path = `/auth/device?user_code=${code}`
    expect((await page(path)).headers.location).toBe(`/auth/login?return_to=${encodeURIComponent(path)}`)
    const { html } = await page(path, { as: cookie })
    expect(html).not.toContain('<script>alert')
    expect(html).not.toContain('<i>me')
    expect(html).toContain('do everything that you may do')
    const elsewhere = await postFromElsewhere('/auth/device/answer', { code, decision: 'allow' })
    expect(elsewhere.status).toBe(403)
    expect((await page('/auth/device/answer', { form: { code, decision: 'allow' } })).status).toBe(401)
    const wrong = await page('/auth/device?user_code=BBBB-BBBB', { as: cookie })
    expect([wrong.status, wrong.html.includes('This code is wrong, has expired')]).toEqual([404, true])
    expect(wrong.html).toContain('value="BBBB-BBBB"')
    const refused = await page('/auth/device/answer', { as: cookie, form: { code, decision: 'refuse' } })
    expect(refused.html).toContain('The program gets no key')
  })

  test('an unknown path shows a page, also below a collection', async () => {
    const below = [
      '/ada/nothing/at/all',
      '/ada/nothing/records/a/b/c/d',
      '/docs/nothing',
      '/docs/api/nothing',
    ]
    for (const path of [...below, '/docs/nothing/at/all', '/missing']) {
      const { status, headers } = await page(path)
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8'])
    }
    const inApi = await clientOf().get('/api/nothing/at/all')
    expect([inApi.status, inApi.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
  })

  test('a fork is compared with its source, in words and records; what moved is followed', async () => {
    const path = await newPath()
    await stage.push(path, {
      opening: { schemas: { A: {} } },
      puts: [
        { id: '1', type: 'A', data: { n: 1 } },
        { id: '2', type: 'A', data: {} },
      ],
    })
    await addOrg(stage.server, { cookie }, 'forkers')
    const made = await stage.ada.post(`${path}/fork`, {
      ...{ targetOrg: 'forkers', slug: 'the-fork', public: false },
    })
    expect([made.status, made.text]).toEqual([201, made.text])
    await stage.push('/collections/forkers/the-fork', {
      base: 'v1.0.0',
      opening: { schemas: { A: { properties: { n: {} } } } },
      puts: [{ id: '1', type: 'A', data: { n: 2 } }],
      deletes: [{ id: '2', type: 'A' }],
    })
    const { html: overview } = await page('/forkers/the-fork', { as: cookie })
    const [, link] = /href="(\/forkers\/the-fork\/compare\/ada[^"]+)"/.exec(overview)!
    const { status, html } = await page(link!, { as: cookie })
    expect([status, html.includes('A major change'), html.includes('<code>n</code> is new: any')]).toEqual([
      200,
      true,
      true,
    ])
    expect(html).toContain(`href="${pageOf(path)}/v/v1.0.0/records/A/2"`)
    expect(html).toContain('href="/forkers/the-fork/v/v2.0.0/records/A/1"')
    const [, back] = /href="([^"]+)">The other way round/.exec(html)!
    expect((await page(back!, { as: cookie })).status).toBe(200)
    expect((await page(link!)).status).toBe(404)
    expect((await page(`${pageOf(path)}/compare/forkers/the-fork@v1.0.0...v1.0.0`)).status).toBe(404)
    await stage.ada.patch(path, { slug: 'the-source' })
    const moved = await page(link!, { as: cookie })
    expect([moved.status, moved.headers.location]).toEqual([
      308,
      '/forkers/the-fork/compare/ada/the-source%40v1.0.0...v2.0.0',
    ])
  })

  test('settings of a collection name the keys that are for it alone, and lead to making one', async () => {
    const { slug, id } = await stage.newCollection()
    const other = await stage.newCollection()
    await stage.server.keyFor(cookie, 'write', { label: 'Of this one', collectionId: id })
    await stage.server.keyFor(cookie, 'write', { label: 'Of another', collectionId: other.id })
    const { html } = await page(`/ada/${slug}/settings`, { as: cookie })
    expect([html.includes('Of this one'), html.includes('Of another')]).toEqual([true, false])
    const [, link] = /href="(\/settings\/keys\?[^"]+)"/.exec(html)!
    expect((await page(link!, { as: cookie })).html).toContain(`value="ada/${slug}"`)
  })

  test('settings that are saved keep what their form does not show', async () => {
    const { status } = await stage.ada.post('/accounts/ada/collections', {
      slug: 'described',
      description: 'Its own',
    })
    expect(status).toBe(201)
    await stage.push('/collections/ada/described', {
      opening: { schemas: { A: {} } },
      puts: [{ id: '1', type: 'A', data: {} }],
    })
    const form = { name: 'Renamed', slug: 'described', visibility: 'private' }
    expect((await page('/ada/described/settings', { as: cookie, form })).status).toBe(303)
    const { name, description } = (await stage.ada.get('/collections/ada/described')).json
    expect([name, description]).toEqual(['Renamed', 'Its own'])
  })

  test('a private record that is edited in the browser stays private', async () => {
    const path = await newPath()
    const puts = [
      { id: 'a', type: 'A', data: { n: 1 } },
      { id: 'b', type: 'A', data: { n: 1 }, private: true },
    ]
    await stage.push(path, { opening: { schemas: { A: {} } }, puts })
    const saved = await page(`${pageOf(path)}/records/A/b/edit`, {
      as: cookie,
      form: { base: 'v1.0.0', data: '{\r\n"n": 2\r\n}' },
    })
    expect(saved.status).toBe(303)
    expect((await stage.ada.get(`${path}/versions/latest/records/A/b`)).json.data).toEqual({ n: 2 })
    expect((await stage.anyone.get(`${path}/versions/latest/records/A/b`)).status).toBe(404)
    const late = await page(`${pageOf(path)}/records/A/a/edit`, {
      as: cookie,
      form: { base: 'v1.0.0', data: '{"n":3}' },
    })
    expect([late.status, late.html.includes('&quot;n&quot;:3') || late.html.includes('{"n":3}')]).toEqual([
      409,
      true,
    ])
  })

  test('a page that moved is redirected; the latest and a version have one canonical link each', async () => {
    const path = await newPath()
    await stage.push(path, { opening: { schemas: { A: {} } }, puts: [{ id: '1', type: 'A', data: {} }] })
    const at = pageOf(path)
    for (const written of ['v1.0.0', '1.0.0']) {
      const { html } = await page(`${at}/v/${written}`)
      expect(html).toContain(`<link rel="canonical" href="${stage.server.url}${at}/v/v1.0.0"/>`)
    }
    await stage.ada.patch(path, { slug: 'moved-page' })
    const moved = await page(`${at}/records?x=1`)
    expect([moved.status, moved.headers.location]).toEqual([308, '/ada/moved-page/records?x=1'])
  })

  test('scripts and styles are within their bounds, and are kept for ever', async () => {
    const size = async (path: string) => {
      const { html, headers } = await page(path)
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
      return gzipSync(html).length
    }
    const pathsIn = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, path]) => path!)
    const total = async (path: string, pattern: RegExp, as?: string) => {
      let sum = 0
      for (const file of pathsIn((await page(path, as === undefined ? {} : { as })).html, pattern))
        sum += await size(file)
      return sum
    }
    const path = pageOf(await newPath())
    expect(await total('/', /href="(\/assets\/[^"]+\.css)"/g)).toBeLessThanOrEqual(20_480)
    expect(await total('/', /src="(\/assets\/[^"]+\.js)"/g)).toBeLessThanOrEqual(20_480)
    const script = /src="(\/assets\/[^"]+\.js)"/g
    expect(await total(`${path}/push`, script, cookie)).toBeLessThanOrEqual(61_440)
  })

  test('a collection that was made private is missing in the site map at once', async () => {
    const path = await newPath()
    await stage.push(path, { opening: { schemas: { A: {} } }, puts: [{ id: '1', type: 'A', data: {} }] })
    const at = `${pageOf(path)}</loc>`
    expect((await page('/sitemap.xml')).html).toContain(at)
    const body = '{"public":false}'
    const hidden = await stage.ada.request('PATCH', path, {
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(hidden.status).toBe(200)
    expect((await page('/sitemap.xml')).html).not.toContain(at)
  })

  test.each(['/robots.txt', '/sitemap.xml', '/llms.txt', '/favicon.svg', '/site.webmanifest'])(
    '%s is there for programs',
    async (path) => {
      const { status, html } = await page(path)
      expect([status, html.length > 50]).toEqual([200, true])
    },
  )
})
