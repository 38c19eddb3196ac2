/** Bars of names: columns of labels, bars, and space for the numbers at their ends. */
import type { ChartPlan, ChartPoint } from './plan.ts'
import { labelText, titleOf, valuesAreQuantities, valueText, widthOf, wordsOf } from './texts.ts'

/** Height of a bar with the space around it, and of one of several at a name. Pixels. */
const barHeight = 24
const thinHeight = 18
/** Widest labels and numbers at the ends of bars; the stylesheet narrows the labels on a phone. Pixels. */
const widthsMax = { labels: 300, ends: 150 }
/** Space between a label and its bar. Pixels. */
const gap = 12
/** Names of series at the ends of bars: the legend has all of them. Characters. */
const endNameMax = 8

export function Bars({ plan }: { plan: ChartPlan }) {
  const { series } = plan
  const isQuantity = valuesAreQuantities(plan)
  const values = series.flatMap(({ points }) => points.map(({ y }) => y ?? 0))
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)]
  const at = (value: number) => ((value - least) / (most - least || 1)) * 100
  const labels = series[0]!.points.map(({ label }) => labelText(label))
  const isOne = series.length === 1
  const tall = isOne ? barHeight : series.length * thinHeight + 8
  const height = labels.length * tall
  const ends = series.flatMap(({ name, points }) => points.map(({ y }) => endOf(name, y, isQuantity)))
  const areLinks = series.some(({ points }) => points.some(({ href }) => href !== undefined))
  return (
    <div class="drawing">
      <svg
        class="labels"
        aria-hidden="true"
        width={Math.min(widthsMax.labels, Math.max(...labels.map(widthOf)) + gap)}
        height={height}
      >
        {labels.map((label, index) => (
          <text key={index} y={index * tall + (tall - (isOne ? 0 : 8)) / 2 + 5}>
            {label}
          </text>
        ))}
      </svg>
      <svg
        class="bars"
        role={areLinks ? 'group' : 'img'}
        aria-label={wordsOf(plan)}
        width="100%"
        height={height}
      >
        {series.map(({ name, points }, n) => (
          <g key={n} class={`series-${n}`}>
            {points.map((point, index) => (
              <Bar
                key={index}
                {...{ name, point, at, isQuantity }}
                top={index * tall + n * thinHeight}
                height={isOne ? barHeight : thinHeight}
              />
            ))}
          </g>
        ))}
        <line x1={`${at(0)}%`} x2={`${at(0)}%`} y1="0" y2="100%" />
      </svg>
      <svg
        class="ends"
        aria-hidden="true"
        width={Math.min(widthsMax.ends, Math.max(...ends.map(widthOf)) + gap)}
        height="1"
      />
    </div>
  )
}

function endOf(name: string | undefined, y: number | null, isQuantity: boolean | undefined): string {
  const text = valueText(y, isQuantity)
  return name === undefined ? text : `${labelText(name, endNameMax)} ${text}`
}

interface BarProps {
  readonly name: string | undefined
  readonly point: ChartPoint
  readonly at: (value: number) => number
  readonly top: number
  readonly height: number
  readonly isQuantity: boolean | undefined
}

/** Bars of several series have their names at the end, so that colours need not be told apart. */
function Bar({ name, point: { label, y, href }, at, top, height, isQuantity }: BarProps) {
  // A pair of names without a row.
  if (name !== undefined && y === null) return null
  const [from, to] = [at(Math.min(0, y ?? 0)), at(Math.max(0, y ?? 0))]
  const bar = (
    <g>
      <title>{titleOf(name, label, y, isQuantity)}</title>
      <rect x={`${from}%`} y={top + 4} width={`${to - from}%`} height={height - 6} rx="2" />
      <text class="quiet" x={`${to}%`} dx="6" y={top + height / 2 + 5}>
        {endOf(name, y, isQuantity)}
      </text>
    </g>
  )
  return href === undefined ? (
    bar
  ) : (
    <a href={href} rel="nofollow">
      {bar}
    </a>
  )
}
