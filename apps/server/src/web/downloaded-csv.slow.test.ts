/** A table that is downloaded, edited and uploaded in the browser: only the edits change, and the page shows them before they are published. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Client, createClient } from '@ulmus/client'
import { databases } from '@ulmus/storage/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumInstalled, openChromium } from '../testing/chromium.ts'
import { serveForTest, type TestServer } from '../testing/serve.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const Country = {
  type: 'object',
  properties: {
    name: {
      type: 'object',
      properties: {
        common: { type: 'string' },
        official: { type: 'string' },
        since: { type: 'string', format: 'date-time' },
      },
      required: ['common'],
      additionalProperties: false,
      propertyOrder: 0,
    },
    code: { type: 'string', propertyOrder: 1 },
    area: { type: 'number', propertyOrder: 2 },
    isLandlocked: { type: 'boolean', propertyOrder: 3 },
    founded: { type: 'string', format: 'date', propertyOrder: 4 },
    note: { type: 'string', propertyOrder: 5 },
  },
  required: ['name', 'code'],
  additionalProperties: false,
}
const hostile = '<img src=x onerror="document.title=1">'
/** The table has all of them in UTC, and no leap second. */
const since = ['2026-01-31T12:00:00Z', '2026-01-31T13:00:00.123456789+01:00', '2016-12-31T23:59:60Z']
const country = (number: number) => ({
  name: {
    common: `Country ${number}`,
    ...(number % 2 === 0 ? { official: `The "Great", ${number}`, since: since[number % 3] } : {}),
  },
  ...{ code: String(number).padStart(3, '0'), area: number * 1.5, isLandlocked: number % 3 === 0 },
  ...(number % 4 === 0 ? { founded: '1814-05-17', note: '' } : {}),
})
const records = Array.from({ length: 1_300 }, (_, at) => ({
  id: at === 7 ? hostile : `c-${String(at).padStart(4, '0')}`,
  type: 'Country',
  data: country(at),
}))

describe.skipIf(!chromiumInstalled())('a downloaded CSV', { timeout: 180_000 }, () => {
  let browser: Browser
  let registry: TestServer
  let disposeDatabase: () => Promise<void>
  let page: Page
  let client: Client
  let key: string
  let collections = 0
  const complaints: string[] = []

  beforeAll(async () => {
    const { settings, dispose } = await databases[0]!.settings()
    disposeDatabase = dispose
    registry = await serveForTest(settings, { rateLimits: null })
    browser = await openChromium()
    const { cookie } = await registry.signIn('ada')
    key = await registry.keyFor(cookie, 'admin')
    client = createClient({ baseUrl: registry.url, apiKey: key })
    const ada = await browser.newContext({ baseURL: registry.url })
    await ada.addCookies(
      cookie.split('; ').map((pair) => {
        const [name = '', value = ''] = pair.split(/=(.*)/s)
        return { name, value, url: registry.url }
      }),
    )
    ada.setDefaultTimeout(60_000)
    page = await ada.newPage()
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
  })
  afterAll(async () => {
    await browser?.close()
    await registry?.close()
    await disposeDatabase?.()
  })

  async function collection(): Promise<string> {
    const slug = `countries-${++collections}`
    await client.collections.create('ada', { slug, public: true })
    await client.push(`ada/${slug}`, { baseVersion: null, schemas: { Country } as never, records })
    return `ada/${slug}`
  }

  /** The CSV of the page of records. @param query chooses columns */
  async function download(ref: string, query = ''): Promise<string> {
    const at = `${registry.url}/api/collections/${ref}/versions/v1.0.0/tables/Country.csv${query}`
    const response = await fetch(at, { headers: { authorization: `Bearer ${key}` } })
    expect(response.status).toBe(200)
    return response.text()
  }

  async function compare(ref: string, text: string, everything = true): Promise<void> {
    await page.goto(`/${ref}/push`)
    const file = { name: 'countries.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
    await page.setInputFiles('[type=file]', file)
    const button = page.getByRole('button', { name: 'See what would change', exact: true })
    await button.waitFor()
    if (everything) await page.getByLabel('everything').check()
    await button.click()
    await page.getByRole('heading', { name: 'What would change' }).waitFor()
  }
  const totals = () => page.locator('.totals').textContent()
  const cellsOf = (label: string, row: number) =>
    page.getByLabel(label).getByRole('row').nth(row).locator('th, td').allTextContents()

  test.each([
    { columns: 'all columns', query: '' },
    {
      columns: 'members as columns',
      query: '?columns=_id,name.common,name.official,name.since,code,area,isLandlocked,founded,note',
    },
  ])('one edited cell is one changed record, with $columns', async ({ query }) => {
    const ref = await collection()
    const text = await download(ref, query)
    await compare(ref, text)
    await page
      .getByText(/^These look like more Country: all \d columns and 1,300 of 1,300 ids match\.$/)
      .waitFor()
    expect(await totals()).toBe('0 added0 updated0 removed1,300 unchanged')
    await compare(ref, text.replace('Country 12', 'Country twelve'))
    expect(await totals()).toBe('0 added1 updated0 removed1,299 unchanged')
    expect(await cellsOf('Updated records', 0)).toEqual(['id', 'name.common'])
    expect(await cellsOf('Updated records', 1)).toEqual([
      'c-0012 (opens in a new tab)',
      'was Country 12is Country twelve',
    ])
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('is published: the records of a file.').waitFor()
    const { schemas, semver } = await client.versions.get(ref)
    expect([schemas, semver]).toEqual([{ Country }, 'v1.1.0'])
  })

  test.each([
    { width: 1280, colorScheme: 'light' },
    { width: 390, colorScheme: 'dark' },
  ] as const)('the first ten of each change: $width px, $colorScheme', async ({ width, colorScheme }) => {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    const ref = await collection()
    const [header = '', ...lines] = (await download(ref)).trimEnd().split('\n')
    const kept = lines
      .slice(0, 60)
      .map((line, at) =>
        at < 15
          ? line.replace(/Country \d+/, 'Renamed').replace('true', 'false')
          : line.replace('1814-05-17', '1814-05-18'),
      )
    const added = Array.from(
      { length: 1_244 },
      (_, at) =>
        `new-${at},"{""common"":""<b>New</b> ${'long '.repeat(at === 0 ? 100 : 1)}""}",${at},1,true,,`,
    )
    await compare(ref, [header, ...kept, ...added].join('\n'))
    expect(await page.locator('.changed-records h4').allTextContents()).toEqual([
      'Updated',
      'Added',
      'Removed',
    ])
    expect(await page.locator('.changed-records tbody tr').count()).toBe(30)
    await page.getByText('and 1,234 more records', { exact: true }).waitFor()
    const link = page.getByLabel('Removed records').getByRole('link').first()
    const href = (await link.getAttribute('href'))!
    expect((await page.request.get(href)).status()).toBe(200)
    expect([await page.locator('#push img').count(), await page.locator('#push b').count()]).toEqual([0, 0])
    const violations = (await page.evaluate(
      `(() => { ${axe}; return axe.run().then((r) => r.violations.map(({ id, nodes }) => id + ': ' + nodes.map((n) => n.target).join(' '))) })()`,
    )) as string[]
    expect(violations).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
  })

  test('no page has complained', () => {
    expect(complaints).toEqual([])
  })
})
