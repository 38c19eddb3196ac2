/** "Test Request" of the API reference sends the examples with the session of the signed-in user. */
import { databases } from '@ulmus/storage/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumInstalled, openChromium } from '../testing/chromium.ts'
import { serveForTest, type TestServer } from '../testing/serve.ts'

/** Operations in the order of a first version, by their names in the page's addresses, with the expected status. */
const inOrder = [
  ['keys', 'POST', '/api/accounts/keys', 201],
  ['collections', 'POST', '/api/accounts/{owner}/collections', 201],
  ['collections', 'GET', '/api/collections', 200],
  ['files', 'PUT', '/api/collections/{owner}/{slug}/files/{hash}', 201],
  ['pushes', 'POST', '/api/collections/{owner}/{slug}/pushes', 201],
] as const

describe.skipIf(!chromiumInstalled())('the page that shows the API', () => {
  let browser: Browser
  let server: TestServer
  let page: Page
  let dispose: () => Promise<void>

  beforeAll(async () => {
    const database = await databases[0]!.settings()
    dispose = database.dispose
    server = await serveForTest(database.settings)
    browser = await openChromium()
    page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await dispose?.()
  })

  test('tests requests as the signed-in person, without a word typed', async () => {
    await page.goto(`${server.url}/auth/login?return_to=/docs/api`)
    await page.getByLabel('Login').fill('ada')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/docs\/api/)
    for (const [tag, method, path, status] of inOrder) {
      const answer = await testRequest(tag, method, path)
      expect([method, path, answer.status], answer.text).toEqual([method, path, status])
    }
  }, 120_000)

  test('sends a key that was typed, and shows the header of one in its examples', async () => {
    await open('keys', 'GET', '/api/accounts/keys')
    await page.getByText('Bearer YOUR_SECRET_TOKEN').first().waitFor()
    await press('GET', '/api/accounts/keys')
    await page.getByRole('textbox', { name: 'Bearer Token' }).fill('ul_typed')
    expect((await sent('/api/accounts/keys')).status).toBe(401)
  })

  async function testRequest(tag: string, method: string, path: string) {
    await open(tag, method, path)
    await press(method, path)
    return sent(path)
  }

  /** Opens the page at an operation. Reloads it, because a change of the fragment alone would not. */
  async function open(tag: string, method: string, path: string): Promise<void> {
    await page.goto('about:blank')
    await page.goto(`${server.url}/docs/api/#tag/${tag}/${method}${path}`)
  }

  async function press(method: string, path: string): Promise<void> {
    const call = `${method.toLowerCase()} ${path}`.replace(/[{}]/g, '\\$&')
    await page.getByRole('button', { name: new RegExp(`Test Request\\s*\\(${call}\\)`) }).click()
  }

  async function sent(path: string): Promise<{ status: number; text: string }> {
    const pattern = new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`)
    const [answer] = await Promise.all([
      page.waitForResponse((one) => pattern.test(new URL(one.url()).pathname)),
      page.getByRole('button', { name: /^Send/ }).first().click(),
    ])
    return { status: answer.status(), text: await answer.text() }
  }
})
