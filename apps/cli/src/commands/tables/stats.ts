import type { ColumnStatistics } from '@ulmus/client'
import { counted, countText } from '@ulmus/content/quantities'
import { command, noun } from '../../command.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { optional } from '../../parameters.ts'
import { pathOf } from '../../reference.ts'
import { grid } from '../../terminal/grid.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { table } from '../../terminal/table.ts'
import { typeOf, whileBuilding } from './building.ts'

/** `ulmus stats [REF]`: statistics of the columns of a type, one per line. */
const stats = command<Record<never, never>, [reference?: string]>({
  brief: 'Show statistics of the fields of a type',
  examples: [
    'ulmus stats mercator/countries#Country',
    'ulmus stats mercator/countries@v1.0.0#Country',
    'ulmus stats mercator/cities#City --json',
  ],
  page: 'Show statistics of the fields of a type: share of records with a value, distinct values, minimum, maximum, mean, most frequent value. `--json` adds quartiles, histograms and more',
  positional: {
    kind: 'tuple',
    parameters: [optional('reference', 'owner/slug#Type or owner/slug@v1.2.0#Type')],
  },
  run: async (call, flags, text) => {
    const reference = referenceHere(call.terminal.cwd, text)
    const { client } = await call.connect({ host: reference.host })
    const version = await client.versions.get(pathOf(reference), reference.version ?? 'latest')
    const type = typeOf(
      reference,
      version,
      'Statistics are of one type.',
      (one) => `ulmus stats ${shellWord(one)}`,
    )
    const found = await whileBuilding(call, flags, (options) =>
      client.tables.statistics(pathOf(reference), version.semver, type, options),
    )
    if (flags.json) return call.json(found)
    await call.terminal.page()
    const { columns: width } = call.terminal
    const rows = found.columns.map((column) =>
      lineOf(column, found.rows, width === undefined ? String : countText),
    )
    if (width === undefined) await table(call, [], rows)
    else await grid(call, heads, rows, width)
    for (const { field, misfits, type: kind } of found.columns)
      if (misfits > 0)
        call.say(
          `${field}: ${counted(misfits, 'value')} cannot be of type ${kind}; filters and SQL see null.`,
        )
  },
})

const heads = [
  { head: 'field', least: 24 },
  { head: 'type' },
  { head: 'filled', isNumber: true },
  { head: 'distinct', isNumber: true },
  { head: 'min' },
  { head: 'max' },
  { head: 'mean', isNumber: true },
  { head: 'most frequent' },
]

function lineOf(column: ColumnStatistics, rows: number, number: (count: number) => string): string[] {
  const { field, type, count, distinct, min, max, mean, top = [] } = column
  const [first] = top
  return [
    field,
    type,
    filledText(count, rows),
    distinct === undefined ? '' : number(distinct),
    valueText(min),
    valueText(max),
    meanText(mean, type),
    // A value that is as frequent as all others says nothing.
    first === undefined || first.count === 1 ? '' : `${valueText(first.value)} (${number(first.count)})`,
  ]
}

/** 0 % and 100 % are exact. */
function filledText(count: number, rows: number): string {
  if (count === rows || count === 0) return count === 0 && rows > 0 ? '0 %' : '100 %'
  return `${Math.min(99.9, Math.max(0.1, (100 * count) / rows)).toFixed(1)} %`
}

/** The empty text is visible, unlike an absent value. */
const valueText = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : value === ''
      ? '""'
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)

/** Six digits. Dates and times have a mean in seconds since 1970. */
function meanText(mean: number | undefined, type: ColumnStatistics['type']): string {
  if (mean === undefined) return ''
  if (type !== 'date' && type !== 'date-time') return String(Number(mean.toPrecision(6)))
  const text = new Date(mean * 1_000).toISOString()
  return type === 'date' ? text.slice(0, 10) : `${text.slice(0, 19)}Z`
}

export default noun({
  section: 'Reading',
  words: {
    stats: {
      command: stats,
      group: 'Read',
      place: 50,
      line: ['stats REF', 'show statistics of the fields of a type'],
    },
  },
})
