/** Draws the plan of a chart as SVG. Lengths along the page are percentages, so that words keep their size at any width. */
import { roundSteps } from '@ulmus/content/quantities'
import { SavePicture } from '../save-picture.tsx'
import { Bars } from './bars.tsx'
import type { ChartPlan, ChartPoint } from './plan.ts'
import {
  axisLabel,
  capitalized,
  labelText,
  nameMax,
  placesOf,
  plain,
  titleOf,
  valuesAreQuantities,
  widthOf,
  wordsOf,
} from './texts.ts'

/** Height of the drawing of lines and points, above it half a line of words, below it the axis. Pixels. */
const plotHeight = 220
const margins = { top: 10, bottom: 30 }
/** Words nearer to an end of the axis do not have their middle at their place. Percent. */
const edge = 4
/** Points of a line that are marked, each with its value. */
const marksMax = 60

export function Chart({ plan }: { plan: ChartPlan }) {
  const { form, series, left, by } = plan
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
            <bdi>{capitalized(y)}</bdi> by <bdi>{x}</bdi>
            {by !== undefined && (
              <>
                {' '}
                and <bdi>{plain(by, nameMax)}</bdi>
              </>
            )}
          </>
        )}
        {left !== undefined && <span class="quiet">. {plain(left, 200)}</span>}
      </figcaption>
      <Drawing plan={plan} />
      {by !== undefined && <Legend {...{ form, series, by }} />}
      <SavePicture />
    </figure>
  )
}

/** Lines, points and histograms: values grow upwards, and their axis has round numbers. */
function Plot({ plan }: { plan: ChartPlan }) {
  const { form, series } = plan
  const isQuantity = valuesAreQuantities(plan)
  const all = series.flatMap(({ points }) => points)
  const values = all.flatMap(({ y }) => y ?? [])
  const ticks = roundSteps(...domainOf(form === 'histogram' ? [0, ...values] : values), 4)
  const [low, high] = [ticks[0]!, ticks.at(-1)!]
  const places = all.map(({ x }) => x!)
  const [first, last] = [Math.min(...places), Math.max(...places)]
  const isBinned = form === 'histogram'
  // A bin begins at its place.
  const span = (last - first) * (isBinned ? all.length / (all.length - 1) : 1)
  const across = (x: number) => rounded(span === 0 ? 50 : ((x - first) / span) * 100)
  const up = (y: number) => rounded(plotHeight - ((y - low) / (high - low)) * plotHeight)
  const labels = ticks.map((tick) => axisLabel(tick, isQuantity))
  const axisWidth = Math.ceil(Math.max(...labels.map(widthOf))) + 14
  const height = plotHeight + margins.top + margins.bottom
  return (
    <div class="drawing">
      <svg aria-hidden="true" width={axisWidth} height={height}>
        {ticks.map((tick, n) => (
          <text key={tick} class="quiet" x={axisWidth - 8} y={up(tick) + margins.top + 4} text-anchor="end">
            {labels[n]}
          </text>
        ))}
      </svg>
      <svg class="plot" role="img" aria-label={wordsOf(plan)} width="100%" height={height}>
        <g transform={`translate(0 ${margins.top})`}>
          {ticks.map((tick) => (
            <line key={tick} x1="0" x2="100%" y1={up(tick)} y2={up(tick)} />
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
          {placesOf(plan, first, first + span).map(({ place, text }) => (
            <Place key={place} at={across(place)} text={text} />
          ))}
        </g>
      </svg>
    </div>
  )
}

/** A mark on the axis with its words, which end inside the drawing. */
const Place = ({ at, text }: { at: number; text: string }) => (
  <>
    <line x1={`${at}%`} x2={`${at}%`} y1={plotHeight} y2={plotHeight + 5} />
    <text
      x={`${at}%`}
      y={plotHeight + 22}
      text-anchor={at < edge ? undefined : at > 100 - edge ? 'end' : 'middle'}
    >
      {text}
    </text>
  </>
)

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

/** The column of the series, and each with its colour: as a bar, or with the dashes of its line. */
const Legend = ({ form, series, by }: Pick<ChartPlan, 'form' | 'series'> & { by: string }) => (
  <ul class="legend">
    <li>
      <span>
        <bdi>{plain(by, nameMax)}</bdi>:
      </span>
    </li>
    {series.map(({ name = '' }, n) => (
      <li key={name} class={`series-${n}`}>
        <svg aria-hidden="true" width={form === 'bars' ? 14 : 28} height="10">
          {form === 'bars' ? <rect width="14" height="10" rx="2" /> : <polyline points="0,5 28,5" />}
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
