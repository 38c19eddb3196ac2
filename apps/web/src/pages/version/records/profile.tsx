/** Profile of a column over all records: histogram or frequent values. Their parts are links that filter. */
import { isCutValue } from '@ulmus/content'
import type { ColumnStatistics } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { counted, countText, cutText, roundedText } from '../../../format.ts'
import type { PageColumn } from './columns.ts'
import { type Asked, filterText, pathWith } from './url.ts'

/** Frequent values of a profile. */
export const valuesUsual = 3
/** Longer values are cut. Characters. */
const valueMax = 22

interface Props {
  readonly asked: Asked
  readonly column: PageColumn
  readonly statistics: ColumnStatistics | undefined
  /** Labels of referenced records, by `type/id`. */
  readonly labels: ReadonlyMap<string, string>
}

export function Profile({ asked, column, statistics, labels }: Props) {
  if (statistics === undefined) return null
  const { count, nulls, misfits } = statistics
  const empty = nulls === 0 ? undefined : `${shareText(nulls, count + nulls)} empty`
  return (
    <div class="profile">
      {count > 0 && <Shape {...{ asked, column, statistics, labels }} />}
      {empty !== undefined && <span class="quiet">{empty}</span>}
      {misfits > 0 && <span class="quiet">{countText(misfits)} of another type</span>}
    </div>
  )
}

function Shape({ asked, column, statistics, labels }: Props & { statistics: ColumnStatistics }) {
  const { histogram, top = [], distinct, count, lengths } = statistics
  if (histogram !== undefined && (distinct ?? 0) > valuesUsual)
    return <Histogram {...{ asked, column, statistics, histogram }} />
  if (distinct !== undefined && distinct === count && count > 1)
    return <span class="quiet">all different</span>
  const [first] = top
  const isGrouped = first !== undefined && first.count * 50 >= count
  return (
    <>
      {isGrouped && <TopValues {...{ asked, column, top, count, labels }} />}
      {distinct !== undefined && (
        <span class="quiet">
          {countText(distinct)} {distinct === 1 ? 'value' : 'different'}
        </span>
      )}
      {statistics.type === 'list' && lengths !== undefined && (
        <span class="quiet">up to {counted(lengths.max, 'item')}</span>
      )}
    </>
  )
}

type Histogram = NonNullable<ColumnStatistics['histogram']>

const [width, height] = [120, 32]

function Histogram({
  asked,
  column,
  statistics: { type, min, max },
  histogram: { from, to, counts },
}: Omit<Props, 'labels'> & { statistics: ColumnStatistics; histogram: Histogram }) {
  const most = Math.max(...counts)
  const step = width / counts.length
  const bars = counts.map((count, index) => {
    if (count === 0) return null
    const [low, high] = [index, index + 1].map((n) => from + ((to - from) * n) / counts.length) as [
      number,
      number,
    ]
    const tall = Math.max(1.5, (count / most) * height)
    const bounds = [boundText(low, type), boundText(high, type)] as const
    const filters = rangeOf(column.text, bounds, index === counts.length - 1)
    return (
      <Bar
        key={low}
        to={pathWith(asked, column, filters)}
        title={`${bounds.join(' to ')}: ${countText(count)}`}
      >
        <rect class="hit" x={index * step} y={0} width={step} height={height} />
        <rect x={index * step} y={height - tall} width={step - 1} height={tall} />
      </Bar>
    )
  })
  return (
    <>
      <svg class="histogram" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {bars}
      </svg>
      <span class="ends quiet">
        <span>{endText(min)}</span>
        <span class="sr-only"> to </span>
        <span>{endText(max)}</span>
      </span>
    </>
  )
}

/** Out of the order of the keyboard: a table has hundreds of bars, and the form filters by ranges too. */
const Bar = ({
  to,
  title,
  children,
}: {
  to: string | undefined
  title: string
  children: ComponentChildren
}) => (
  <a href={to} rel="nofollow" tabIndex={-1}>
    <title>{title}</title>
    {children}
  </a>
)

/** The last bin includes its upper bound. */
const rangeOf = (field: string, [low, high]: readonly [string, string], isLast: boolean): string[] => [
  filterText(field, 'ge', low),
  filterText(field, isLast ? 'le' : 'lt', high),
]

/** A bound of a bin as filters write it. Instants count in seconds since 1970. */
function boundText(value: number, type: ColumnStatistics['type']): string {
  if (type !== 'date' && type !== 'date-time') return String(Number(value.toPrecision(12)))
  const [second, day] = [1_000, 86_400_000]
  if (type === 'date') return new Date(Math.ceil((value * second) / day) * day).toISOString().slice(0, 10)
  return new Date(Math.ceil(value * second)).toISOString()
}

const endText = (value: unknown): string =>
  typeof value === 'number' ? roundedText(value) : cutText(String(value), 10)

interface TopProps extends Pick<Props, 'asked' | 'column' | 'labels'> {
  readonly top: NonNullable<ColumnStatistics['top']>
  readonly count: number
}

const TopValues = ({ asked, column, top, count: all, labels }: TopProps) => (
  <ul class="top-values">
    {top.slice(0, valuesUsual).map(({ value, count }) => (
      <li key={String(value)}>
        <ValueLink
          {...{ asked, column, value }}
          most={valueMax}
          label={labels.get(`${column.refersTo}/${value}`)}
        />
        <span class="quiet">{shareText(count, all)}</span>
      </li>
    ))}
  </ul>
)

interface ValueProps {
  readonly asked: Asked
  readonly column: Pick<PageColumn, 'text' | 'column'>
  readonly value: unknown
  readonly most: number
  /** Default: the value. */
  readonly label?: string | undefined
}

/** A value that filters by itself; a second click removes the filter. */
export function ValueLink({ asked, column, value, most, label }: ValueProps) {
  const text = String(value)
  const shown = <bdi>{text === '' ? '“”' : cutText(label ?? text, most)}</bdi>
  const filter = filterText(column.text, column.column?.type === 'list' ? 'contains' : 'eq', text)
  const isPresent = asked.question.filter.includes(filter)
  const to = isCutValue(value) ? undefined : pathWith(asked, column, isPresent ? [] : [filter])
  if (to === undefined) return shown
  return (
    <a
      href={to}
      rel="nofollow"
      aria-current={isPresent ? 'true' : undefined}
      title={text.length > most ? cutText(text, 300) : undefined}
    >
      {shown}
    </a>
  )
}

/** `3 %`, `0.2 %`, `< 0.1 %` */
function shareText(part: number, all: number): string {
  const percent = (part / all) * 100
  if (percent < 0.1) return '< 0.1 %'
  return `${percent < 10 ? Number(percent.toPrecision(2)) : Math.min(Math.round(percent), part < all ? 99 : 100)} %`
}
