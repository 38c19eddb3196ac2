/** Charts of two columns as SVG: bars for texts, a line for dates. Lengths are percentages, so that words keep their size at any width. */
import { cutText, roundedText, withoutUnseen } from '../format.ts'

export interface ChartPoint {
  /** A text, or a date as the engine writes it. */
  readonly label: string
  /** Null: no value. */
  readonly value: number | null
}

export interface ChartData {
  readonly kind: 'bars' | 'line'
  /** Names of the two columns. */
  readonly of: string
  readonly by: string
  readonly points: readonly ChartPoint[]
}

/** Number of bars that are drawn. */
const barsMax = 30
/** Height of a bar with the space around it, and of the drawing of a line. Pixels. */
const barHeight = 24
const lineHeight = 180
/** Maximum length of a label and of the name of a column. Characters. */
const labelMax = 40
const nameMax = 60

const plain = (text: string, most: number): string => withoutUnseen(cutText(text, most))

export function Chart({ data }: { data: ChartData }) {
  const { kind, points } = data
  const [of, by] = [plain(data.of, nameMax), plain(data.by, nameMax)]
  const drawn = kind === 'bars' ? points.slice(0, barsMax) : points
  const few = drawn
    .slice(0, 5)
    .map(({ label, value }) => `${plain(label, labelMax)} ${value === null ? 'null' : roundedText(value)}`)
  const words = `${kind === 'bars' ? 'Bars' : 'Line'} of ${of} by ${by}: ${few.join('; ')}${drawn.length > few.length ? '; …' : ''}`
  return (
    <figure class="chart">
      <figcaption>
        <bdi>{of}</bdi> by <bdi>{by}</bdi>
        {drawn.length < points.length && `, the first ${drawn.length} of ${points.length} rows`}
      </figcaption>
      {kind === 'bars' ? <Bars points={drawn} words={words} /> : <Line points={drawn} words={words} />}
    </figure>
  )
}

interface DrawingProps {
  readonly points: readonly ChartPoint[]
  /** Description for screen readers. */
  readonly words: string
}

/** Columns of the drawing: labels, bars, and space for the number of the longest bar. Percent. */
const labelsWidth = 29
const barsFrom = 30
const barsWidth = 52

function Bars({ points, words }: DrawingProps) {
  const values = points.map(({ value }) => value ?? 0)
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)]
  const at = (value: number) => barsFrom + ((value - least) / (most - least || 1)) * barsWidth
  return (
    <svg role="img" aria-label={words} width="100%" height={points.length * barHeight}>
      {points.map(({ label, value }, index) => {
        const top = index * barHeight
        const [from, to] = [at(Math.min(0, value ?? 0)), at(Math.max(0, value ?? 0))]
        return (
          <g key={index}>
            {/* A nested drawing cuts labels that are too long. */}
            <svg aria-hidden="true" y={top} width={`${labelsWidth}%`} height={barHeight}>
              <text y="16">{plain(label, labelMax) || '–'}</text>
            </svg>
            <rect x={`${from}%`} y={top + 4} width={`${to - from}%`} height={barHeight - 8} rx="2" />
            <text class="quiet" x={`${to}%`} dx="6" y={top + 16}>
              {value === null ? 'null' : roundedText(value)}
            </text>
          </g>
        )
      })}
      <line x1={`${at(0)}%`} x2={`${at(0)}%`} y1="0" y2="100%" />
    </svg>
  )
}

/** Width and height of the inner drawing, which is stretched. */
const [width, height] = [1_000, 100]

function Line({ points, words }: DrawingProps) {
  const known = points.flatMap(({ label, value }) =>
    value === null ? [] : [{ label, value, time: timeOf(label) }],
  )
  known.sort((a, b) => a.time - b.time)
  const values = known.map(({ value }) => value)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const [first, last] = [known[0]!, known.at(-1)!]
  const x = (time: number) => ((time - first.time) / (last.time - first.time || 1)) * width
  const y = (value: number) => height - ((value - least) / (most - least || 1)) * height
  return (
    <svg role="img" aria-label={words} width="100%" height={lineHeight + 48}>
      <text class="quiet" y="14">
        {roundedText(most)}
      </text>
      <svg
        aria-hidden="true"
        y="22"
        width="100%"
        height={lineHeight - 14}
        viewBox={`0 -2 ${width} ${height + 4}`}
        preserveAspectRatio="none"
      >
        <polyline
          points={known.map(({ time, value }) => `${round(x(time))},${round(y(value))}`).join(' ')}
          vector-effect="non-scaling-stroke"
        />
      </svg>
      <text class="quiet" y={lineHeight + 24}>
        {roundedText(least)}
      </text>
      <text y={lineHeight + 42}>{plain(first.label, labelMax)}</text>
      <text x="100%" y={lineHeight + 42} text-anchor="end">
        {plain(last.label, labelMax)}
      </text>
    </svg>
  )
}

const round = (value: number): number => Math.round(value * 10) / 10

/** Milliseconds of a date or time as the engine writes it; NaN for those that JavaScript cannot represent. Without an offset: UTC. */
export const timeOf = (text: string): number =>
  Date.parse(/^\d+-\d\d-\d\d$|[+-]\d\d(?::\d\d)?$/.test(text) ? text : `${text}Z`)
