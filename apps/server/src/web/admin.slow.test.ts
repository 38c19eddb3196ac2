/** The page of operators in Chromium: the result of an act moves no column of the accounts. */
import { anyDatabase } from '@ulmus/storage/testing'
import { expect, test } from 'vitest'
import { chromiumInstalled, openChromium } from '../testing/chromium.ts'
import { setStage } from '../testing/stage.ts'

test.skipIf(!chromiumInstalled())('an act on an account moves no column', async () => {
  const operators = [{ issuer: 'urn:ulmus:development', subject: 'oper' }]
  const stage = await setStage(anyDatabase[0]!, { operators })
  const browser = await openChromium()
  try {
    const { server } = stage
    await server.signIn('bob')
    const { cookie } = await server.signIn('oper')
    const context = await browser.newContext({
      baseURL: server.url,
      viewport: { width: 1_280, height: 900 },
      extraHTTPHeaders: { cookie },
    })
    const page = await context.newPage()
    const widths = () =>
      page.locator('.accounts th[scope=col]').evaluateAll((all) => all.map((one) => one.clientWidth))
    await page.goto('/admin?q=bob')
    const before = await widths()
    expect(before).toHaveLength(6)
    await page.goto('/admin?for=bob&form=suspend')
    await page
      .locator('[name=why]')
      .fill(`${'He published addresses of people. '.repeat(8)}${'x'.repeat(300)}`)
    await page.locator('button[value=suspend]').click()
    await page.locator('.accounts #done').waitFor()
    expect(await widths()).toEqual(before)
    await page.locator('button[value=release]').click()
    await page.locator('.accounts button[value=release]').waitFor({ state: 'detached' })
    expect(await widths()).toEqual(before)
  } finally {
    await browser.close()
    await stage.end()
  }
})
