/** Bars behind the numbers of a column: from zero, and as long as the share of the number in all of the column. */
import type { Profiles } from '../data/profiles.ts'
import { fieldTextMax, pathTo, type RecordsAddress } from './address.ts'
import { type PageColumn, type TableRow, valueIn } from './columns.ts'

/** Columns with bars. */
const barsMax = 30

/** Bounds of the numbers, with zero between them. */
interface Range {
  readonly least: number
  readonly most: number
}

/** Ranges of the columns that the address names: those of all records if they are known, else of the page. */
export function barRanges(
  { bars }: Pick<RecordsAddress, 'bars'>,
  chosen: readonly PageColumn[],
  rows: readonly TableRow[],
  profiles: Profiles | undefined,
): ReadonlyMap<PageColumn, Range> {
  const columns = chosen.filter(({ isNumber, text }) => isNumber && bars.includes(text))
  return new Map(
    columns.map((column) => {
      const { min, max } = profiles?.get(column.label) ?? {}
      const known = typeof min === 'number' && typeof max === 'number' ? [min, max] : undefined
      const numbers = (known ?? rows.map((row) => valueIn(row, column))).filter(
        (value): value is number => typeof value === 'number',
      )
      return [column, { least: Math.min(0, ...numbers), most: Math.max(0, ...numbers) }]
    }),
  )
}

/** The number has its own text; the bar is for eyes alone. */
export function Bar({ value, range: { least, most } }: { value: number; range: Range }) {
  // Each is divided first: the sum of two huge numbers is infinite.
  const scale = Math.max(most, -least)
  const whole = most / scale - least / scale
  if (!(scale > 0) || !Number.isFinite(scale)) return null
  const share = (part: number) => `${Math.round((part / whole) * 1_000) / 10}%`
  const [from, to] = [Math.max(least, Math.min(value, 0)) / scale, Math.min(most, Math.max(value, 0)) / scale]
  return (
    <svg class="bar" aria-hidden="true">
      <rect x={share(from - least / scale)} width={share(to - from)} height="100%" />
    </svg>
  )
}

/** Path of the page with the bars of a column, or without. Undefined: there are too many. */
export function barsToggled(address: RecordsAddress, { text }: PageColumn): string | undefined {
  const { bars, query } = address
  const isOn = bars.includes(text)
  if (text.length > fieldTextMax || (!isOn && bars.length >= barsMax)) return undefined
  const changed = isOn ? bars.filter((one) => one !== text) : [...bars, text]
  return pathTo({ ...address, bars: changed }, { offset: query.offset })
}
