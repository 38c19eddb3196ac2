/** Profiles of columns over all records, and frequent values of some among those that match. Their parts are links that filter. */
import { isCutValue } from '@ulmus/content'
import type { ColumnStatistics, Facets } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { Name } from '../components/small.tsx'
import { counted, countText, cutText, numberText, roundedText, shareText } from '../format.ts'
import { filterText, pathWith, type RecordsAddress } from './address.ts'
import type { PageColumn } from './columns.ts'

/** Frequent values of a profile. */
export const valuesUsual = 2
/** Longer values are cut. Characters. */
const valueMax = 22

interface Props {
  readonly address: RecordsAddress
  readonly column: PageColumn
  readonly statistics: ColumnStatistics | undefined
  /** Labels of referenced records, by `type/id`. */
  readonly labels: ReadonlyMap<string, string>
}

export function Profile({ address, column, statistics, labels }: Props) {
  if (statistics === undefined) return null
  const notes = notesOf(statistics)
  return (
    <div class="profile">
      {statistics.count > 0 && <Shape {...{ address, column, statistics, labels }} />}
      {notes.length > 0 && <span class="quiet">{notes.join(' · ')}</span>}
    </div>
  )
}

function Shape({ address, column, statistics, labels }: Props & { statistics: ColumnStatistics }) {
  const { histogram, top = [], distinct, count } = statistics
  if (histogram !== undefined && (distinct ?? 0) > valuesUsual)
    return <Histogram {...{ address, column, statistics, histogram }} />
  const [first] = top
  if (first === undefined || isAllDifferent(statistics) || first.count * 50 < count) return null
  return <TopValues {...{ address, column, count, labels }} top={top.slice(0, valuesUsual)} />
}

const isAllDifferent = ({ distinct, count }: ColumnStatistics): boolean => distinct === count && count > 1

/** Facts of a profile for one line. */
function notesOf(statistics: ColumnStatistics): string[] {
  const { count, nulls, misfits, distinct, histogram, lengths, type } = statistics
  const isDrawn = histogram !== undefined && (distinct ?? 0) > valuesUsual
  const differing =
    count === 0 || distinct === undefined || isDrawn
      ? undefined
      : isAllDifferent(statistics)
        ? 'all different'
        : distinct === 1
          ? '1 value'
          : distinct > valuesUsual
            ? `${countText(distinct)} different`
            : undefined
  return [
    differing,
    type === 'list' && lengths !== undefined ? `up to ${counted(lengths.max, 'item')}` : undefined,
    nulls === 0 ? undefined : `${shareText(nulls, count + nulls)} empty`,
    misfits === 0 ? undefined : `${countText(misfits)} of another type`,
  ].filter((note) => note !== undefined)
}

type Histogram = NonNullable<ColumnStatistics['histogram']>

const [width, height] = [120, 32]

function Histogram({
  address,
  column,
  statistics: { type, min, max },
  histogram: { from, to, counts },
}: Omit<Props, 'labels'> & { statistics: ColumnStatistics; histogram: Histogram }) {
  const { isQuantity } = column
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
        to={pathWith(address, column, filters)}
        title={`${boundLabel(low, type, isQuantity)} to ${boundLabel(high, type, isQuantity)}: ${countText(count)}`}
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
        <span>{endText(min, isQuantity)}</span>
        <span class="sr-only"> to </span>
        <span>{endText(max, isQuantity)}</span>
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

const boundLabel = (
  value: number,
  type: ColumnStatistics['type'],
  isQuantity: boolean | undefined,
): string =>
  type === 'date' || type === 'date-time'
    ? boundText(value, type)
    : numberText(Number(value.toPrecision(12)), isQuantity)

const endText = (value: unknown, isQuantity: boolean | undefined): string =>
  typeof value === 'number' ? roundedText(value, isQuantity) : cutText(String(value), 10)

interface TopProps extends Pick<Props, 'address' | 'column' | 'labels'> {
  readonly top: NonNullable<ColumnStatistics['top']>
  readonly count: number
}

const TopValues = ({ address, column, top, count: all, labels }: TopProps) => (
  <ul class="top-values">
    {top.map(({ value, count }) => (
      <li key={String(value)}>
        <ValueLink
          {...{ address, column, value }}
          most={valueMax}
          label={labels.get(`${column.refersTo}/${value}`)}
        />
        <span class="quiet">{shareText(count, all)}</span>
      </li>
    ))}
  </ul>
)

interface ValueProps {
  readonly address: RecordsAddress
  readonly column: Pick<PageColumn, 'text' | 'column' | 'isQuantity'>
  readonly value: unknown
  readonly most: number
  /** Default: the value. */
  readonly label?: string | undefined
}

/** A value that filters by itself; a second click removes the filter. */
export function ValueLink({ address, column, value, most, label }: ValueProps) {
  const text = String(value)
  const plain = typeof value === 'number' ? numberText(value, column.isQuantity) : text
  const rendered = <bdi>{text === '' ? '“”' : cutText(label ?? plain, most)}</bdi>
  const filter = filterText(column.text, column.column?.type === 'list' ? 'contains' : 'eq', text)
  const isPresent = address.query.filter.includes(filter)
  const to = isCutValue(value) ? undefined : pathWith(address, column, isPresent ? [] : [filter])
  if (to === undefined) return rendered
  return (
    <a
      href={to}
      rel="nofollow"
      aria-current={isPresent ? 'true' : undefined}
      title={text.length > most ? cutText(text, 300) : undefined}
    >
      {rendered}
    </a>
  )
}

/** Values of a facet that are listed at once; more are folded. */
const facetValues = 8
/** Longer values of a facet are cut. Characters. */
const facetValueMax = 40

interface FacetProps {
  readonly address: RecordsAddress
  readonly facets: readonly { readonly column: PageColumn; readonly facet: Facets['facets'][number] }[]
  /** Labels of referenced records, by `type/id`. */
  readonly labels: ReadonlyMap<string, string>
}

/** Without facets it says that they follow. */
export const FacetPanel = ({ address, facets, labels }: FacetProps) => (
  <aside class="facets" aria-label="Frequent values">
    {facets.length === 0 && <p class="quiet">Frequent values are being counted…</p>}
    {facets.map(({ column, facet: { values, others } }) => {
      const items = values.map(({ value, count }) => (
        <li key={String(value)}>
          <ValueLink
            address={address}
            column={column}
            value={value}
            most={facetValueMax}
            label={labels.get(`${column.refersTo}/${value}`)}
          />
          <span class="quiet number">{countText(count)}</span>
        </li>
      ))
      const rest = items.slice(facetValues)
      return (
        <section key={column.text}>
          <h2>
            <Name of={column.label} most={facetValueMax} />
          </h2>
          <ul>{items.slice(0, facetValues)}</ul>
          {rest.length > 0 && (
            <details>
              <summary>{rest.length} more</summary>
              <ul>{rest}</ul>
            </details>
          )}
          {others > 0 && <p class="quiet">and {countText(others)} rarer values</p>}
          {items.length === 0 && <p class="quiet">no values</p>}
        </section>
      )
    })}
  </aside>
)
