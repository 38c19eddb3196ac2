/** The field of a statement in Chromium: completes names by the keyboard, keeps its text until the sign-out. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { anyDatabase } from '@ulmus/storage/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumInstalled, openChromium } from '../testing/chromium.ts'
import { type Stage, setStage } from '../testing/stage.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe.skipIf(!chromiumInstalled())('the field of a statement', { timeout: 120_000 }, () => {
  let stage: Stage
  let browser: Browser
  /** Path of the page. */
  let at: string

  beforeAll(async () => {
    stage = await setStage(anyDatabase[0]!, { rateLimits: null })
    browser = await openChromium()
    const { path } = await stage.newCollection()
    at = `${path.replace('/collections', '')}/sql`
    const text = { type: 'string' }
    await stage.push(path, {
      opening: {
        schemas: {
          City: { properties: { name: text, country: text, order: text, hush: { ...text, private: true } } },
        },
      },
      puts: [{ id: '1', type: 'City', data: { name: 'Bergen' } }],
    })
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.end()
  })

  async function open(account?: string): Promise<Page> {
    const context = await browser.newContext({ baseURL: stage.server.url })
    const { cookie } = account === undefined ? { cookie: '' } : await stage.server.signIn(account)
    const pairs = cookie.split('; ').filter((pair) => pair !== '')
    await context.addCookies(
      pairs.map((pair) => {
        const [name = '', value = ''] = pair.split(/=(.*)/s)
        return { name, value, url: stage.server.url }
      }),
    )
    const page = await context.newPage()
    await page.goto(at)
    return page
  }
  const field = (page: Page) => page.locator('#sql')
  /** Resolves when the script of the field has run. */
  const ready = (page: Page) => page.locator('#sql[aria-controls]').waitFor()
  const options = (page: Page) => page.locator('.sql-form [role=option]').allTextContents()

  test('arrow keys and Enter complete a name; Enter alone, Escape and Tab do what they always do', async () => {
    const page = await open()
    await ready(page)
    await field(page).focus()
    await page.keyboard.type('SELECT ord')
    expect(await options(page)).toEqual(['orderCity'])
    expect(await page.locator('.sql-form [role=status]').textContent()).toMatch(/^1 name\./)
    await page.keyboard.press('ArrowDown')
    const chosen = await field(page).getAttribute('aria-activedescendant')
    expect(await page.locator(`#${chosen}`).getAttribute('aria-selected')).toBe('true')
    const violations = await page.evaluate(
      `(() => { ${axe}; return axe.run().then((r) => r.violations.map(({ id }) => id)) })()`,
    )
    expect(violations).toEqual([])
    await page.keyboard.press('Enter')
    expect(await field(page).inputValue()).toBe('SELECT "order"')
    await page.keyboard.type(' FROM Ci')
    await page.keyboard.press('Enter')
    expect(await field(page).inputValue()).toBe('SELECT "order" FROM Ci\n')
    const onFirst = await page.locator('.suggestions').evaluate((list) => list.style.top)
    await page.keyboard.type('na')
    expect(await options(page)).toEqual(['nameCity'])
    // The list opens below the line of the caret, not below the field.
    const [list, whole] = [await page.locator('.suggestions').boundingBox(), await field(page).boundingBox()]
    expect(list!.y).toBeLessThan(whole!.y + whole!.height)
    expect(await page.locator('.suggestions').evaluate((one) => one.style.top)).not.toBe(onFirst)
    await page.keyboard.press('Escape')
    expect(await options(page)).toEqual([])
    await page.keyboard.type('m')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Sign in to run')
    expect(await options(page)).toEqual([])
    // What the public does not see is not completed.
    await field(page).fill('SELECT hu')
    expect(await options(page)).toEqual([])
    await page.context().close()
  })

  test('a statement stays in the tab until the sign-out; one in the address wins', async () => {
    const page = await open('ada')
    await ready(page)
    await field(page).fill('SELECT hush FROM City')
    await page.reload()
    await ready(page)
    expect(await field(page).inputValue()).toBe('SELECT hush FROM City')
    await page.goto(`${at}?sql=SELECT+1`)
    await ready(page)
    expect(await field(page).inputValue()).toBe('SELECT 1')
    await page.goto(at)
    await ready(page)
    expect(await field(page).inputValue()).toBe('SELECT hush FROM City')
    await page.locator('details.menu summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto(at)
    await ready(page)
    expect(await field(page).inputValue()).toBe('')
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0)
    await page.context().close()
  })

  test('another account in the tab gets nothing, also without a sign-out', async () => {
    const page = await open('ada')
    await ready(page)
    await field(page).fill('SELECT hush FROM City')
    await page.context().clearCookies()
    await page.goto(at)
    await ready(page)
    expect(await field(page).inputValue()).toBe('')
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await page.context().close()
  })
})
