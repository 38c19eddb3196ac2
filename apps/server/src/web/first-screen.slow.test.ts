/** The records page in Chromium: rows and columns in sight, pictures and paper. */
import { readFile } from 'node:fs/promises'
import { anyDatabase } from '@ulmus/storage/testing'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumInstalled, openChromium } from '../testing/chromium.ts'
import { type Stage, setStage } from '../testing/stage.ts'

/** Screens, in pixels, and the rows and columns that they must show, with the column of ids. */
const screens = [
  { width: 1_280, height: 900, rows: 20, columns: 6 },
  { width: 390, height: 844, rows: 10, columns: 2 },
]

const places = {
  name: { type: 'string' },
  country: { type: 'string' },
  people: { type: 'integer' },
  founded: { type: 'string', format: 'date' },
  height: { type: 'number' },
  lat: { type: 'number' },
  lon: { type: 'number' },
  coast: { type: 'boolean' },
  tags: { type: 'array', items: { type: 'string' } },
  note: { type: 'string' },
}
const countries = ['Norway', 'United Arab Emirates', 'Bosnia and Herzegovina']
const place = (n: number) => ({
  id: `AD/03/Sant Julià de Lòria/42.${46_372 + n},1.${49_129 + n}`,
  type: 'Place',
  data: {
    name: `Sant Julià de Lòria ${n}`,
    country: countries[n % 3],
    people: n * 12_345,
    founded: `18${10 + n}-05-17`,
    height: n / 7,
    lat: 42 + n / 100,
    lon: 1.5,
    coast: n % 2 === 0,
    tags: ['a', 'b'].slice(n % 2),
    ...(n % 4 === 0 && { note: 'A sentence that is longer than a cell of a table.' }),
  },
})

describe.skipIf(!chromiumInstalled())('the first screen of the records page', () => {
  let stage: Stage
  let browser: Browser
  /** Path of the collection. */
  let at: string

  beforeAll(async () => {
    stage = await setStage(anyDatabase[0]!, { rateLimits: null })
    browser = await openChromium()
    const { path } = await stage.newCollection()
    at = path.replace('/collections', '')
    await stage.push(path, {
      opening: {
        schemas: { Place: { properties: places }, Road: { properties: { n: { type: 'integer' } } } },
      },
      puts: [...Array(60).keys()].map(place),
    })
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.end()
  })

  // The table that profiles need is built by the first visit.
  for (const visit of ['first', 'second'])
    test.each(screens)(`has $rows rows and $columns columns at $width px, ${visit} visit`, async (screen) => {
      const { rows, columns, ...viewport } = screen
      const page = await browser.newPage({ baseURL: stage.server.url, viewport })
      const profiles = async () => {
        await page.goto(`${at}/records/Place`)
        return page.locator('.profiles:not(.awaited)').count()
      }
      // A busy server leaves them out; a later visit has them.
      if (visit === 'second') await expect.poll(profiles).toBe(1)
      else await profiles()
      const inSight = await page.evaluate(() => {
        const all = [...document.querySelectorAll('table.records tbody tr')]
        const ends = (element: Element) => element.getBoundingClientRect()
        return {
          rows: all.filter((row) => ends(row).bottom <= innerHeight).length,
          columns: [...all[0]!.children].filter((cell) => ends(cell).right <= innerWidth).length,
        }
      })
      await page.close()
      expect(inSight.rows).toBeGreaterThanOrEqual(rows)
      expect(inSight.columns).toBeGreaterThanOrEqual(columns)
    })

  test('on a phone all tabs, and the forms, columns and result in one row, are in sight', async () => {
    const page = await browser.newPage({ baseURL: stage.server.url, viewport: { width: 390, height: 844 } })
    await page.goto(`${at}/records/Place?columns=name&filter=coast+eq+true&filter=people+gt+1,000`)
    await page.locator('.columns-menu > summary').click()
    const found = await page.evaluate(() => {
      const within = (element: Element) => {
        const { left, right } = element.getBoundingClientRect()
        return left >= 0 && right <= innerWidth
      }
      const middle = (selector: string) => {
        const { top, bottom } = document.querySelector(selector)!.getBoundingClientRect()
        return Math.round((top + bottom) / 40)
      }
      return {
        tabs: [...document.querySelectorAll('.tabs a')].filter(within).length,
        menu: within(document.querySelector('.columns-menu .float')!),
        rows: ['[aria-label="Form"] a', '.columns-menu > summary', '.result-menu > summary'].map(middle),
        page: document.documentElement.scrollWidth,
      }
    })
    await page.close()
    expect(new Set(found.rows).size).toBe(1)
    expect(found).toMatchObject({ tabs: 6, menu: true, page: 390 })
  })

  test('the documentation begins with the text on a phone, and has its pages beside it elsewhere', async () => {
    for (const [width, isFolded] of [
      [390, true],
      [1_280, false],
    ] as const) {
      const page = await browser.newPage({ baseURL: stage.server.url, viewport: { width, height: 844 } })
      await page.goto('/docs/api')
      const link = page.locator('.docs > nav').getByRole('link', { name: 'Downloads' })
      expect([width, await link.isVisible()]).toEqual([width, !isFolded])
      expect((await page.locator('h1').boundingBox())!.y).toBeLessThan(230)
      if (isFolded) await page.getByText('All pages and search').click()
      expect(await link.isVisible()).toBe(true)
      await page.close()
    }
  })

  test('the profile of numbers ends where they end', async () => {
    const page = await browser.newPage({ baseURL: stage.server.url, viewport: { width: 1_280, height: 900 } })
    const profile = page.locator('.profiles:not(.awaited) .histogram').first()
    await expect
      .poll(async () => {
        await page.goto(`${at}/records/Place?columns=people&columns=name`)
        return profile.count()
      })
      .toBe(1)
    const ends = [profile, page.locator('tbody td .number').first()].map(async (one) => {
      const { x, width } = (await one.boundingBox())!
      return Math.round(x + width)
    })
    const [drawn, written] = await Promise.all(ends)
    await page.close()
    expect(drawn).toBe(written)
  })

  test('a chart and a map are saved as pictures that need nothing of the page', async () => {
    const page = await browser.newPage({ baseURL: stage.server.url })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    for (const [view, drawn] of [
      ['view=chart&x=country', 3],
      ['view=map', 60],
    ] as const) {
      const picture = page.locator('figure:is(.chart, .map)')
      await expect
        .poll(async () => {
          await page.goto(`${at}/records/Place?${view}`)
          return picture.count()
        })
        .toBe(1)
      const saved = async (kind: string) => {
        const download = page.waitForEvent('download')
        await page.getByRole('button', { name: kind }).click()
        return await readFile(await (await download).path())
      }
      const svg = String(await saved('SVG'))
      const shapes = /<(?:rect|circle)[^>]* (?:width="[\d.]+%"|cx="[\d.]+")[^>]* fill="rgb/g
      expect(svg.match(shapes)).toHaveLength(drawn)
      expect(svg).toContain(`v1.0.0, ${stage.server.url}${at}/v/v1.0.0/records/Place?`)
      expect(svg).not.toMatch(/var\(|style=|<script|Save/)
      const png = (await saved('PNG')).toString('base64')
      const size = await page.evaluate(
        async ([text, bytes]) => {
          const parsed = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement
          const image = new Image()
          image.src = `data:image/png;base64,${bytes}`
          await image.decode()
          return [parsed.nodeName, Number(parsed.getAttribute('width')) * 2 - image.width]
        },
        [svg, png] as const,
      )
      expect(size).toEqual(['svg', 0])
    }
    await page.close()
    expect(complaints).toEqual([])
  })

  test('on paper the page has all rows, the address and no tools', async () => {
    const page = await browser.newPage({ baseURL: stage.server.url, viewport: { width: 794, height: 1_123 } })
    await page.emulateMedia({ media: 'print' })
    await page.goto(`${at}/records/Place?filter=coast+eq+true`)
    const paper = await page.evaluate(() => {
      const isDrawn = (selector: string) =>
        [...document.querySelectorAll(selector)].some((element) => element.getClientRects().length > 0)
      return {
        rows: document.querySelectorAll('table.records tbody tr').length,
        tools: ['.top', '.tabs', '.tools', '.profiles', '.column-menu', '.table-foot a', '.bottom'].filter(
          isDrawn,
        ),
        text: document.body.innerText,
      }
    })
    await page.close()
    expect([paper.rows, paper.tools]).toEqual([30, []])
    // The address says which version was printed.
    expect(paper.text).toContain(`${stage.server.url}${at}/v/v1.0.0/records/Place?filter=coast+eq+true`)
  })
})
