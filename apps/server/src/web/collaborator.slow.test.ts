/** A collaborator's journey through the web interface in Chromium: invited, joined, at work, and gone. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { databases } from '@ulmus/storage/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumInstalled, openChromium } from '../testing/chromium.ts'
import { type Collaboration, setCollaboration } from '../testing/collaboration.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe.skipIf(!chromiumInstalled())('a collaborator in a browser', { timeout: 180_000 }, () => {
  let browser: Browser
  let place: Collaboration
  let at: string
  let ada: Page
  let rita: Page

  beforeAll(async () => {
    place = await setCollaboration(databases[0]!, 'invited')
    browser = await openChromium()
    at = await place.newCollection('acme')
    ada = await pageOf('ada')
    rita = await pageOf('rita')
  })
  afterAll(async () => {
    await browser?.close()
    await place?.end()
  })

  /** Signs in through the form of the built-in identity provider. Without JavaScript: every step must do without. */
  async function pageOf(login: string): Promise<Page> {
    const context: BrowserContext = await browser.newContext({
      baseURL: place.server.url,
      javaScriptEnabled: false,
    })
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    await page.goto('/auth/login')
    await page.fill('[name=login]', login)
    await page.getByRole('button', { name: 'Sign in' }).click()
    return page
  }

  test('an admin invites a person from the overview', async () => {
    await ada.goto(at)
    await ada.getByRole('link', { name: 'Private: 1 member of acme' }).click()
    await ada.getByText('There are no collaborators.').waitFor()
    await ada.getByLabel('Handle').fill('rita')
    await ada.getByLabel(/^Write/).check()
    await ada.getByRole('button', { name: 'Add' }).click()
    await ada.getByText('Send this link to rita').waitFor()
    expect(await ada.locator('.note .code').textContent()).toContain('/invitations/')
  })

  test('the person joins from the home page and publishes a version', async () => {
    await rita.goto('/')
    await rita.getByRole('link', { name: `Join ${at.slice(1)}` }).click()
    await rita.getByText('read all of it and publish').waitFor()
    await rita.getByRole('button', { name: 'Join' }).click()
    await rita.getByText('You are a collaborator now.').waitFor()
    expect(await rita.getByRole('link', { name: 'Settings', exact: true }).count()).toBe(0)
    await rita.goto(`${at}/records/A/1`)
    await rita.getByRole('link', { name: 'Edit', exact: true }).click()
    await rita.getByLabel('nest').fill('in a tree')
    await rita.getByRole('button', { name: 'Save as a new version' }).click()
    await rita.getByText('is published: 1 record changed.').waitFor()
  })

  test('an admin changes the grant', async () => {
    await ada.goto(`${at}/access`)
    await ada.getByLabel('Grant of rita').selectOption('admin')
    await ada.getByRole('button', { name: 'Change' }).click()
    await ada.getByText('The collaborator has this grant now.').waitFor()
    await rita.goto(`${at}/access`)
    await rita.getByText('1 member of acme reads and changes all of it').waitFor()
  })

  /** Violations of a page in its account's browser, with scripts, and its controls that are too small for a finger. */
  async function faultsOf(page: Page, path: string, width: number, colorScheme: 'light' | 'dark') {
    const storageState = await page.context().storageState()
    const baseURL = place.server.url
    const context = await browser.newContext({
      ...{ storageState, baseURL, colorScheme },
      viewport: { width, height: 800 },
    })
    const one = await context.newPage()
    await one.goto(path)
    const violations = (await one.evaluate(
      `(() => { ${axe}; return axe.run().then((r) => r.violations.map(({ id, nodes }) => id + ': ' + nodes.map((n) => n.target).join(' '))) })()`,
    )) as string[]
    const overflow = await one.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    const heights = await one
      .locator('main :is(button, .button, select):visible')
      .evaluateAll((all) => all.map((control) => control.getBoundingClientRect().height))
    await context.close()
    const isSmall = width <= 640 && path.endsWith('/access') && heights.some((height) => height < 44)
    return [...violations, ...(overflow > 0 ? ['too wide'] : []), ...(isSmall ? ['small controls'] : [])]
  }

  test.each([
    [1280, 'light'],
    [360, 'dark'],
  ] as const)('axe finds nothing on their pages: %d px, %s', async (width, colorScheme) => {
    const paths = [at, `${at}/access`, `${at}/settings`, `${at}/withdraw?version=v1.0.0`, `${at}/fork`, '/']
    for (const page of [ada, rita])
      for (const path of paths)
        expect([path, await faultsOf(page, path, width, colorScheme)]).toEqual([path, []])
  })

  test('a collaborator leaves', async () => {
    await rita.goto(at)
    await rita.getByRole('link', { name: 'Leave' }).click()
    await rita.getByRole('button', { name: 'Leave this collection' }).click()
    await rita.getByText('You left the collection').waitFor()
    expect((await rita.goto(at))?.status()).toBe(404)
    await ada.goto(at)
    await ada.getByRole('link', { name: 'Private: 1 member of acme', exact: true }).waitFor()
  })
})
