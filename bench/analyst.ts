/**
 * Answers an analyst's questions about the demo's cities in Chromium, from the collection's overview: actions (clicks, and texts that are
 * typed) and seconds until the answer is on the page. Tables are there before. Then times the forms of an answer beside its JSON: another
 * country each time, which no cache has. Prints Markdown tables for bench/meaning.md.
 * Usage: npm run bench:analyst [-- --url http://127.0.0.1:4000 --runs 5]
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { sampleOf, timed } from './measure.ts'
import { Served } from './served.ts'

const { values } = parseArgs({ options: { url: { type: 'string' }, runs: { type: 'string', default: '5' } } })
const overview = '/mercator/cities'

/** Counts the actions of a person. */
class Hand {
  actions = 0
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async press(selector: string): Promise<void> {
    this.actions++
    await this.page.locator(selector).first().click()
  }
  async type(selector: string, text: string): Promise<void> {
    this.actions++
    await this.page.locator(selector).first().fill(text)
  }
  async choose(selector: string, value: string): Promise<void> {
    this.actions++
    await this.page.locator(selector).first().selectOption(value)
  }
  async enter(): Promise<void> {
    this.actions++
    await this.page.keyboard.press('Enter')
  }
  /** @throws Error if the page does not show the text */
  async read(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor({ state: 'visible', timeout: 20_000 })
  }
}

const records = 'a[href$="/records/City"]'

const questions: Record<string, (hand: Hand) => Promise<void>> = {
  async 'Where is Tromsø?'(hand) {
    await hand.press(records)
    await hand.type('main input[type=search][name=q]', 'Tromsø')
    await hand.enter()
    await hand.read('Tromsø')
    await hand.read(/^[\d,]+ of 171,\d+ records$/)
  },
  async 'How many cities has Norway?'(hand) {
    await hand.press(records)
    await hand.type('main input[type=search][name=q]', 'country = NOR')
    await hand.enter()
    await hand.read(/^[\d,]+ of 171,\d+ records$/)
  },
  async 'Which cities are farthest north?'(hand) {
    await hand.press(records)
    await hand.press('a.sort:has-text("latitude")')
    await hand.press('a.sort:has-text("latitude")')
    await hand.read('Longyearbyen')
  },
  async 'How are the latitudes distributed, and which fields have gaps?'(hand) {
    await hand.press(records)
    await hand.page.locator('svg.histogram').first().waitFor()
    await hand.read(/% empty/)
  },
  async 'Which countries have the most cities?'(hand) {
    await hand.press(records)
    await hand.press('main a:text-is("Chart")')
    await hand.read(/30 of 2\d\d values/)
  },
  async 'Which cities of Norway are north of 70°?'(hand) {
    await hand.press(records)
    for (const filter of ['country = NOR', 'latitude > 70']) {
      await hand.type('main input[type=search][name=q]', filter)
      await hand.enter()
      await hand.page.waitForURL(/filter/)
    }
    await hand.read(/^16 of 171,\d+ records$/)
  },
  async 'What changed since v1.0.0?'(hand) {
    await hand.press('a[href$="/versions"][data-key]')
    await hand.press('input[name=from][value="v1.0.0"]')
    await hand.press('form[action$="/compare"] button')
    await hand.page.locator('.totals').waitFor()
  },
}

/** Pages with the answer in a form, and its JSON. Paths end where the filter begins. */
const forms = {
  JSON: '/api/collections/mercator/cities/versions/latest/tables/City/rows?limit=50',
  table: `${overview}/records/City?`,
  chart: `${overview}/records/City?view=chart&x=admin1`,
  map: `${overview}/records/City?view=map`,
}

/** Rows of Markdown: milliseconds, times those of the JSON, and bytes of the largest answer. */
async function formLines(baseURL: string): Promise<string[]> {
  const read = async (path: string) => (await fetch(baseURL + path)).text()
  const facets = JSON.parse(await read(forms.JSON.replace(/rows.*/, 'facets?facet=country'))) as {
    facets: [{ values: { value: string }[] }]
  }
  const countries = facets.facets[0].values.map(({ value }) => value)
  const times = new Map(Object.keys(forms).map((form) => [form, [] as number[]]))
  const bytes = new Map<string, number>()
  for (const country of countries)
    for (const [form, path] of Object.entries(forms)) {
      const { ms, value } = await timed(() => read(`${path}&filter=country+eq+${country}`))
      times.get(form)!.push(ms)
      bytes.set(form, Math.max(bytes.get(form) ?? 0, Buffer.byteLength(value)))
    }
  const medians = new Map([...times].map(([form, all]) => [form, sampleOf(all).median]))
  return [...medians].map(([form, ms]) => {
    const ratio = (ms / medians.get('JSON')!).toFixed(1)
    return `| ${form} | ${ms.toFixed(0)} | ${ratio} | ${Math.round(bytes.get(form)! / 1_000)} |`
  })
}

const folder = mkdtempSync(join(tmpdir(), 'ulmus-analyst-'))
const served = values.url === undefined ? await Served.open({ folder: join(folder, 'data') }) : undefined
const baseURL = served?.url ?? values.url!
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  const demo = join(import.meta.dirname, '../demo/main.ts')
  if (served !== undefined)
    await promisify(execFile)(process.execPath, [demo, '--url', baseURL], { maxBuffer: 2 ** 26 })
  const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  // Builds the table, as the first visitor who asks for profiles does.
  await page.goto(`${overview}/records/City?profiles=1`)
  await page.locator('svg.histogram').first().waitFor({ timeout: 120_000 })
  const lines: string[] = []
  for (const [question, answer] of Object.entries(questions)) {
    const seconds: number[] = []
    let actions = 0
    for (let run = 0; run <= Number(values.runs); run++) {
      await page.goto(overview)
      const hand = new Hand(page)
      const { ms } = await timed(() => answer(hand))
      if (run > 0) seconds.push(ms / 1_000)
      actions = hand.actions
    }
    lines.push(`| ${question} | ${actions} | ${sampleOf(seconds).median.toFixed(1)} |`)
  }
  process.stdout.write(`| question | actions | seconds |\n|---|---:|---:|\n${lines.join('\n')}\n\n`)
  const formRows = await formLines(baseURL)
  process.stdout.write(
    `| form | ms | times JSON | largest, kB |\n|---|---:|---:|---:|\n${formRows.join('\n')}\n`,
  )
} finally {
  await browser.close()
  await served?.close()
  rmSync(folder, { recursive: true, force: true })
}
