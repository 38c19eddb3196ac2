/** Collections full of hostile text in Chromium with scripts enabled: nothing of it runs, loads, reverses our text or slows pages. */
import { databases } from '@ulmus/storage/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstGood } from '../../../../packages/content/src/testing/measured.ts'
import { chromiumInstalled, openChromium } from '../testing/chromium.ts'
import { machineSlowness } from '../testing/machine-speed.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { expectStatus, fileHash } from '../testing/test-client.ts'

/** Marks that reverse the text after them, with an end marker. */
const turn = '\u202e\u2066\u200bEND'
const script = `"'><script>window.__ran=1</script><img src=x onerror="window.__ran=2"><svg onload=window.__ran=3>`
const evil = `${script}</script><!--]]>{{7*7}}\${1}${turn}`
/** On one line, like names of collections. */
const name = `</title>${script.slice(0, 120)}${turn}`
const url = 'javascript:window.__ran=4'
/** Names of types and ids may contain anything except control characters (see the test of refusals). */
const type = `T"'><b onclick=window.__ran=5>`
const evilId = `${script}</script><!--]]>{{7*7}}\${1}`
/** Names of members that every JavaScript object has. */
const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty']

const pageMillisecondsMax = 2_000
const pageBytesMax = 2_000_000

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" onload="window.__ran=6"><script>window.__ran=7</script><image href="https://elsewhere.example/x.png"/><rect width="40" height="30" fill="red"/></svg>`
const html = `<!doctype html><title>x</title><script>window.__ran=8</script></pre><script>window.__ran=9</script>${turn}`
const files = [
  [svg, 'image/svg+xml'],
  [html, 'text/html'],
  [`{"a": "${'<b>'.repeat(40_000)}"}`, 'application/json'],
  ['\u0000\u0001 no text', 'text/plain'],
] as const

describe.skipIf(!chromiumInstalled())('hostile collections', { timeout: 120_000 }, () => {
  let stage: Stage
  let browser: Browser
  let page: Page
  const complaints: string[] = []
  const elsewhere: string[] = []

  beforeAll(async () => {
    stage = await setStage(databases[1]!, { rateLimits: null })
    browser = await openChromium()
    const context = await browser.newContext({ baseURL: stage.server.url })
    page = await context.newPage()
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('console', (message) => {
      if (message.type() === 'error' || /Content Security Policy/.test(message.text()))
        complaints.push(`${page.url()}: ${message.text()}`)
    })
    page.on('request', (request) => {
      const to = new URL(request.url())
      if (to.protocol !== 'data:' && to.origin !== stage.server.url) elsewhere.push(request.url())
    })
    const { cookie } = await stage.server.signIn('ada')
    await fetch(`${stage.server.url}/api/accounts/ada`, {
      method: 'PATCH',
      headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ displayName: name }),
    })
    await makeEvil()
    await makeHuge()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await stage?.end()
  })

  /** Fills every text with hostile content. */
  async function makeEvil(): Promise<void> {
    const path = '/collections/ada/evil'
    await expectStatus(
      stage.ada.post('/accounts/ada/collections', { slug: 'evil', name, description: evil, public: true }),
      201,
    )
    for (const [text, contentType] of files)
      await expectStatus(stage.ada.upload(path, text, contentType), 201)
    const field = { title: evil, description: evil, examples: [url] }
    const schema = {
      title: evil,
      description: evil,
      properties: {
        name: field,
        [evil]: { ...field, enum: [evil, url, 1] },
        [`${evil}2`]: { ...field, 'x-ref-type': type },
        pattern: { ...field, type: 'string', pattern: '^[<"&]' },
        nested: field,
        link: field,
        ...Object.fromEntries(files.map((_, n) => [`file${n}`, {}])),
        ...JSON.parse(`{${inherited.map((one) => `${JSON.stringify(one)}: {"title": "inherited"}`)}}`),
      },
    }
    const schemas = JSON.parse(`{${inherited.map((one) => `${JSON.stringify(one)}: {"properties": {}}`)}}`)
    schemas[type] = schema
    const data = (n: number) => ({
      name: evil,
      [evil]: n === 0 ? evil : url,
      [`${evil}2`]: [evilId, evil, '..'],
      nested: { [evil]: [[evil, url, { $file: evil }]] },
      link: `https://elsewhere.example/b${turn}`,
      ...Object.fromEntries(files.map(([text], at) => [`file${at}`, { $file: fileHash(text) }])),
    })
    const puts = [evilId, '..', `/?#%2e${evilId}`, url].map((id, n) => ({ id, type, data: data(n) }))
    puts.push({ id: 'constructor', type: 'constructor', data: {} as ReturnType<typeof data> })
    const metadata = {
      description: evil,
      license: url,
      title: evil,
      creators: [evil, { name: evil }],
      readme: `# ${evil}\n\n${evil}\n\n[a](${url}) [b](data:text/html,<script>window.__ran=10</script>)\n\n![c](https://elsewhere.example/x.png) ![d](${fileHash(svg)})\n\n<iframe src="//elsewhere.example"></iframe>\n\n| a |\n|---|\n| ${'x'.repeat(500)} |`,
    }
    const words = { message: evil, app_id: evil.slice(0, 100) + turn, actor_id: evil.slice(0, 100) + turn }
    await stage.push(path, { opening: { schemas, metadata, ...words }, puts })
    const changed = puts.map((put, n) => ({ ...put, data: put.type === type ? data(n + 1) : {} }))
    await stage.push(path, {
      base: 'v1.0.0',
      opening: { schemas: { ...schemas, [type]: { ...schema, title: url } }, ...words },
      puts: changed,
    })
  }

  /** Fills everything up to the registry's limits. */
  async function makeHuge(): Promise<void> {
    const path = '/collections/ada/huge'
    await expectStatus(
      stage.ada.post('/accounts/ada/collections', { slug: 'huge', name: 'n'.repeat(200), public: true }),
      201,
    )
    const quotes = '"<&'.repeat(80)
    const longNames = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [
        `${n}${'<'.repeat(500)}`,
        { title: quotes, description: quotes },
      ]),
    )
    const names = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${n}${'<'.repeat(70)}`, {}]))
    const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`f${n}`, {}]))
    const types = Object.fromEntries(
      Array.from({ length: 990 }, (_, n) => [
        `Type ${n} ${'w'.repeat(90)}`,
        { properties: n < 100 ? longNames : names },
      ]),
    )
    const schemas = { 'A long': {}, 'A wide': { properties: many }, 'A nested': {}, ...types }
    const nested = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`n${n}`, [quotes.repeat(5), [[quotes.repeat(5)]]]]),
    )
    const changed = (n: number) =>
      Object.fromEntries(Object.entries(nested).map(([field, value]) => [field, [n, value]]))
    const puts = (n: number) => [
      ...['0', '1'].map((id) => ({ id, type: 'A long', data: { n, long: 'x'.repeat(8_000_000) } })),
      ...Array.from({ length: 40 }, (_, id) => ({
        id: `${id}`,
        type: 'A long',
        data: { n, quotes: quotes.repeat(400) },
      })),
      ...Array.from({ length: 60 }, (_, id) => ({
        id: `${id}`,
        type: 'A wide',
        data: Object.fromEntries(Object.keys(many).map((field) => [field, n])),
      })),
      ...Array.from({ length: 60 }, (_, id) => ({ id: `${id}`, type: 'A nested', data: changed(n) })),
    ]
    const metadata = {
      readme: '|a'.repeat(60_000),
      license: '"'.repeat(100_000),
      description: '"'.repeat(100_000),
      title: '&'.repeat(100_000),
      creators: Array.from({ length: 500 }, () => quotes),
    }
    await stage.push(path, { opening: { schemas, metadata, message: quotes }, puts: puts(0) })
    await stage.push(path, { base: 'v1.0.0', opening: { message: quotes }, puts: puts(1) })
  }

  const place = encodeURIComponent
  const evilPages = [
    '/',
    '/explore',
    `/explore?q=${place(evil)}&sort=constructor`,
    '/ada',
    '/ada/evil',
    '/ada/evil/v/v1.0.0',
    '/ada/evil/records',
    `/ada/evil/records/${place(type)}`,
    `/ada/evil/records/${place(type)}?id=${place(`none${evil}`)}`,
    `/ada/evil/record?type=${place(type)}&id=..`,
    ...[evilId, `/?#%2e${evilId}`, url].map((id) => `/ada/evil/records/${place(type)}/${place(id)}`),
    '/ada/evil/records/constructor/constructor',
    '/ada/evil/schemas',
    `/ada/evil/schemas?type=${place(type)}`,
    '/ada/evil/files',
    ...files.map(([text]) => `/ada/evil/files?hash=${place(fileHash(text))}`),
    '/ada/evil/versions',
    '/ada/evil/compare/v1.0.0...v2.0.0',
    '/ada/evil/compare/v2.0.0...v1.0.0',
  ]
  const columns = Array.from({ length: 4_000 }, (_, n) => `f${n}`)
    .slice(0, 1_000)
    .join(',')
  const hugePages = [
    '/explore?q=nnnn',
    '/ada/huge',
    '/ada/huge/records/A%20long',
    '/ada/huge/records/A%20long/0',
    '/ada/huge/records/A%20long/10',
    '/ada/huge/records/A%20wide',
    `/ada/huge/records/A%20wide?columns=${columns}`,
    '/ada/huge/records/A%20wide/1',
    '/ada/huge/records/A%20nested',
    '/ada/huge/records/A%20nested/1',
    '/ada/huge/schemas',
    '/ada/huge/schemas?type=A%20wide',
    '/ada/huge/files',
    '/ada/huge/versions',
    '/ada/huge/versions.atom',
    '/ada/huge/feed.json',
    '/ada/-/feed.atom',
    '/ada/huge/compare/v1.0.0...v1.1.0',
    '/ada/huge/compare/v1.0.0...v1.1.0?type=A%20nested',
    '/ada/huge/compare/v1.0.0...v1.1.0?type=A%20wide',
  ]

  test('run nothing, load nothing, and turn no text around that is ours', async () => {
    const found: string[] = []
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      for (const path of evilPages) {
        const answer = await page.goto(path)
        if (answer?.status() !== 200) found.push(`${path} is answered ${answer?.status()}`)
        const { ran, wide, turned } = (await page.evaluate(`(${lookAt})()`)) as {
          ran: unknown
          wide: number
          turned: string[]
        }
        if (ran !== undefined) found.push(`${path} ran ${ran}`)
        if (wide > 0) found.push(`${path} is ${wide} px too wide at ${width}`)
        found.push(...turned.map((text) => `${path} turns ${JSON.stringify(text)}`))
        const title = await page.title()
        if (title.includes('\u202e')) found.push(`${path} has a title that turns`)
        // From the last one: those before keep their numbers.
        for (const summary of (await page.locator('main details:not([open]) > summary').all()).toReversed())
          await summary.click({ timeout: 2_000 }).catch(() => {})
      }
    }
    expect(found).toEqual([])
    expect(elsewhere).toEqual([])
    expect(complaints).toEqual([])
  })

  test('types and ids that turn text are refused', async () => {
    const path = '/collections/ada/refused'
    await expectStatus(stage.ada.post('/accounts/ada/collections', { slug: 'refused', public: true }), 201)
    const open = (name: string) =>
      stage.ada.post(`${path}/pushes`, { base_version: null, schemas: { [name]: {} } })
    expect(await open(type + turn)).toMatchObject({
      status: 422,
      json: { code: 'invalid_schema', error: expect.stringContaining('control character U+202E') },
    })
    const opened = await open(type)
    const to = `${path}/pushes/${opened.json.session_id}/records`
    const refused = await stage.ada.lines(to, [{ id: evilId + turn, type, data: {} }])
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('control character U+202E')])
    expect((await stage.ada.lines(to, [{ id: evilId, type, data: {} }])).status).toBe(200)
  })

  test('picture of an SVG is shown, its script is not run; its own address is no page', async () => {
    await page.goto(`/ada/evil/files?hash=${place(fileHash(svg))}`)
    const picture = page.locator('img.picture')
    await picture.waitFor()
    expect(
      await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
    ).toBe(40)
    for (const [text] of files) {
      const { headers } = await stage.anyone.get(`/collections/ada/evil/files/${fileHash(text)}`)
      expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox")
      expect([headers['x-content-type-options'], headers['content-disposition']]).toEqual([
        'nosniff',
        'attachment',
      ])
    }
    expect([elsewhere, await page.evaluate('window.__ran')]).toEqual([[], undefined])
  })

  test('texts are shown as they are, as far as a page may be long', async () => {
    await page.goto(`/ada/evil/files?hash=${place(fileHash(html))}`)
    expect(await page.locator('pre.text').textContent()).toBe(html)
    await page.goto(`/ada/evil/files?hash=${place(fileHash(files[2][0]))}`)
    expect((await page.locator('pre.text').textContent())!.length).toBe(65_536)
    await page.getByText('The first 65.5 kB of 120 kB.').waitFor()
    await page.goto(`/ada/evil/files?hash=${place(fileHash(files[3][0]))}`)
    expect([
      await page.locator('pre.text').count(),
      await page.getByText('It cannot be shown here').count(),
    ]).toEqual([0, 1])
  })

  test('however large, every page comes soon and is bounded', async () => {
    const found: string[] = []
    for (const path of [...evilPages, ...hugePages]) {
      // The first read fills caches, and includes all one-time work.
      await fetch(stage.server.url + path).then((answer) => answer.arrayBuffer())
      const ask = async () => {
        const from = performance.now()
        const answer = await fetch(stage.server.url + path)
        const { byteLength } = await answer.arrayBuffer()
        return { answer, byteLength, milliseconds: performance.now() - from }
      }
      const isSoon = ({ milliseconds }: { milliseconds: number }) => milliseconds <= pageMillisecondsMax
      const { answer, byteLength, milliseconds } = await firstGood(ask, isSoon)
      if (answer.status !== 200) found.push(`${path} is answered ${answer.status}`)
      if (byteLength > pageBytesMax) found.push(`${path} has ${byteLength} bytes`)
      const isLong = milliseconds > pageMillisecondsMax
      // Other work on the same cores slows this machine, too.
      if (isLong && milliseconds > pageMillisecondsMax * machineSlowness())
        found.push(`${path} took ${Math.round(milliseconds)} ms`)
    }
    expect(found).toEqual([])
  })

  test('the largest pages can be read', async () => {
    const found: string[] = []
    for (const path of [
      '/ada/huge',
      '/ada/huge/records/A%20wide',
      '/ada/huge/schemas',
      '/ada/huge/records/A%20nested/1',
    ]) {
      await page.goto(path)
      const { wide } = (await page.evaluate(`(${lookAt})()`)) as { wide: number }
      if (wide > 0) found.push(`${path} is ${wide} px too wide`)
    }
    expect(found).toEqual([])
  })
})

/**
 * Runs in the page. Finds our own text that a direction mark would reverse: text after the mark, up to the end of the nearest element that
 * isolates directions. Hostile text ends in `END`.
 */
const lookAt = `() => {
  // Each option of a list is a line of its own.
  const isolates = (element) => element.localName === 'option' || /isolate|plaintext/.test(getComputedStyle(element).unicodeBidi)
  const isolateOf = (node) => {
    let element = node.parentElement
    while (element !== document.body && !isolates(element)) element = element.parentElement
    return element
  }
  const turned = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  let open
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode
    if (parentElement.closest('script, style, textarea, noscript')) continue
    const isolate = isolateOf(walker.currentNode)
    if (open === isolate && /[\\w.]/.test(data) && !data.includes('\\u202e')) turned.push(data.slice(0, 80))
    const at = data.lastIndexOf('\\u202e')
    if (at < 0) continue
    open = isolate
    const rest = data.slice(at).split('END')[1] ?? ''
    // JSON and code are quoted as they are, a line at a time.
    if (/[\\w]/.test(rest.split('\\n')[0]) && !parentElement.closest('pre')) turned.push(data.slice(-80))
  }
  return { ran: window.__ran, wide: document.documentElement.scrollWidth - window.innerWidth, turned }
}`
