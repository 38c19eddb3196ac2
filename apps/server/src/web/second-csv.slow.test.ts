/** Publishing a second file of a collection in the browser: under any name private data stays private, and every refusal has a remedy. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Client, createClient } from '@ulmus/client'
import { databases } from '@ulmus/storage/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumInstalled, openChromium } from '../testing/chromium.ts'
import { serveForTest, type TestServer } from '../testing/serve.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const header = ['Grant id', 'Title', 'Amount', 'Year', 'Region', 'Case officer']
const regions = ['North', 'South', 'East', 'West']
const officer = (number: number) => `officer-${number % 7}@secret.example`

const grant = (number: number) => ({
  'Grant id': `G-${String(number).padStart(4, '0')}`,
  Title: `Grant number ${number}`,
  Amount: 1000 + number,
  Year: 2020 + (number % 6),
  Region: regions[number % 4]!,
  'Case officer': officer(number),
})
type Grant = ReturnType<typeof grant>

const grants = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => grant(from + at))
const csvOf = (rows: readonly Partial<Record<keyof Grant, unknown>>[], columns = header) =>
  [columns, ...rows.map((row) => columns.map((name) => row[name as keyof Grant] ?? ''))]
    .map((values) => values.join(','))
    .join('\n')

const Grants = {
  type: 'object',
  properties: {
    'Grant id': { type: 'string', propertyOrder: 0 },
    Title: { type: 'string', propertyOrder: 1 },
    Amount: { type: 'integer', propertyOrder: 2 },
    Year: { type: 'integer', propertyOrder: 3 },
    Region: { type: 'string', enum: regions, propertyOrder: 4 },
    'Case officer': { type: 'string', private: true, propertyOrder: 5 },
  },
  required: ['Grant id', 'Title'],
  additionalProperties: false,
}

describe.skipIf(!chromiumInstalled())('the second CSV', { timeout: 180_000 }, () => {
  let browser: Browser
  let registry: TestServer
  let disposeDatabase: () => Promise<void>
  let ada: BrowserContext
  let page: Page
  let client: Client
  let collections = 0
  const complaints: string[] = []

  beforeAll(async () => {
    const { settings, dispose } = await databases[0]!.settings()
    disposeDatabase = dispose
    registry = await serveForTest(settings, { rateLimits: null })
    browser = await openChromium()
    const { cookie } = await registry.signIn('ada')
    client = createClient({ baseUrl: registry.url, apiKey: await registry.keyFor(cookie, 'admin') })
    ada = await browser.newContext({ baseURL: registry.url })
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
      if (message.type() === 'error' && !message.text().includes('status of 4'))
        complaints.push(message.text())
    })
  })
  afterAll(async () => {
    await browser?.close()
    await registry?.close()
    await disposeDatabase?.()
  })

  /** A public collection with 300 grants, whose officers are private. */
  async function collection(): Promise<string> {
    const slug = `grants-${++collections}`
    await client.collections.create('ada', { slug, public: true })
    const records = grants(0, 300).map((data) => ({ id: data['Grant id'], type: 'Grants', data }))
    await client.push(`ada/${slug}`, { baseVersion: null, schemas: { Grants } as never, records })
    return `ada/${slug}`
  }

  const choose = async (ref: string, name: string, text: string | Buffer) => {
    await page.goto(`/${ref}/push`)
    await page.setInputFiles('[type=file]', { name, mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.getByRole('button', { name: 'See what would change', exact: true }).waitFor()
  }
  const compare = () => page.getByRole('button', { name: 'See what would change', exact: true }).click()
  const publish = async () => {
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('is published: the records of a file.').waitFor()
  }
  const totals = () => page.locator('.totals').textContent()

  /** Everything that the public can read of a collection, in all versions. */
  async function publicText(ref: string): Promise<string> {
    const anyone = createClient({ baseUrl: registry.url })
    const texts: string[] = []
    for await (const { semver } of anyone.versions.listAll(ref)) {
      texts.push(JSON.stringify(await anyone.versions.get(ref, semver)))
      for await (const record of anyone.records.iterate(ref, semver)) texts.push(JSON.stringify(record))
      texts.push(await (await fetch(`${registry.url}/${ref}/v/${semver}/records?type=Grants`)).text())
    }
    return texts.join('\n')
  }

  const names = ['grants.csv', 'grants-2.csv', 'grants (1).csv', 'export.csv']

  test.each(names)(
    '%s is more of the type that is there, and its private column stays private',
    async (name) => {
      const ref = await collection()
      await choose(ref, name, csvOf(grants(20, 323)))
      expect(await page.getByLabel('Type', { exact: true }).inputValue()).toBe('Grants')
      await page.getByText('These look like more Grants: all 6 columns and 280 of 303 ids match.').waitFor()
      expect(await page.getByLabel('Case officer is private').isChecked()).toBe(true)
      expect(await page.getByLabel('Title is required').isChecked()).toBe(true)
      expect(await page.getByLabel('Kind of Amount').inputValue()).toBe('integer')
      await compare()
      await page.getByText('23 added').waitFor()
      expect(await totals()).toBe('23 added0 updated0 removed280 unchanged')
      await page
        .getByText('The public will see: Grant id, Title, Amount, Year, Region; private: Case officer.')
        .waitFor()
      await publish()
      const seen = await publicText(ref)
      expect(seen).toContain('Grant number 322')
      expect([seen.includes('secret.example'), seen.includes('Case officer')]).toEqual([false, false])
    },
  )

  test('as a new type, a column that is private elsewhere begins as private, and needs a tick to become public', async () => {
    const ref = await collection()
    await choose(ref, 'grants-2.csv', csvOf(grants(0, 5)))
    await page.getByLabel('Type', { exact: true }).selectOption({ label: 'records of a new type' })
    await page.getByText('private in Grants').waitFor()
    const isPrivate = page.getByLabel('Case officer is private')
    expect(await isPrivate.isChecked()).toBe(true)
    await isPrivate.uncheck()
    await compare()
    const button = page.getByRole('button', { name: 'Publish', exact: true })
    await button.waitFor()
    expect(await button.isDisabled()).toBe(true)
    await page.getByLabel('Make Case officer public').check()
    expect(await button.isEnabled()).toBe(true)
    await page.getByLabel('Make Case officer public').uncheck()
    expect(await button.isDisabled()).toBe(true)
    await isPrivate.check()
    await compare()
    await publish()
    expect(await publicText(ref)).not.toContain('secret.example')
  })

  const renamed = (rows: readonly Grant[]) =>
    csvOf(
      rows.map((row) => ({ ...row, Officer: row['Case officer'] })) as never,
      header.map((name) => (name === 'Case officer' ? 'Officer' : name)),
    )

  test('a private column under another name begins as private: renamed by a button, published by a tick of its own', async () => {
    const ref = await collection()
    await choose(ref, 'grants-2.csv', renamed(grants(0, 300)))
    const reason = page.getByText('repeats the values of the private column Case officer')
    await reason.waitFor()
    expect(await page.getByLabel('Officer is private').isChecked()).toBe(true)
    await compare()
    const alert = page.getByRole('alert')
    await alert.getByRole('button', { name: 'Publish without Case officer' }).click()
    await page.getByText('private: Case officer, Officer.').waitFor()
    await page.getByLabel('Officer is private').uncheck()
    await compare()
    const button = page.getByRole('button', { name: 'Publish', exact: true })
    await button.waitFor()
    expect(await button.isDisabled()).toBe(true)
    await page.getByLabel('Make Officer public').check()
    expect(await button.isEnabled()).toBe(true)
    await choose(ref, 'grants-2.csv', renamed(grants(0, 301)))
    await compare()
    await alert.getByRole('button', { name: 'Officer is Case officer' }).click()
    await page.getByText('1 added').waitFor()
    await publish()
    expect(await publicText(ref)).not.toContain('secret.example')
  })

  test('a private column is in no id: another id, or numbered rows, by a button', async () => {
    const slug = `people-${++collections}`
    await client.collections.create('ada', { slug, public: true })
    const ref = `ada/${slug}`
    await choose(ref, 'people.csv', 'email,name,room\nann@secret.example,Ann,R1\nbo@secret.example,Bo,R2\n')
    await page.getByText('The id is email').waitFor()
    await page.getByLabel('email is private').check()
    await page.getByText('Everyone reads ids, so email cannot be private while it is in the id.').waitFor()
    await compare()
    const alert = page.getByRole('alert')
    await alert.getByText('"email" is the id, and everyone reads ids').waitFor()
    await alert.getByRole('button', { name: 'Make name the id' }).waitFor()
    await alert.getByRole('button', { name: 'Number the rows' }).click()
    await page.getByText('The public will see: name, room; private: email.').waitFor()
    await publish()
    expect(await publicText(ref)).not.toContain('secret.example')
  })

  test('a changed control changes the schema, and the page says which version that makes', async () => {
    const ref = await collection()
    await choose(ref, 'grants.csv', csvOf(grants(0, 300)))
    await page.getByLabel('Kind of Amount').selectOption('number')
    await page.getByText('was integer').waitFor()
    await page.getByLabel('Year is private').check()
    await page.getByLabel('Title is required').uncheck()
    await compare()
    await page.getByText('That makes v2.0.0, a major version').waitFor()
    await page.getByText('Amount changes from integer to number.').waitFor()
    await publish()
    const { schemas } = await client.versions.get(ref)
    expect(schemas['Grants']).toMatchObject({
      properties: { Amount: { type: 'number' }, Year: { type: 'integer', private: true } },
      required: ['Grant id'],
    })
  })

  test('new values of a closed list: line, column and value of the file, and a button that allows them', async () => {
    const ref = await collection()
    const rows = [...grants(0, 300), { ...grant(300), Region: 'Centre' }]
    await choose(ref, 'grants-2.csv', csvOf(rows))
    await compare()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.evaluate((element) => document.activeElement === element)).toBe(true)
    expect(await alert.getByRole('row').nth(1).getByRole('cell').allTextContents()).toEqual([
      '302',
      'Region',
      '"Centre"',
      'none of its 4 values',
    ])
    await alert.getByRole('button', { name: 'Allow the new values' }).click()
    await page.getByText('1 added').waitFor()
    await publish()
  })

  test('numbers with separators are read so; empty required values: optional by a button', async () => {
    const ref = await collection()
    const rows = grants(0, 30).map((row) => ({
      ...row,
      Amount: `"${(row.Amount * 1000).toLocaleString('en-US')}"`,
      Title: '',
    }))
    await choose(ref, 'grants-2.csv', csvOf(rows))
    await compare()
    const alert = page.getByRole('alert')
    await alert.getByText('30 rows of grants-2.csv do not fit').waitFor()
    expect(await alert.getByRole('row').count()).toBe(21)
    expect(await page.getByLabel('read 1,000,000 as 1000000').isChecked()).toBe(true)
    await alert.getByRole('button', { name: 'Make Title optional' }).click()
    await page.getByText('30 updated').waitFor()
    await publish()
    expect((await client.records.one(ref, 'latest', 'Grants', 'G-0000')).data).toMatchObject({
      Amount: 1_000_000,
    })
  })

  test('the next files of a source are read as the first one, in two steps each', async () => {
    const slug = `prices-${++collections}`
    await client.collections.create('ada', { slug, public: true })
    const ref = `ada/${slug}`
    const text = (month: number) => {
      const rows = Array.from(
        { length: 12 },
        (_, at) =>
          `N${at};${at ? 'DE' : 'NA'};0${month}/05/2024;${at},5${month};${at % 2 ? 'ja' : 'nein'};${at === month ? 'NA' : at}`,
      )
      return `Prices of the month\n\ncode;iso;when;price;open;rank\n${rows.join('\n')}\n`
    }
    await choose(ref, 'prices-1.csv', text(1))
    await page.getByLabel('NA in rank').check()
    await page.getByLabel('read 01/05/2024 as 2024-01-05').check()
    await page.getByLabel('read 0,51 as 0.51').check()
    await page.getByLabel('read ja as true and nein as false').check()
    await compare()
    await page.getByText('12 added').waitFor()
    await publish()
    for (const month of [2, 3, 4]) {
      await choose(ref, `prices-${month}.csv`, text(month))
      await page.getByText('"NA" in rank means missing').waitFor()
      expect(await page.getByLabel('NA in rank').isChecked()).toBe(true)
      await compare()
      await page.getByText('12 updated').waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      await publish()
    }
    const { data } = await client.records.one(ref, 'v1.3.0', 'Prices1', 'N1')
    expect(data).toEqual({ code: 'N1', iso: 'DE', when: '2024-04-05', price: 1.54, open: true, rank: 1 })
  })

  test('a column under another name: renamed by a button', async () => {
    const ref = await collection()
    const columns = header.map((name) => (name === 'Title' ? 'Grant title' : name))
    const rows = grants(0, 300).map((row) => ({ ...row, 'Grant title': row.Title }))
    await choose(ref, 'grants-2.csv', csvOf(rows as never, columns))
    await compare()
    await page.getByRole('alert').getByRole('button', { name: 'Grant title is Title' }).click()
    await page.getByText('Nothing changes').waitFor()
  })

  test('another version that was published meanwhile is compared with by a button', async () => {
    const ref = await collection()
    await choose(ref, 'grants-2.csv', csvOf(grants(0, 301)))
    await compare()
    await page.getByText('1 added').waitFor()
    const data = grant(400)
    await client.push(ref, { baseVersion: 'v1.0.0', records: [{ id: 'G-0400', type: 'Grants', data }] })
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('alert').getByRole('button', { name: 'Compare with v1.1.0' }).click()
    await page.getByText('That makes v1.2.0').waitFor()
    await publish()
  })

  test('a table that is read as something else: semicolons, a title above the header, Windows-1252', async () => {
    const ref = await collection()
    const text = `Grants of the year\n${csvOf(grants(0, 300)).replaceAll(',', ';')}`
    await choose(ref, 'grants-2.csv', Buffer.from(text.replace('Grant number 7;', 'Gränt;'), 'latin1'))
    await page.getByText('These look like more Grants').waitFor()
    await compare()
    await page.getByText('1 updated').waitFor()
  })

  test('Parquet is read in the browser, without WebAssembly, which the policy of pages forbids', async () => {
    const ref = await collection()
    const file = new URL(
      '../../../../packages/tabular/src/testing/field-cases/float32.parquet',
      import.meta.url,
    )
    await choose(ref, 'float32.parquet', readFileSync(file))
    await page.getByRole('cell', { name: '1.1', exact: true }).waitFor()
  })

  test.each([
    { width: 1280, colorScheme: 'light' },
    { width: 390, colorScheme: 'dark' },
  ] as const)('axe finds nothing at any step: $width px, $colorScheme', async ({ width, colorScheme }) => {
    const found: string[] = []
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    const look = async (step: string) => {
      const violations = (await page.evaluate(
        `(() => { ${axe}; return axe.run().then((r) => r.violations.map(({ id, nodes }) => id + ': ' + nodes.map((n) => n.target).join(' '))) })()`,
      )) as string[]
      found.push(...violations.map((violation) => `${step}: ${violation}`))
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      if (overflow > 0) found.push(`${step} is ${overflow} px too wide`)
    }
    const ref = await collection()
    await choose(ref, `${'long name '.repeat(20)}.csv`, csvOf([{ ...grant(1), Region: 'x'.repeat(200) }]))
    await page.getByText('Read it differently').click()
    await look('chosen')
    await compare()
    await page.getByRole('alert').waitFor()
    await look('refused')
    await page.getByRole('button', { name: 'Allow the new values' }).click()
    await page.getByText('1 updated').waitFor()
    await look('compared')
    expect(found).toEqual([])
  })

  test('no page has complained', () => {
    expect(complaints).toEqual([])
  })
})
