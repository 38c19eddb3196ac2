/** Draws the plan of a chart as SVG. Lengths along the page are percentages, so that words keep their size at any width. */
import { SavePicture } from '../save-picture.tsx'
import type { ChartPlan, ChartPoint, Series } from './plan.ts'
import {
  axisLabel,
  labelText,
  nameMax,
  placeText,
  plain,
  titleOf,
  valuesAreQuantities,
  valueText,
  wordsOf,
} from './texts.ts'

/** Height of a bar with the space around it, of one of several at a name, and of the drawing of lines and points. Pixels. */
const barHeight = 24
const thinHeight = 18
const plotHeight = 220
/** Points of a line that are marked, each with its value. */
const marksMax = 60

export function Chart({ plan }: { plan: ChartPlan }) {
  const { form, series, left } = plan
  const [x, y] = [plain(plan.x, nameMax), plain(plan.y, nameMax)]
  const Drawing = form === 'bars' ? Bars : Plot
  return (
    <figure class="chart">
      <figcaption>
        {form === 'histogram' ? (
          <>
            Values of <bdi>{x}</bdi>
          </>
        ) : (
          <>
            <bdi>{y}</bdi> by <bdi>{x}</bdi>
          </>
        )}
        {left !== undefined && <span class="quiet"> {plain(left, 200)}</span>}
      </figcaption>
      <Drawing plan={plan} words={wordsOf(plan)} />
      {series.length > 1 && form !== 'bars' && <Legend series={series} />}
      <SavePicture />
    </figure>
  )
}

interface DrawingProps {
  readonly plan: ChartPlan
  readonly words: string
}

/** Columns of the drawing: labels, bars, and space for the number of the longest bar. Percent. */
const labelsWidth = 29
const barsFrom = 30
const barsWidth = 48

function Bars({ plan, words }: DrawingProps) {
  const { series } = plan
  const isQuantity = valuesAreQuantities(plan)
  const values = series.flatMap(({ points }) => points.map(({ y }) => y ?? 0))
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)]
  const at = (value: number) => barsFrom + ((value - least) / (most - least || 1)) * barsWidth
  const labels = series[0]!.points.map(({ label }) => label)
  const isOne = series.length === 1
  const tall = isOne ? barHeight : series.length * thinHeight + 8
  return (
    <svg role="img" aria-label={words} width="100%" height={labels.length * tall}>
      {labels.map((label, index) => (
        <g key={index}>
          {/* A nested drawing cuts labels that are too long. */}
          <svg aria-hidden="true" y={index * tall} width={`${labelsWidth}%`} height={tall}>
            <text y="16">{labelText(label)}</text>
          </svg>
          {series.map(({ name, points }, n) => (
            <Bar
              key={n}
              {...{ name, at, n, isQuantity }}
              point={points[index]!}
              top={index * tall + n * thinHeight}
              height={isOne ? barHeight : thinHeight}
            />
          ))}
        </g>
      ))}
      <line x1={`${at(0)}%`} x2={`${at(0)}%`} y1="0" y2="100%" />
    </svg>
  )
}

interface BarProps {
  readonly name: string | undefined
  readonly point: ChartPoint
  readonly at: (value: number) => number
  readonly top: number
  readonly height: number
  /** Number of the series. */
  readonly n: number
  readonly isQuantity: boolean | undefined
}

/** Bars of several series have their names at the end, so that colours need not be told apart. */
function Bar({ name, point: { label, y }, at, top, height, n, isQuantity }: BarProps) {
  // A pair of names without a row.
  if (name !== undefined && y === null) return null
  const [from, to] = [at(Math.min(0, y ?? 0)), at(Math.max(0, y ?? 0))]
  const text = valueText(y, isQuantity)
  const end = name === undefined ? text : `${labelText(name, 24)} ${text}`
  return (
    <g class={`series-${n}`}>
      <title>{titleOf(name, label, y, isQuantity)}</title>
      <rect x={`${from}%`} y={top + 4} width={`${to - from}%`} height={height - 6} rx="2" />
      <text class="quiet" x={`${to}%`} dx="6" y={top + height / 2 + 5}>
        {end}
      </text>
    </g>
  )
}

/** Lines, points and histograms: values grow upwards, and their axis has round numbers. */
function Plot({ plan, words }: DrawingProps) {
  const { form, series } = plan
  const isQuantity = valuesAreQuantities(plan)
  const all = series.flatMap(({ points }) => points)
  const values = all.flatMap(({ y }) => y ?? [])
  const ticks = ticksOf(...domainOf(form === 'histogram' ? [0, ...values] : values))
  const [low, high] = [ticks[0]!, ticks.at(-1)!]
  const places = all.map(({ x }) => x!)
  const [first, last] = [Math.min(...places), Math.max(...places)]
  const isBinned = form === 'histogram'
  // A bin begins at its place.
  const span = (last - first) * (isBinned ? all.length / (all.length - 1) : 1)
  const across = (x: number) => rounded(span === 0 ? 50 : ((x - first) / span) * 100)
  const up = (y: number) => rounded(plotHeight - ((y - low) / (high - low)) * plotHeight)
  const ends = [first, first + span] as const
  return (
    <svg class="plot" role="img" aria-label={words} width="100%" height={plotHeight + 44}>
      <g transform="translate(0 18)">
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1="0" x2="100%" y1={up(tick)} y2={up(tick)} />
            <text class="quiet" y={up(tick) - 4}>
              {axisLabel(tick, isQuantity)}
            </text>
          </g>
        ))}
        {isBinned ? (
          <Bins {...{ points: all, across, up, isQuantity }} width={rounded(100 / all.length)} />
        ) : (
          series.map(({ name, points }, n) => (
            <g key={n} class={`series-${n}`}>
              {form === 'lines' && <Runs {...{ points, across, up }} />}
              <Marks {...{ name, points, across, up, isQuantity }} isLine={form === 'lines'} />
            </g>
          ))
        )}
        <text y={plotHeight + 22}>{placeText(plan, ends[0])}</text>
        {span > 0 && (
          <text x="100%" y={plotHeight + 22} text-anchor="end">
            {placeText(plan, ends[1])}
          </text>
        )}
      </g>
    </svg>
  )
}

interface PlacedProps {
  readonly points: readonly ChartPoint[]
  /** Place on the drawing, percent of its width. */
  readonly across: (x: number) => number
  /** Pixels from the top. */
  readonly up: (y: number) => number
  readonly isQuantity: boolean | undefined
}

/** Lines between neighbours that both have values. The inner drawing is stretched, so that 10 units are a percent. */
function Runs({ points, across, up }: Omit<PlacedProps, 'isQuantity'>) {
  const runs: ChartPoint[][] = [[]]
  for (const point of points) {
    if (point.y === null) runs.push([])
    else runs.at(-1)!.push(point)
  }
  return (
    <svg
      aria-hidden="true"
      width="100%"
      height={plotHeight}
      viewBox={`0 0 1000 ${plotHeight}`}
      preserveAspectRatio="none"
      overflow="visible"
    >
      {runs
        .filter((run) => run.length > 1)
        .map((run, n) => (
          <polyline
            key={n}
            points={run.map(({ x, y }) => `${rounded(across(x!) * 10)},${up(y!)}`).join(' ')}
            vector-effect="non-scaling-stroke"
          />
        ))}
    </svg>
  )
}

/** Dots: all points of a plot, those of a short line, and those of a line without a neighbour. */
function Marks({
  name,
  points,
  across,
  up,
  isLine,
  isQuantity,
}: PlacedProps & { name: string | undefined; isLine: boolean }) {
  const hasValue = (at: number) => (points[at]?.y ?? null) !== null
  const isMarked = (at: number) =>
    !isLine || points.length <= marksMax || !(hasValue(at - 1) || hasValue(at + 1))
  return points.map(({ label, x, y }, at) =>
    y === null || !isMarked(at) ? null : (
      <circle key={at} cx={`${across(x!)}%`} cy={up(y)} r="3">
        <title>{titleOf(name, label, y, isQuantity)}</title>
      </circle>
    ),
  )
}

const Bins = ({ points, across, up, width, isQuantity }: PlacedProps & { width: number }) =>
  points.map(({ label, x, y }) => (
    <rect key={label} x={`${across(x!)}%`} y={up(y!)} width={`${width * 0.94}%`} height={up(0) - up(y!)}>
      <title>{titleOf(undefined, label, y, isQuantity)}</title>
    </rect>
  ))

/** Each series with the dashes of its line. */
const Legend = ({ series }: { series: readonly Series[] }) => (
  <ul class="legend">
    {series.map(({ name = '' }, n) => (
      <li key={name} class={`series-${n}`}>
        <svg aria-hidden="true" width="28" height="10">
          <polyline points="0,5 28,5" />
        </svg>
        <bdi>{labelText(name)}</bdi>
      </li>
    ))}
  </ul>
)

const rounded = (value: number): number => Math.round(value * 100) / 100

/** Least and largest value; those that are equal, or as good as equal, get room around them. */
function domainOf(values: readonly number[]): [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const size = Math.max(Math.abs(least), Math.abs(most))
  if (most - least > Math.max(size * 1e-9, 1e-290)) return [least, most]
  const room = Math.abs(least) / 10 || 1
  return [least - room, most + room]
}

/** Round numbers around a range: steps of 1, 2 or 5 with a power of ten, three to seven of them. */
export function ticksOf(least: number, most: number): number[] {
  const rough = (most - least) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((n) => n * power).find((one) => one >= rough)!
  const [from, to] = [Math.floor(least / step), Math.ceil(most / step)]
  return Array.from({ length: to - from + 1 }, (_, n) => Number(((from + n) * step).toPrecision(12)))
}
