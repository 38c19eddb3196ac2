/** Publishing a workbook in the browser: the sheet is chosen, hidden columns stay out, and its reader is loaded only then. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@ulmus/client'
import { databases } from '@ulmus/storage/testing'
import { expect, test } from 'vitest'
import { chromiumInstalled, openChromium } from '../testing/chromium.ts'
import { serveForTest } from '../testing/serve.ts'

const folder = join(import.meta.dirname, '../../../../packages/tabular/src/testing/workbooks')

test.skipIf(!chromiumInstalled())('a sheet of a workbook is published', { timeout: 180_000 }, async () => {
  const { settings, dispose } = await databases[0]!.settings()
  const registry = await serveForTest(settings, { rateLimits: null })
  const browser = await openChromium()
  try {
    const { cookie } = await registry.signIn('ada')
    const client = createClient({ baseUrl: registry.url, apiKey: await registry.keyFor(cookie, 'admin') })
    await client.collections.create('ada', { slug: 'rivers', public: true })
    const context = await browser.newContext({ baseURL: registry.url })
    const pairs = cookie.split('; ').map((pair) => pair.split(/=(.*)/s))
    await context.addCookies(pairs.map(([name = '', value = '']) => ({ name, value, url: registry.url })))
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    const scripts: string[] = []
    page.on('worker', (worker) => scripts.push(worker.url()))
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto('/ada/rivers/push')
    const choose = (name: string, text = readFileSync(join(folder, name))) =>
      page.setInputFiles('[type=file]', { name, mimeType: 'application/zip', buffer: Buffer.from(text) })
    const compare = page.getByRole('button', { name: 'See what would change', exact: true })
    await choose('a.csv', Buffer.from('code,n\na,1\n'))
    await compare.waitFor()
    expect(scripts.filter((url) => url.includes('push-workbook'))).toEqual([])

    await choose('hidden.ods')
    await page.getByText('Hidden column is left out: C (salary).').waitFor()
    expect(await page.locator('.sample thead').textContent()).toBe('codenameroom')

    await choose('formulas.ods')
    await page.getByText('Cells have errors instead of values: #DIV/0! in E3.').waitFor()
    await page.getByRole('button', { name: 'Treat #DIV/0! as missing' }).click()
    await page.locator('.sample').getByText('k3!').waitFor()

    await choose('two-sheets.xlsx')
    await page.getByText('The workbook has 2 sheets').waitFor()
    await page.getByRole('button', { name: 'Read the sheet River' }).click()
    await page.locator('.sample').getByText('12.5').waitFor()
    await compare.click()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('is published: the records of a file.').waitFor()
    expect((await client.records.page('ada/rivers', 'v1.0.0')).records).toMatchObject([
      { id: 'r', type: 'River', data: { km: 12.5 } },
    ])
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
    await registry.close()
    await dispose()
  }
})
