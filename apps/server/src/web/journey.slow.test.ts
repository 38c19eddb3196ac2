/** A user's journey through the web interface in Chromium: from sign-in to a published collection and back, without curl. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { databases } from '@ulmus/storage/testing'
import type { LogFacts } from '@ulmus/wire'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumInstalled, openChromium } from '../testing/chromium.ts'
import { serveForTest, type TestServer } from '../testing/serve.ts'
import { readingPaths } from './reading-pages.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const cities = [
  'id,name,country,population,keeper',
  'oslo,Oslo,NOR,709037,kari@example.org',
  'bergen,Bergen,NOR,289330,ola@example.org',
  'lund,Lund,SWE,94703,eva@example.org',
].join('\n')

describe.skipIf(!chromiumInstalled())('the web interface', { timeout: 180_000 }, () => {
  let browser: Browser
  let registry: TestServer
  let disposeDatabase: () => Promise<void>
  let ada: BrowserContext
  let page: Page
  /** Errors of pages: failed scripts and policy violations. */
  const complaints: string[] = []

  beforeAll(async () => {
    const { settings, dispose } = await databases[0]!.settings()
    disposeDatabase = dispose
    registry = await serveForTest(settings, { rateLimits: null })
    browser = await openChromium()
    ada = await signedIn('ada')
    page = await opened(ada)
  })
  afterAll(async () => {
    await browser?.close()
    await registry?.close()
    await disposeDatabase?.()
  })

  async function opened(context: BrowserContext): Promise<Page> {
    context.setDefaultTimeout(60_000)
    const one = await context.newPage()
    one.on('pageerror', (error) => complaints.push(error.message))
    one.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('status of 4'))
        complaints.push(message.text())
    })
    return one
  }

  /** Signs in through the form of the built-in identity provider. */
  async function signedIn(login: string): Promise<BrowserContext> {
    const context = await browser.newContext({ baseURL: registry.url })
    const one = await context.newPage()
    await one.goto('/')
    await one.getByRole('link', { name: 'Sign in', exact: true }).click()
    await one.fill('[name=login]', login)
    await one.getByRole('button', { name: 'Sign in' }).click()
    await one.waitForURL(`${registry.url}/`)
    await one.close()
    return context
  }

  const heading = () => page.getByRole('heading', { level: 1 }).textContent()

  test('a first sign-in leads to what to do first', async () => {
    await page.goto('/')
    expect(await heading()).toBe('Welcome, ada')
    await page.getByRole('link', { name: 'Create a collection' }).click()
    expect(await heading()).toBe('New collection')
  })

  test('an organization, a collection in it, and its first version from a file with a private column', async () => {
    await page.goto('/new/org')
    await page.getByLabel('Handle').fill('atlas')
    await page.getByLabel('Name').fill('Atlas')
    await page.getByRole('button', { name: 'Create organization' }).click()
    expect(await heading()).toBe('Atlas')
    await page.getByRole('link', { name: 'New collection' }).first().click()
    expect(await page.getByLabel('Owner').inputValue()).toBe('atlas')
    await page.getByLabel('Address').fill('cities')
    await page.getByLabel('Name').fill('Cities')
    await page.getByLabel(/^Public/).check()
    await page.getByRole('button', { name: 'Create and publish from a file' }).click()
    await page.waitForURL('**/atlas/cities/push')
    await page.setInputFiles('[type=file]', {
      name: 'city.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(cities),
    })
    await page.getByLabel('keeper is private').check()
    expect(await page.getByLabel('Kind of population').inputValue()).toBe('integer')
    await page.getByRole('button', { name: 'See what would change' }).click()
    await page.getByText('3 added').waitFor()
    expect(await page.getByText('That makes').textContent()).toBe('That makes v1.0.0.')
    await page.getByLabel('Message').fill('First three')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('v1.0.0 is published: the records of a file.').waitFor()
    await page.getByText('First three').waitFor()
    expect(await page.getByText('The public does not see all').textContent()).toContain('column City.keeper')
  })

  test('a stranger, without JavaScript, reads it and not what is private', async () => {
    const context = await browser.newContext({ baseURL: registry.url, javaScriptEnabled: false })
    const stranger = await context.newPage()
    for (const path of [
      '/atlas/cities',
      '/atlas/cities/records',
      '/atlas/cities/records/City/oslo',
      '/atlas/cities/schemas',
      '/atlas/cities/versions',
      '/explore?q=cities',
      '/atlas',
    ]) {
      const answer = await stranger.goto(path)
      expect([path, answer?.status()]).toEqual([path, 200])
      const html = await stranger.content()
      expect([path, html.includes('example.org') || html.includes('keeper')]).toEqual([path, false])
    }
    await stranger.goto('/explore?q=cities')
    await stranger.getByRole('link', { name: 'Cities', exact: true }).click()
    await stranger.getByRole('link', { name: 'City', exact: true }).click()
    await stranger.getByRole('link', { name: 'oslo' }).click()
    expect(await stranger.getByRole('heading', { name: 'Oslo' }).count()).toBe(1)
    await context.close()
  })

  test('a button copies the code beside it', async () => {
    await ada.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto('/atlas/cities')
    await page.getByRole('button', { name: 'Copy the code' }).first().click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain('curl -sf')
    expect(copied).toBe(await page.locator('.code code').first().textContent())
  })

  test('a record is changed; a refusal by the schema is shown, and keeps what was typed', async () => {
    await page.goto('/atlas/cities/records/City/oslo')
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    const people = page.getByLabel('population')
    expect(await people.inputValue()).toBe('709037')
    await people.fill('many')
    await page.getByRole('button', { name: 'Save as a new version' }).click()
    await page.getByText('Write a whole number such as 12').first().waitFor()
    expect(await people.inputValue()).toBe('many')
    await people.fill('717710')
    await page.getByLabel('Message').fill('Oslo grew')
    await page.getByRole('button', { name: 'Save as a new version' }).click()
    await page.waitForURL('**/records/City/oslo?saved=*')
    await page.getByText('717,710').waitFor()
    await page.getByRole('link', { name: 'what changed' }).click()
    expect(await page.locator('.updates del').textContent()).toContain('709,037')
    expect(await page.locator('.updates ins').textContent()).toContain('717,710')
  })

  test('the same file again changes nothing but what was changed meanwhile; as everything, it removes what it lacks', async () => {
    await page.goto('/atlas/cities/push')
    const two = cities.split('\n').slice(0, 3).join('\n')
    await page.setInputFiles('[type=file]', {
      name: 'city.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(two),
    })
    await page.getByLabel(/^are removed/).check()
    await page.getByRole('button', { name: 'See what would change' }).click()
    expect(await page.locator('.totals').textContent()).toBe('0 added1 updated1 removed1 unchanged')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('v1.2.0 is published: the records of a file.').waitFor()
  })

  test('a record is verified in the browser; a forged one is not', async () => {
    await page.goto('/atlas/cities/records/City/oslo')
    await page.getByRole('button', { name: 'Verify here' }).click()
    await page.getByText('Proven: this record').waitFor()
    expect(await page.locator('#verified li').count()).toBe(3)
    await page.evaluate(() => {
      const button = document.querySelector<HTMLElement>('#verify')!
      button.dataset['digest'] = `private:${'0'.repeat(64)}`
    })
    await page.getByRole('button', { name: 'Verify here' }).click()
    await page.getByText('This does not prove it').waitFor()
  })

  test('a whole version is verified in the browser, by members and by strangers', async () => {
    const context = await browser.newContext({ baseURL: registry.url })
    const { keys } = (await (await fetch(`${registry.url}/api/log`)).json()) as LogFacts
    for (const one of [page, await opened(context)]) {
      await one.goto('/atlas/cities')
      await one.getByRole('button', { name: 'Verify here' }).click()
      await one.getByText('have exactly the digest').waitFor()
      await one.getByText('In the signed log: the registry stated this digest').waitFor()
      expect(await one.locator('#logged-version code').allTextContents()).toEqual(
        keys.map(({ vkey }) => vkey),
      )
      expect(keys).toHaveLength(1)
    }
    // The registry proves another version than the one that it was asked for.
    await page.route('**/versions/v1.2.0/log', async (route) => {
      const response = await route.fetch({ url: route.request().url().replace('v1.2.0', 'v1.0.0') })
      return route.fulfill({ response })
    })
    await page.getByRole('button', { name: 'Verify here' }).click()
    await page
      .getByText(
        'The signed log does not prove it: Asked for /api/collections/atlas/cities/versions/v1.2.0/log',
      )
      .waitFor()
    await page.unroute('**/versions/v1.2.0/log')
    await context.close()
  })

  test('metadata: the preview is the published text, and markup of a readme does nothing', async () => {
    await page.goto('/atlas/cities/edit')
    await page.getByLabel('Description').fill('Three cities of the north.')
    await page.getByLabel('Licence').fill('CC0-1.0')
    await page
      .getByLabel('Readme')
      .fill(
        '# Of cities\n\n<script>document.title = "broken"</script>\n\n[link](javascript:alert(1)) **bold**',
      )
    const heading = page.getByRole('heading', { name: 'Of cities' })
    const preview = async () => {
      await page.getByRole('button', { name: 'Preview the readme' }).click()
      return heading.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      )
    }
    // A busy server may have no time to render: clicking again tries again.
    await expect.poll(preview, { timeout: 60_000 }).toBe(true)
    await page.getByRole('button', { name: 'Save as v1.2.1' }).click()
    await page.waitForURL('**/atlas/cities?saved=*')
    expect(await page.locator('.prose script, .prose a[href^=javascript]').count()).toBe(0)
    expect(await page.locator('.prose strong').textContent()).toBe('bold')
    await page.getByText('CC0-1.0').waitFor()
  })

  test('a question is saved, and its answer shown to all', async () => {
    await page.goto('/atlas/cities/records/City?sort=-_id')
    await page.getByRole('link', { name: 'Save', exact: true }).click()
    await page.getByLabel('Name').fill('Asked')
    await page.getByLabel('Everybody').check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Asked' }).waitFor()
    const answer = await fetch(`${registry.url}/atlas/cities/questions/asked`)
    expect([answer.status, (await answer.text()).includes('oslo')]).toEqual([200, true])
  })

  test('a key that works, and no longer when it is revoked', async () => {
    await page.goto('/settings/keys')
    await page.getByLabel('Label').fill('journey')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = (await page.locator('.made code').first().textContent())!
    const ask = () =>
      fetch(`${registry.url}/api/accounts/me`, { headers: { authorization: `Bearer ${key}` } })
    expect((await ask()).status).toBe(200)
    await page.goto('/settings/keys')
    expect(await page.content()).not.toContain(key)
    await page.getByRole('button', { name: 'Revoke journey' }).click()
    await page.getByText('The key is revoked').waitFor()
    expect((await ask()).status).toBe(401)
  })

  test('a fork; settings; a collection that is deleted after its name was typed', async () => {
    await page.goto('/atlas/cities/fork')
    await page.getByLabel('Into').selectOption('atlas')
    await page.getByLabel('Address').fill('towns')
    await page.getByRole('button', { name: 'Fork', exact: true }).click()
    await page.waitForURL('**/atlas/towns')
    await page.getByRole('link', { name: 'atlas/cities v1.2.1' }).waitFor()
    await page.goto('/atlas/towns/settings')
    await page.getByLabel('Name', { exact: true }).fill('Towns')
    await page.getByLabel(/^Private/).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The settings are saved.').waitFor()
    const hidden = await fetch(`${registry.url}/atlas/towns`)
    const absent = await fetch(`${registry.url}/atlas/nowns`)
    expect([hidden.status, absent.status]).toEqual([404, 404])
    expect((await hidden.text()).replaceAll('towns', '')).toBe((await absent.text()).replaceAll('nowns', ''))
    await page.getByLabel('Type “towns”').fill('cities')
    await page.getByRole('button', { name: 'Delete this collection' }).click()
    await page.getByText('Nothing was deleted').first().waitFor()
    await page.getByLabel('Type “towns”').fill('towns')
    await page.getByRole('button', { name: 'Delete this collection' }).click()
    await page.waitForURL('**/atlas')
    expect(await page.getByRole('link', { name: 'towns' }).count()).toBe(0)
  })

  const reading = [
    '/',
    '/explore',
    '/atlas',
    ...readingPaths('/atlas/cities', { type: 'City', id: 'oslo', pair: 'v1.0.0...v1.2.1' }).filter(
      (path) => !/\.(?:atom|json)$/.test(path),
    ),
    '/atlas/cities/compare/v1.0.0...v1.2.1?type=City&change=updated',
    '/atlas/cities/records/City?q=o&filter=_id+ne+x&sort=-_id',
    '/atlas/cities/records/City?q=o&field=missing&op=gt&value=1',
    `/atlas/cities/sql?${new URLSearchParams({ sql: "VALUES ('a', 1), ('b', 2)" })}`,
    '/atlas/cities/sql?sql=SELECT+missing',
    '/atlas/cities/sql?view=map&sql=SELECT+60+AS+lat,+10+AS+lon',
    '/docs',
    '/docs/publishing',
    '/docs/api',
    '/docs/api/pushes',
    '/nobody/nothing',
  ]
  const working = [
    '/new',
    '/new/org',
    '/atlas/cities/questions/new?type=City&query=q%3Do',
    '/atlas/cities/questions/asked/edit',
    '/new/sample',
    '/settings',
    '/settings/keys',
    '/settings/sessions',
    '/auth/device',
    '/atlas/-/members',
    '/atlas/-/settings',
    '/atlas/-/audit',
    '/atlas/-/webhooks',
    '/atlas/cities/webhooks',
    '/atlas/cities/access',
    '/atlas/cities/settings',
    '/atlas/cities/withdraw?version=v1.0.0',
    '/atlas/cities/restore?version=v1.0.0',
    '/atlas/cities/erase?type=City&id=oslo',
    '/atlas/cities/edit',
    '/atlas/cities/push',
    '/atlas/cities/fork',
    '/atlas/cities/report',
    '/atlas/cities/records/City/oslo/edit',
    '/atlas/cities/records/City/oslo/edit?as=json',
    '/atlas/cities/records/City/oslo/delete',
    '/atlas/cities/records/City/new',
    '/atlas/cities/schemas/City/edit',
    '/atlas/cities/schemas/new',
  ]
  const looks = [
    { width: 1280, colorScheme: 'light' },
    { width: 360, colorScheme: 'dark' },
    { width: 360, colorScheme: 'light' },
    { width: 1280, colorScheme: 'dark' },
  ] as const

  // Contrasts depend on the scheme, and layout on the width: two looks have both of each. Nightly runs have all four.
  test.each(process.env['FULL'] === '1' ? looks : looks.slice(0, 2))(
    'axe finds nothing on any page: $width px, $colorScheme',
    async ({ width, colorScheme }) => {
      const found: string[] = []
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      const terminal = await page.evaluate(async () => {
        const body = JSON.stringify({ scope: 'write', collection: 'atlas/cities', label: 'ada@laptop' })
        const headers = { 'content-type': 'application/json' }
        return (await fetch('/auth/device', { method: 'POST', headers, body })).json()
      })
      const asked = `/auth/device?user_code=${(terminal as { user_code: string }).user_code}`
      const webhook = await page.evaluate(async () => {
        const body = JSON.stringify({ url: 'https://ci.example/ulmus' })
        const headers = { 'content-type': 'application/json' }
        return (await fetch('/api/accounts/atlas/webhooks', { method: 'POST', headers, body })).json()
      })
      const ofWebhook = `/atlas/-/webhooks/${(webhook as { id: string }).id}`
      for (const path of [...reading, ...working, asked, ofWebhook]) {
        await page.goto(path)
        // The policy of pages blocks other scripts, so run it beside the page.
        const violations = (await page.evaluate(
          `(() => { ${axe}; return axe.run().then((r) => r.violations.map(({ id, nodes }) => id + ': ' + nodes.map((n) => n.target).join(' '))) })()`,
        )) as string[]
        found.push(...violations.map((violation) => `${path} ${violation}`))
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        if (overflow > 0) found.push(`${path} is ${overflow} px too wide`)
      }
      expect(found).toEqual([])
    },
    120_000,
  )

  test.each([1280, 360])(
    'at %d px, the pages of errors begin at the left edge of the header',
    async (width) => {
      await page.setViewportSize({ width, height: 800 })
      for (const path of ['/missing/nothing', '/atlas/cities/records/City/none', '/docs/no/such', '/admin']) {
        await page.goto(path)
        const left = async (selector: string) => (await page.locator(selector).first().boundingBox())!.x
        expect([path, await left('h1')]).toEqual([path, await left('.top .home')])
      }
    },
  )

  test('on a telephone the tab of the page is in sight, and no code lies under its copy button', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    for (const path of ['/atlas/cities', '/atlas/cities/versions', '/atlas/cities/settings']) {
      await page.goto(path)
      const tab = (await page.locator('.tabs a[aria-current]').boundingBox())!
      expect([path, tab.x >= 0 && tab.x + tab.width <= 390]).toEqual([path, true])
    }
    await page.goto('/atlas/cities/records/City/oslo')
    for (const button of await page.locator('.record-head .button').all())
      expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(44)
    await page.goto('/atlas/cities')
    const code = (await page.locator('.code pre').first().boundingBox())!
    const copy = (await page.locator('.code .copy').first().boundingBox())!
    expect(code.x + code.width).toBeLessThanOrEqual(copy.x)
  })

  test('JSON is checked as it is typed: the fault has its line, and the form is not sent', async () => {
    await page.goto('/atlas/cities/records/City/oslo/edit?as=json')
    const field = page.locator('textarea.json')
    expect(await field.evaluate((one) => getComputedStyle(one).fontFamily)).toMatch(/mono/)
    await field.fill('{\n  "name": Oslo\n}')
    await page.getByText('Line 2, column 11').waitFor()
    await page.getByRole('button', { name: 'Save as a new version' }).click()
    expect(page.url()).toContain('/records/City/oslo/edit')
    await field.fill('{\n  "name": "Oslo"\n}')
    expect(await page.locator('.json-state').textContent()).toBe('')
  })

  test('signing out ends it', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto('/')
    await page.locator('summary').first().click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
    await page.goto('/settings')
    expect(page.url()).toContain('/dev/idp')
  })

  test('no page has complained', () => {
    expect(complaints).toEqual([])
  })
})
