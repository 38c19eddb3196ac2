/**
 * The chart of a result, chosen by the kinds of its columns: lines over time, bars of names, points of two numbers, a histogram of one.
 * A chart joins only what belongs together: rows with the same place are series, or there is no chart, with the reason.
 */
import { binEdges } from '@ulmus/content/quantities'
import { areQuantities, counted, numberText, shareText } from '../../format.ts'
import { type Axes, areYears, axesOf, type ChartChoice, type Column, numberIn, numberMax } from './axes.ts'
import type { ChartSource, NoChart } from './source.ts'

export type Form = 'bars' | 'lines' | 'points' | 'histogram'

export interface ChartPoint {
  /** The value of `x` as text, of a histogram the bounds of the bin. */
  readonly label: string
  /** Place along the axis: milliseconds for times, else the number. Undefined: the chart has bars. */
  readonly x: number | undefined
  /** Null: no value. */
  readonly y: number | null
  /** Path of the page with the records at the place. Default: none. */
  readonly href?: string | undefined
}

export interface Series {
  /** Undefined: the only one. */
  readonly name: string | undefined
  /** In the order of `x`, or of the rows. */
  readonly points: readonly ChartPoint[]
}

export interface ChartPlan {
  readonly form: Form
  /** Name of the column along the axis. */
  readonly x: string
  /** Name of the column with the values; of a histogram `rows`. */
  readonly y: string
  /** Name of the column that tells the series apart. */
  readonly by: string | undefined
  readonly isTime: boolean
  /** True for counts and sums, which are quantities whatever they look like. Default: by the values (`areQuantities`) */
  readonly isQuantity?: boolean
  readonly series: readonly Series[]
  /** What of the result is not drawn, as a sentence. */
  readonly left: string | undefined
}

/** Rows of a chart, bars, and series that are drawn. */
const rowsMax = 5_000
const barsMax = 30
const seriesMax = 8
/** Share of the pairs of a group of bars that have a row, at least. */
const dense = 0.6
/** Share of the values from which a bin hides how they differ. */
const skewed = 0.75
/** Fewer numbers than these have no histogram. */
const histogramLeast = 10

/**
 * Milliseconds of a year, month, date or time as the engine writes it; NaN for those that JavaScript cannot represent. Without an
 * offset: UTC.
 */
const timeOf = (text: string): number =>
  Date.parse(/^\d+(?:-\d\d){0,2}$|:\d\d.*[+-]\d\d(?::\d\d)?$/.test(text) ? text : `${text}Z`)

const textIn = (cell: unknown): string => (cell === null ? '' : String(cell))

/** @param choice default: columns by their kinds */
export function planChart(source: ChartSource, choice: ChartChoice = {}): ChartPlan | NoChart {
  const { rows } = source
  if (rows.length < 2) return { reason: 'it needs two rows.' }
  if (rows.length > rowsMax) return { reason: `it has room for ${counted(rowsMax, 'row')}.` }
  const axes = axesOf(source, choice)
  if ('reason' in axes) return axes
  const { x, y, by } = axes
  if (x.kind === 'time') return lines(rows, axes)
  if (x.kind === 'text') return bars(rows, axes)
  if (x.at === y.at) return histogram(rows, x)
  if (areYears(source, x)) return lines(rows, axes)
  if (by !== undefined) return { reason: 'series need texts, times or years along the axis.' }
  return points(rows, axes)
}

function lines(rows: ChartSource['rows'], { x, y, by: chosen, texts }: Axes): ChartPlan | NoChart {
  const isTime = x.kind === 'time'
  const placed = rows.flatMap((row) => {
    const place = row[x.at] === null ? Number.NaN : isTime ? timeOf(String(row[x.at])) : Number(row[x.at])
    return Number.isNaN(place) ? [] : [{ row, place }]
  })
  if (placed.length < 2) return { reason: `a line needs two rows with a ${x.name}.` }
  const by = texts.find((text) => areDistinct(placed, ({ row, place }) => [place, textIn(row[text.at])]))
  if (!areDistinct(placed, ({ place }) => [place]) && by === undefined) return repeats(x)
  const isOne = chosen === undefined && areDistinct(placed, ({ place }) => [place])
  const groups = Map.groupBy(placed, ({ row }) => (isOne ? undefined : textIn(row[by!.at])))
  const all = Array.from(groups, ([name, group]) => ({
    name,
    points: group
      .toSorted((a, b) => a.place - b.place)
      .map(({ row, place }) => ({ label: textIn(row[x.at]), x: place, y: numberIn(row[y.at]) })),
  }))
  const unplaced = rows.length - placed.length
  return {
    form: 'lines',
    x: x.name,
    y: y.name,
    by: isOne ? undefined : by!.name,
    isTime,
    ...largest(all),
    ...(unplaced > 0 && {
      left: `${counted(unplaced, 'row')} without a ${x.name} ${are(unplaced)} not drawn.`,
    }),
  }
}

const are = (count: number): string => (count === 1 ? 'is' : 'are')

/** Columns that tell the rows apart name the bars; two of them make groups if nearly every pair has a row. */
function bars(rows: ChartSource['rows'], { x, y, by: chosen, texts }: Axes): ChartPlan | NoChart {
  const named = [[], ...texts.map((_, n) => texts.slice(0, n + 1))]
    .map((some) => [x, ...some])
    .slice(chosen === undefined ? 0 : 1)
    .find((some) => areDistinct(rows, (row) => some.map(({ at }) => textIn(row[at]))))
  if (named === undefined) return repeats(x)
  const by = named[1]
  const shared = { form: 'bars', y: y.name, isTime: false } as const
  const valuesOf = (column: Column) => [...new Set(rows.map((row) => textIn(row[column.at])))]
  if (by !== undefined && named.length === 2) {
    const [labels, names] = [valuesOf(x), valuesOf(by)]
    const isDense = rows.length >= labels.length * names.length * dense
    if (chosen !== undefined || (names.length <= seriesMax && isDense)) {
      const cells = new Map(
        rows.map((row) => [JSON.stringify([x, by].map(({ at }) => textIn(row[at]))), numberIn(row[y.at])]),
      )
      const cellOf = (label: string, name: string) => cells.get(JSON.stringify([label, name])) ?? null
      const all = names.map((name) => ({
        name,
        points: labels.slice(0, barsMax).map((label) => ({ label, x: undefined, y: cellOf(label, name) })),
      }))
      const { series, left } = largest(all)
      const sentences = [leftOf(labels.length), left].filter((one) => one !== undefined)
      return { ...shared, x: x.name, by: by.name, series, left: sentences.join(' ') || undefined }
    }
  }
  const labelOf = (row: readonly unknown[]) => named.map(({ at }) => textIn(row[at])).join(' · ')
  const points = rows
    .slice(0, barsMax)
    .map((row) => ({ label: labelOf(row), x: undefined, y: numberIn(row[y.at]) }))
  const name = named.map((column) => column.name).join(', ')
  return {
    ...shared,
    x: name,
    by: undefined,
    series: [{ name: undefined, points }],
    left: leftOf(rows.length),
  }
}

const leftOf = (labels: number): string | undefined =>
  labels > barsMax ? `The first ${barsMax} of ${labels}.` : undefined

function points(rows: ChartSource['rows'], { x, y }: Axes): ChartPlan {
  const isQuantity = areQuantities(
    x.name,
    rows.map((row) => numberIn(row[x.at])),
  )
  const drawn = rows.flatMap((row) => {
    const [place, value] = [numberIn(row[x.at]), numberIn(row[y.at])]
    if (place === null || value === null) return []
    return [{ label: numberText(place, isQuantity), x: place, y: value }]
  })
  const undrawn = rows.length - drawn.length
  const left =
    undrawn === 0 ? undefined : `${counted(undrawn, 'row')} without both numbers ${are(undrawn)} not drawn.`
  const series = [{ name: undefined, points: drawn }]
  return { form: 'points', x: x.name, y: y.name, by: undefined, isTime: false, series, left }
}

function histogram(rows: ChartSource['rows'], column: Column): ChartPlan | NoChart {
  const values = rows.flatMap((row) => numberIn(row[column.at]) ?? [])
  if (values.length < histogramLeast)
    return { reason: 'bars need a column of names, and a histogram ten numbers.' }
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (low === high) return planBins(column.name, [], [low, high])
  const edges = binEdges(low, high, values.every(Number.isInteger))
  const counts = Array.from({ length: edges.length - 1 }, () => 0)
  for (const value of values) counts[edges.findLastIndex((edge) => edge <= value)]!++
  const without = rows.length - values.length
  const left =
    without === 0 ? undefined : `${counted(without, 'row')} without a number ${are(without)} not counted.`
  return planBins(column.name, counts, edges, left)
}

/** A histogram of counts in bins of equal width. @param edges bounds of the bins, one more than bins */
export function planBins(
  x: string,
  counts: readonly number[],
  edges: readonly number[],
  left?: string,
): ChartPlan | NoChart {
  const [low, high] = [edges[0]!, edges.at(-1)!]
  if (low === high) return { reason: `all values of ${x} are equal.` }
  if (Math.max(-low, high) > numberMax) return { reason: `the values of ${x} are too far apart for an axis.` }
  const isQuantity = areQuantities(x, [low, high])
  const bound = (n: number) => numberText(Number(edges[n]!.toPrecision(12)), isQuantity)
  const points = counts.map((y, n) => ({ label: `${bound(n)} to ${bound(n + 1)}`, x: edges[n]!, y }))
  const all = counts.reduce((sum, count) => sum + count, 0)
  const fullest = points.reduce((most, point) => (point.y > most.y ? point : most))
  const isSkewed = counts.length > 4 && fullest.y >= all * skewed
  const skew = `${shareText(fullest.y, all)} of the values are ${fullest.label}: filter them to see how they differ.`
  const sentences = [left, isSkewed ? skew : undefined].filter((one) => one !== undefined)
  return {
    ...{ form: 'histogram', x, y: 'rows', by: undefined, isTime: false, isQuantity: true },
    series: [{ name: undefined, points }],
    left: sentences.join(' ') || undefined,
  }
}

/** The series with the largest values, in the order of the rows: more cannot be told apart. */
function largest(all: readonly Series[]): Pick<ChartPlan, 'series' | 'left'> {
  if (all.length <= seriesMax) return { series: all, left: undefined }
  const sizeOf = ({ points }: Series) => Math.max(...points.map(({ y }) => Math.abs(y ?? 0)))
  const kept = new Set(all.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, seriesMax))
  const left = `The ${seriesMax} series with the largest values, of ${all.length}.`
  return { series: all.filter((series) => kept.has(series)), left }
}

const areDistinct = <T>(items: readonly T[], keyOf: (item: T) => readonly unknown[]): boolean =>
  new Set(items.map((item) => JSON.stringify(keyOf(item)))).size === items.length

const repeats = ({ name }: Column): NoChart => ({
  reason: `several rows have the same ${name}. Group by it, or name a column that tells them apart.`,
})
