/**
 * Runs Lighthouse on pages with the demo's data, one of a question that it saves, with its default simulated phone (slow network and processor). Prints the medians of three
 * runs and the audits that cost points. Exits with 1 if a median is below 95. Needs Debian's chromium.
 * Usage: npm run lighthouse [-- --url http://127.0.0.1:4000 --runs 3]
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { createClient } from '@ulmus/client'
import { signIn } from '../demo/sign-in.ts'
import { sampleOf } from './measure.ts'
import { Served } from './served.ts'

/**
 * Fetched by npx instead of a dependency: 114 packages and 176 MB for one command, a quarter more than `npm ci` installs. Their scripts do
 * not run.
 */
const lighthouse = 'lighthouse@13.5.0'
const scoreMin = 95
const collection = 'mercator/cities'
const pages = {
  overview: '/mercator/cities',
  records: '/mercator/cities/records/City',
  facets: '/mercator/cities/records/City?facets=1',
  chart: '/mercator/cities/records/City?view=chart&x=country',
  map: '/mercator/cities/records/City?view=map',
  question: '/mercator/cities/questions/cities-of-norway',
  compare: '/mercator/cities/compare/v1.0.0...v1.1.0',
}
const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const
/** Metrics that determine performance, shown beside the scores. */
const metrics = {
  'first-contentful-paint': 'ms',
  'largest-contentful-paint': 'ms',
  'speed-index': 'ms',
  'total-blocking-time': 'ms',
  'cumulative-layout-shift': '',
  'total-byte-weight': 'bytes',
} as const
const chromeFlags = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
]

interface Audit {
  readonly title: string
  /** 0 to 1; null: not scored. */
  readonly score: number | null
  readonly numericValue?: number
}

/** Used part of a report. */
interface Report {
  readonly runtimeError?: { readonly message: string }
  readonly categories: Readonly<
    Record<
      string,
      {
        readonly score: number | null
        readonly auditRefs: readonly { readonly id: string; readonly weight: number }[]
      }
    >
  >
  readonly audits: Readonly<Record<string, Audit>>
}

const run = promisify(execFile)
const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** @throws Error if the page could not be measured */
async function reportOf(url: string, folder: string): Promise<Report> {
  const path = join(folder, 'report.json')
  const flags = [
    '--quiet',
    '--no-enable-error-reporting',
    `--only-categories=${categories.join(',')}`,
    '--output=json',
    `--output-path=${path}`,
    `--chrome-flags=${chromeFlags.join(' ')}`,
  ]
  const env = { ...process.env, CHROME_PATH: '/usr/bin/chromium', npm_config_ignore_scripts: 'true' }
  await run('npx', ['--yes', lighthouse, url, ...flags], { env, cwd: folder, maxBuffer: 2 ** 26 })
  const report = JSON.parse(readFileSync(path, 'utf8')) as Report
  if (report.runtimeError !== undefined) throw new Error(`${url}: ${report.runtimeError.message}`)
  return report
}

const median = (values: readonly number[]): number => sampleOf(values).median
const scoreOf = (report: Report, category: string): number =>
  Math.round((report.categories[category]?.score ?? 0) * 100)

/** Audits that cost points in any category, worst first. */
function costsOf({ categories: all, audits }: Report): string[] {
  return Object.entries(all).flatMap(([category, { auditRefs }]) =>
    auditRefs
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
      .sort((a, b) => audits[a.id]!.score! - audits[b.id]!.score!)
      .map(({ id }) => `${category}: ${id}, ${audits[id]!.title} (${audits[id]!.score})`),
  )
}

/** @returns true if every median is high enough */
async function measure(url: string, runs: number, folder: string): Promise<boolean> {
  const heads = [...categories, ...Object.keys(metrics)]
  const rows: string[] = []
  let isGood = true
  for (const [name, path] of Object.entries(pages)) {
    const reports: Report[] = []
    for (let n = 0; n < runs; n++) reports.push(await reportOf(url + path, folder))
    const scores = categories.map((category) => median(reports.map((report) => scoreOf(report, category))))
    const values = Object.entries(metrics).map(([id, unit]) => {
      const value = median(reports.map(({ audits }) => audits[id]?.numericValue ?? Number.NaN))
      return unit === '' ? value.toFixed(3) : `${Math.round(value).toLocaleString('en')} ${unit}`
    })
    isGood &&= scores.every((score) => score >= scoreMin)
    rows.push(`| ${[name, ...scores, ...values].join(' | ')} |`)
    say(`${name}: ${categories.map((category, n) => `${category} ${scores[n]}`).join(', ')}`)
    for (const cost of costsOf(reports[0]!)) say(`  ${cost}`)
  }
  say(`\n| | ${heads.join(' | ')} |\n|---${'|---:'.repeat(heads.length)}|\n${rows.join('\n')}`)
  return isGood
}

/** Saves the question whose page is measured. */
async function saveQuestion(url: string): Promise<void> {
  const { fetch } = await signIn(url, { login: 'mercator', name: 'Mercator', email: 'mercator@example.org' })
  const { questions } = createClient({ baseUrl: url, fetch })
  const question = { type: 'City', query: 'filter=country eq NOR', public: true }
  const saved = await questions.list(collection)
  if (saved.length === 0) await questions.save(collection, { name: 'Cities of Norway', ...question })
}

const { values } = parseArgs({ options: { url: { type: 'string' }, runs: { type: 'string', default: '3' } } })
const folder = mkdtempSync(join(tmpdir(), 'ulmus-lighthouse-'))
/** Start a server if none is given. */
const served = values.url === undefined ? await Served.open({ folder: join(folder, 'data') }) : undefined
try {
  const demo = join(import.meta.dirname, '../demo/main.ts')
  if (served !== undefined) await run(process.execPath, [demo, '--url', served.url], { maxBuffer: 2 ** 26 })
  await saveQuestion(served?.url ?? values.url!)
  const isGood = await measure(served?.url ?? values.url!, Number(values.runs), folder)
  if (!isGood) {
    say(`\nA page is below ${scoreMin}.`)
    process.exitCode = 1
  }
} finally {
  await served?.close()
  rmSync(folder, { recursive: true, force: true })
}
