/** Benchmarks of the whole product. Usage: npm run bench -- --help */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Bench, type Benchmark } from './bench.ts'
import { benchmarks } from './benchmarks.ts'
import { judge, judgedSize } from './budgets.ts'
import { type DatabaseKind, type Figure, Figures, valueText } from './figures.ts'
import { writePage } from './report/page.ts'
import { tableText } from './report/table.ts'
import { commitOfSources, describeMachine, type Results, readResults, saveResults } from './results.ts'

const usage = `Usage: npm run bench [-- <name>… --sizes 1000,100000,1000000 --database embedded|server --huge]

  <name>…      only these; --list tells their names
  --sizes      records, with commas between
  --database   only this one; both, if absent
  --huge       at 10,000,000 records too: without what others take for it
  --page FILE  write docs/performance.md from the results of a former run
`
const usualSizes = '1000,100000,1000000'
const hugeSize = 10_000_000
/** Above this size the other designs would take a day. */
const otherwiseSizeMax = 1_000_000

interface Plan {
  readonly chosen: readonly Benchmark[]
  readonly sizes: readonly number[]
  readonly databases: readonly DatabaseKind[]
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sizes: { type: 'string', default: usualSizes },
      database: { type: 'string' },
      huge: { type: 'boolean', default: false },
      page: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return say(usage)
  if (values.list) return say(benchmarks.map(({ name, about }) => `${name.padEnd(12)} ${about}`).join('\n'))
  if (values.page !== undefined) return writePage(readResults(values.page))
  const plan = planOf(positionals, values)
  const results = await run(plan)
  const path = saveResults(results)
  const figures = new Figures()
  figures.all.push(...results.figures)
  say(`\n${tableText(judge(figures, judgedSize(plan.sizes), plan.databases))}\n\n${path}`)
  if (results.complete) writePage(results)
  for (const failure of results.failures) say(`FAILED ${failure}`)
  if (results.failures.length > 0) process.exitCode = 1
}

/** @throws Error for an unknown name, size or database */
function planOf(names: readonly string[], given: { sizes: string; database?: string; huge: boolean }): Plan {
  const unknown = names.find((name) => !benchmarks.some((one) => one.name === name))
  if (unknown !== undefined) throw new Error(`There is no benchmark ${unknown}.\n\n${usage}`)
  const sizes = given.sizes.split(',').map(Number)
  if (!sizes.every((size) => Number.isInteger(size) && size >= 100))
    throw new Error(`--sizes wants integers of at least 100.\n\n${usage}`)
  if (given.huge) sizes.push(hugeSize)
  const databases = (['embedded', 'server'] as const).filter(
    (kind) => given.database === undefined || given.database === kind,
  )
  if (databases.length === 0) throw new Error(`--database is embedded or server.\n\n${usage}`)
  const chosen = benchmarks.filter(({ name }) => names.length === 0 || names.includes(name))
  return { chosen, sizes: [...new Set(sizes)].sort((a, b) => a - b), databases }
}

async function run(plan: Plan): Promise<Results> {
  const start = performance.now()
  const at = new Date().toISOString()
  const figures = new Figures(tell)
  const bench = new Bench(mkdtempSync(join(tmpdir(), 'ulmus-bench-')), figures, Math.max(...plan.sizes))
  const failures: string[] = []
  const attempt = async (what: string, work: () => Promise<void> | undefined) => {
    say(`· ${what} (${Math.round((performance.now() - start) / 1000)} s)`)
    try {
      await work()
    } catch (error) {
      failures.push(`${what}: ${(error as Error).message}`)
      say(`FAILED ${(error as Error).stack}`)
      // Do not measure on the remains of a failure.
      await bench.dropStage()
    }
  }
  const end = () => void bench.close().then(() => process.exit(1))
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    for (const size of plan.sizes) await runSize(bench, plan, size, attempt)
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
    await bench.close()
  }
  const { sizes, databases } = plan
  const isWhole = databases.length === 2 && sizes.length > 1
  const complete = plan.chosen.length === benchmarks.length && isWhole && failures.length === 0
  const facts = {
    machine: describeMachine(),
    commit: commitOfSources(),
    complete,
    sizes,
    databases,
    failures,
  }
  return { at, minutes: (performance.now() - start) / 60_000, ...facts, figures: figures.all }
}

type Attempt = (what: string, work: () => Promise<void> | undefined) => Promise<void>

async function runSize(bench: Bench, { chosen, sizes, databases }: Plan, size: number, attempt: Attempt) {
  const isLargest = size === Math.max(...sizes)
  const now = chosen.filter(({ sizes: at }) => at === 'every' || isLargest)
  for (const database of databases) {
    for (const one of now)
      await attempt(`${one.name} (${database}, ${size})`, () => one.ours(bench, { database, size }))
  }
  await bench.dropStage()
  if (size > otherwiseSizeMax) return
  for (const one of now) {
    if (one.otherwise !== undefined)
      await attempt(`${one.name}, otherwise (${size})`, () => one.otherwise?.(bench, size))
  }
}

function tell({ quantity, by, database, size, unit, median, p99, low, high, runs }: Figure): void {
  const where = [by, database, size.toLocaleString('en')].filter((part) => part !== null).join(', ')
  const spread =
    runs === 1
      ? ''
      : ` (${valueText(low, unit)} – ${valueText(high, unit)}, p99 ${valueText(p99, unit)}, ${runs} runs)`
  say(`  ${quantity} [${where}]: ${valueText(median, unit)}${spread}`)
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

await main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
