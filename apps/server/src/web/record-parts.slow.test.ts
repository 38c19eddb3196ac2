/** Parts of the records page that follow, in Chromium: the script puts them in, without a load, and no row moves. */
import { anyDatabase } from '@ulmus/storage/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chromiumInstalled, openChromium } from '../testing/chromium.ts'
import { type Stage, setStage } from '../testing/stage.ts'

const text = { type: 'string' }
const City = {
  properties: {
    empty: text,
    ...Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, { type: 'integer' }])),
    land: { type: 'string', 'x-ref-type': 'Land' },
    kind: text,
  },
}
const cities = Array.from({ length: 60 }, (_, n) => ({
  id: `c${n}`,
  type: 'City',
  data: { land: 'N', kind: `kind ${n % 3}`, a: n, b: n, c: n, d: n, e: n, f: n, g: n },
}))
const building = async () => ({ building: { rowsDone: 20, rows: 60 } })

describe.skipIf(!chromiumInstalled())('parts of the records page', () => {
  let stage: Stage
  let browser: Browser
  let at: string
  /** Tables as they are once they are built. */
  let tables: Stage['server']['registry']['tables']
  let built: typeof tables

  beforeAll(async () => {
    stage = await setStage(anyDatabase[0]!, { rateLimits: null })
    browser = await openChromium()
    const { path } = await stage.newCollection()
    at = `${path.replace('/collections', '')}/records/City`
    const lands = [{ id: 'N', type: 'Land', data: { name: 'Kingdom of Norway' } }]
    const law = {
      title: 'A law with a name that fills a column',
      text: 'All are equal before it. '.repeat(40),
    }
    await stage.push(path, {
      opening: { schemas: { City, Land: { properties: { name: text } }, Law: {} } },
      puts: [...cities, ...lands, { id: 'law', type: 'Law', data: law }],
    })
    ;({ tables } = stage.server.registry)
    built = { ...tables }
    const page = await open()
    const hasAll = async () => {
      await page.goto(`${at}?columns=land`)
      const parts = [page.locator('.profiles:not(.awaited)'), page.locator('tbody').getByText('Kingdom')]
      return !(await Promise.all(parts.map((part) => part.count()))).includes(0)
    }
    while (!(await hasAll())) await page.waitForTimeout(200)
    await page.close()
  })
  beforeEach(() => {
    Object.assign(tables, built)
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.end()
  })

  const open = (more: Parameters<Browser['newPage']>[0] = {}): Promise<Page> =>
    browser.newPage({ baseURL: stage.server.url, viewport: { width: 1_280, height: 900 }, ...more })
  const places = (page: Page) =>
    page
      .locator('table.records tbody tr')
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().top))
  const loadsOf = (page: Page) => {
    const loads: string[] = []
    page.on('load', () => loads.push(page.url()))
    return loads
  }
  const asked = 'columns=a,empty,kind,land'

  test('profiles, facets and titles are put in, and rows stay where they are', async () => {
    const page = await open()
    Object.assign(tables, { statistics: building, rows: building })
    const loads = loadsOf(page)
    await page.goto(`${at}?${asked}`)
    expect(await page.locator('tr.profiles').textContent()).toContain('are being computed')
    expect(await page.locator('tbody').getByText('Kingdom').count()).toBe(0)
    const before = await places(page)
    const link = page.locator('tbody th a').nth(3)
    await link.focus()
    Object.assign(tables, built)
    await expect.poll(() => page.locator('tbody').getByText('Kingdom').count(), { timeout: 30_000 }).toBe(50)
    await page.locator('.top-values').first().waitFor()
    expect(await places(page)).toEqual(before)
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.getByRole('link', { name: 'Facets' }).waitFor()
    await page.getByRole('link', { name: 'Hide column profiles' }).waitFor()
    expect(await page.locator('main > [role=status]').textContent()).toContain('are there')
    // Columns stay where the reader saw them, with profiles of their own.
    const heads = page.locator('thead tr:first-child th')
    expect(await heads.locator('bdi').allTextContents()).toEqual(['id', 'a', 'empty', 'kind', 'land'])
    // The menu of a column has the questions of its profile.
    expect(await heads.nth(3).locator('[popover] a').allTextContents()).toContain('Facet by this')
    const cells = await page.locator('tr.profiles td').allTextContents()
    const shown = [cells.length, cells[1]!.includes('59'), cells[2], cells[3]!.includes('kind 1')]
    expect(shown).toEqual([5, true, '100 % empty', true])
    expect(loads).toHaveLength(1)
    await page.close()
  })

  test('a text that unfolds on a phone moves no row, and folds again', async () => {
    const page = await open({ viewport: { width: 390, height: 844 } })
    await page.goto(`${at.replace(/City$/, 'Law')}?columns=title,text`)
    const frame = page.locator('.table-scroll')
    const place = () => frame.evaluate(({ scrollLeft }) => scrollLeft)
    await frame.evaluate((element) => element.scrollTo(80, 0))
    expect(await place()).toBe(80)
    const summary = page.locator('.long > summary')
    await summary.evaluate((element: HTMLElement) => element.click())
    const text = page.locator('.whole-text')
    const edges = await text.evaluate((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect()
      return [
        left,
        right,
        bottom,
        top > document.querySelector('.long')!.closest('tr')!.getBoundingClientRect().top,
      ]
    })
    expect(edges).toEqual([0, 390, 844, true])
    expect(await place()).toBe(80)
    // A record stays one line.
    const rows = page.locator('.records tbody tr')
    const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
    expect(Math.max(...heights)).toBeLessThan(32)
    await page.keyboard.press('Escape')
    expect(await text.isVisible()).toBe(false)
    expect(await summary.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.close()
  })

  test('an answer takes the place of its progress', async () => {
    const page = await open()
    Object.assign(tables, { rows: building })
    const loads = loadsOf(page)
    await page.goto(`${at}?filter=a+lt+3&cite=1`)
    expect(await page.locator('tbody tr').count()).toBe(0)
    expect(await page.locator('.building').textContent()).toContain('20 of 60 records')
    await page.locator('.question input[name=q]').fill('typed meanwhile')
    Object.assign(tables, built)
    await expect.poll(() => page.locator('tbody tr').count(), { timeout: 30_000 }).toBe(3)
    expect(await page.locator('.building').count()).toBe(0)
    expect(await page.locator('.present').textContent()).toContain('3 of 60 records')
    expect(await page.locator('.question input[name=q]').inputValue()).toBe('typed meanwhile')
    expect(await page.locator('[data-part=cite] button.copy').first().isVisible()).toBe(true)
    expect(loads).toHaveLength(1)
    await page.close()
  })

  test('records that a search of collections finds are put in, above the collections', async () => {
    const page = await open()
    const gate = Promise.withResolvers<void>()
    Object.assign(tables, {
      rows: async (...args: Parameters<typeof tables.rows>) => {
        await gate.promise
        return built.rows(...args)
      },
    })
    const loads = loadsOf(page)
    await page.goto('/explore?q=kind+1&records=1')
    const found = page.locator('[data-part=records]')
    expect(await found.innerText()).toMatch(/Searching \d tables?…/)
    expect(await found.innerText()).not.toContain('again')
    gate.resolve()
    await found.getByRole('link', { name: 'all 29' }).waitFor()
    expect(await found.innerText()).not.toContain('Searching')
    const boxes = [found.locator('.found-records'), page.locator('ul.collections')]
    const [records, collections] = await Promise.all(boxes.map((box) => box.boundingBox()))
    expect(records!.y + records!.height).toBeLessThan(collections!.y)
    expect(loads).toHaveLength(1)
    await page.close()
  })

  test('a refusal is shown; without scripts the page loads itself again', async () => {
    const plain = await open({ javaScriptEnabled: false })
    Object.assign(tables, { rows: building })
    await plain.goto(`${at}?filter=a+lt+3`)
    expect(await plain.locator('.profiles').count()).toBe(0)
    const page = await open()
    await page.goto(`${at}?filter=a+lt+4`)
    Object.assign(tables, built)
    await expect.poll(() => plain.locator('tbody tr').count(), { timeout: 30_000 }).toBe(3)
    await expect.poll(() => page.locator('tbody tr').count(), { timeout: 30_000 }).toBe(4)
    Object.assign(tables, { statistics: building })
    await plain.goto(at)
    expect(await plain.locator('.awaited').first().isVisible()).toBe(false)
    await plain.getByRole('link', { name: 'Show column profiles' }).waitFor()
    await Promise.all([plain.close(), page.close()])
  })
})
