/** Writes docs/performance.md and its plot from the results of a run and their explanations (`bench/meaning.md`). */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { judge, judgedSize, type Row } from '../budgets.ts'
import { type Contender, type DatabaseKind, type Figure, Figures, valueText } from '../figures.ts'
import type { Results } from '../results.ts'
import { plotSvg } from './plot.ts'

const docs = join(import.meta.dirname, '../../docs')
const meaning = readFileSync(join(import.meta.dirname, '../meaning.md'), 'utf8').trim()
const plotName = 'performance.svg'

export function writePage(results: Results): void {
  writeFileSync(join(docs, 'performance.md'), pageText(results))
  writeFileSync(join(docs, plotName), plotSvg(figuresOf(results), results.sizes))
}

export function figuresOf({ figures: measured }: Results): Figures {
  const figures = new Figures()
  figures.all.push(...measured)
  return figures
}

export function pageText(results: Results): string {
  const figures = figuresOf(results)
  const size = judgedSize(results.sizes)
  const rows = judge(figures, size, results.databases)
  return `# Performance

Written by \`npm run bench\` from its last complete run. \`bench/notes.md\` of the sources lists what was tried for missed budgets.
${results.complete ? '' : '\n**This was a trial: not every benchmark ran, and the machine may have had other work.**\n'}
Run at ${results.at.slice(0, 16).replace('T', ' ')} UTC in ${Math.round(results.minutes)} minutes, of commit ${results.commit}, on ${results.machine}. The client, the server, the
databases and all contenders share these cores.

## Budgets

At ${size.toLocaleString('en')} records of ${Math.round(meanBytes(figures, size))} bytes (canonical form), with validation of schemas. ${keptText(rows)} Bold figures miss their budget.

${budgetTable(rows)}

- **embedded** is PGlite with one sync a commit, **PostgreSQL** a server with 1 GB of buffers that syncs. Figures are medians of 5 or more runs, of 3 if a run takes many
  seconds, unless p50 or p99 is stated.
- **SQL**: the conventional design on the same PostgreSQL: records by hash, one membership row a record and version; loaded by \`COPY\`, digest over the ordered hashes.
  It does not validate and has no HTTP. **git**: \`git fast-import\` of a file a record, \`git diff\`. **raw**: the minimum for the task: a Fastify route with one
  look-up on the same kind of database (embedded; PostgreSQL), a file streamed by Node, \`zstd -3\` of the NDJSON, PGlite started alone.
- **cold**: the server has just started and has run the same code on another collection; the operating system may have its files in memory.

${meaning}

## Cost against size

![Cost against size](${plotName})

${sizesTable(figures, results)}

## How to run

\`\`\`sh
npm run bench                                  # everything, at 1,000, 100,000 and 1,000,000 records, on both databases
npm run bench -- --list                        # the names of the benchmarks
npm run bench -- metadata fork --sizes 1000,100000 --database embedded
npm run bench -- first-push changes --huge     # at 10,000,000 records too
npm run bench -- --page bench/results/<run>.json   # this page again, from the file of a run
\`\`\`

Every benchmark starts the real server as a process of its own on a new data folder, signs in through its OIDC provider, and talks HTTP. Linux only; it needs \`git\`, 15 GB of
free disk and an otherwise idle machine.
`
}

const meanBytes = (figures: Figures, size: number): number =>
  (['embedded', 'server'] as const)
    .map((database) => figures.find('mean record', { database, size })?.median)
    .find((mean) => mean !== undefined) ?? 0

function keptText(rows: readonly Row[]): string {
  const missed = rows.filter(({ kept }) => !kept).length
  if (missed === 0) return 'Every budget is kept.'
  return `${rows.length - missed} of ${rows.length} budgets are kept, ${missed} missed.`
}

function budgetTable(rows: readonly Row[]): string {
  const lines = [...Map.groupBy(rows, ({ work }) => work)].map(([work, ofWork]) => {
    const measuredOn = (database: DatabaseKind) => {
      const row = ofWork.find((one) => one.database === database)
      return row === undefined || row.kept ? (row?.measured ?? '') : `**${row.measured}**`
    }
    const others = [...new Set(ofWork.map(({ otherwise }) => otherwise))].join('; ')
    return `| ${work} | ${ofWork[0]!.budget} | ${measuredOn('embedded')} | ${measuredOn('server')} | ${others} |`
  })
  return ['| work | budget | embedded | PostgreSQL | others |', '|---|---|---|---|---|', ...lines].join('\n')
}

const contenders: readonly { name: string; by: Contender; database: DatabaseKind | null }[] = [
  { name: 'Ulmus, embedded', by: 'ulmus', database: 'embedded' },
  { name: 'Ulmus, PostgreSQL', by: 'ulmus', database: 'server' },
  { name: 'SQL', by: 'tables', database: null },
  { name: 'git', by: 'git', database: null },
  { name: 'raw', by: 'raw', database: null },
  { name: 'raw, embedded', by: 'raw', database: 'embedded' },
  { name: 'raw, PostgreSQL', by: 'raw', database: 'server' },
]

/** All figures: a row per quantity and contender, a column per size. */
function sizesTable(figures: Figures, { sizes }: Results): string {
  const quantities = [...new Set(figures.all.map(({ quantity }) => quantity))]
  const rows = quantities.flatMap((quantity) =>
    contenders.flatMap(({ name, by, database }) => {
      const cells = sizes.map((size) => figures.find(quantity, { by, database, size }))
      if (cells.every((cell) => cell === undefined)) return []
      return [`| ${quantity} | ${name} | ${cells.map(cellText).join(' | ')} |`]
    }),
  )
  const heads = sizes.map((size) => `${size.toLocaleString('en')} records`)
  return [`| | | ${heads.join(' | ')} |`, `|---|---|${sizes.map(() => '---:|').join('')}`, ...rows].join('\n')
}

/** The median, and the 99th percentile if there are enough values. */
function cellText(figure: Figure | undefined): string {
  if (figure === undefined) return ''
  const text = valueText(figure.median, figure.unit)
  return figure.runs < 50 ? text : `${text}, p99 ${valueText(figure.p99, figure.unit)}`
}
