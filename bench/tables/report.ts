/** Measurements of tables as a Markdown table: medians, 95th percentiles, and how they compare with the budgets. */
import { loadavg } from 'node:os'
import { commitOfSources, describeMachine } from '../results.ts'
import type { Measured, Name } from './turns.ts'

/** An upper bound: of another contender's median, of the difference from it, or of the value itself. */
export type Budget =
  | { readonly times: number; readonly of: Name }
  | { readonly moreMs: number; readonly of: Name }
  | { readonly ms: number }
  | { readonly atMost: number }

export interface Row {
  readonly what: string
  readonly budget: readonly Budget[]
  readonly measured: Measured
  /** Default: milliseconds. */
  readonly unit?: 's' | 'MiB' | '×' | 'files' | 'bytes' | undefined
}

export const rowOf = (
  what: string,
  measured: Measured,
  { budget = [], unit }: Partial<Pick<Row, 'budget' | 'unit'>> = {},
): Row => ({ what, budget, measured, unit })

const contenders: readonly Name[] = ['Ulmus', 'SQLite', 'PostgreSQL', 'DuckDB']

/** Three digits. A question that was too costly has no time. */
function short(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return 'refused'
  return value >= 100
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(value < 10 ? 2 : 3)))
}

function judged(budget: Budget, { measured }: Row): { bound: string; found: string; kept: boolean } {
  const own = measured.Ulmus!.median
  if ('times' in budget) {
    const ratio = own / measured[budget.of]!.median
    return {
      bound: `${budget.times} × ${budget.of}`,
      found: `${short(ratio)} ×`,
      kept: ratio <= budget.times,
    }
  }
  if ('moreMs' in budget) {
    const more = own - measured[budget.of]!.median
    const found = `${more < 0 ? '−' : '+'}${short(Math.abs(more))} ms`
    return { bound: `${budget.of} + ${budget.moreMs} ms`, found, kept: more <= budget.moreMs }
  }
  const bound = 'ms' in budget ? budget.ms : budget.atMost
  return { bound: 'ms' in budget ? `${bound} ms` : short(bound), found: short(own), kept: own <= bound }
}

export function lineOf(row: Row): string {
  const unit = row.unit === undefined ? '' : ` ${row.unit}`
  const cells = contenders.map((name) => {
    const spread = row.measured[name]
    if (spread === undefined) return ''
    const { median, p95 } = spread
    return median === p95 ? `${short(median)}${unit}` : `${short(median)} · ${short(p95)}${unit}`
  })
  const isComparable = (budget: Budget) => !('of' in budget) || row.measured[budget.of] !== undefined
  const verdicts = row.budget.filter(isComparable).map((budget) => judged(budget, row))
  const bounds = verdicts.map(({ bound }) => `≤ ${bound}`).join('; ')
  const found = verdicts.map(({ found, kept }) => (kept ? found : `**${found}**`)).join('; ')
  return `| ${[row.what, bounds, found, ...cells].join(' | ')} |`
}

export const heads = [
  '| | budget | measured | Ulmus | SQLite | PostgreSQL | DuckDB |',
  '|---|---|---|---:|---:|---:|---:|',
]

export function sectionText(
  rows: readonly Row[],
  about: { size: number; runs: number; database: string; bytes: number },
  options: string,
) {
  const { size, runs, database, bytes } = about
  const day = new Date().toISOString().slice(0, 10)
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(', ')
  return `\`npm run bench:tables -- --records ${size} --runs ${runs} --database ${database}${options}\`, ${day}, commit ${commitOfSources()}, on ${describeMachine()}; load at the end ${load}.
${size.toLocaleString('en')} records of ${Math.round(bytes / size)} bytes (canonical form). Milliseconds unless stated, p50 · p95. Bold figures miss their budget.

${[...heads, ...rows.map(lineOf)].join('\n')}
`
}
