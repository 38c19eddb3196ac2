/** The question of the records page in words: its parts as links that remove them, and as a text. */
import { filtersMax, numberOrder, type TableQuery } from '@ulmus/content'
import type { ComponentChildren } from 'preact'
import { Name } from '../../../components/small.tsx'
import { oneLine } from '../../../data/citation.ts'
import { areQuantities, counted, countText, numberText } from '../../../format.ts'
import {
  fieldLabel,
  noQuery,
  parsedQuery,
  pathTo,
  type RecordsAddress,
} from '../../../record-table/address.ts'
import type { PageColumn } from '../../../record-table/columns.ts'
import { draftOf } from '../../../record-table/typed-filters.ts'
import { draftText } from './meant.ts'
import { operatorLabels, textsMax } from './question.tsx'

type Filter = TableQuery['filters'][number]

interface PresentProps {
  readonly address: RecordsAddress
  readonly all: readonly PageColumn[]
  /** Names of referenced records, by `type/id`. */
  readonly labels: ReadonlyMap<string, string>
  /** Records that match; undefined: not known. */
  readonly total: number | undefined
  /** Records of the type. */
  readonly count: number
  /** Path of the record whose id the words are. */
  readonly named: string | undefined
}

/** The parts of the question as links that remove them. */
export function Present({ address, all, labels, total, count, named }: PresentProps) {
  const { query, columns } = address
  const { q, filter, sort } = query
  return (
    <div class="present">
      {total !== undefined && (
        <strong>
          {countText(total)} of {counted(count, 'record')}
        </strong>
      )}
      <a href={pathTo(address, noQuery)}>Clear all</a>
      <ul class="chips" aria-label="Search, filters and order">
        {q !== '' && (
          <Chip what="words" to={pathTo(address, { q: '' })}>
            “<Text of={q} />”
          </Chip>
        )}
        {filter.slice(0, filtersMax).map((one, index) => (
          <Chip key={one} what="filter" to={pathTo(address, { filter: filter.toSpliced(index, 1) })}>
            <FilterWords {...{ columns, all, labels }} filter={one} />
          </Chip>
        ))}
        {sort !== undefined && (
          <Chip what="order" to={pathTo(address, { sort: undefined })}>
            <OrderWords address={address} />
          </Chip>
        )}
      </ul>
      {named !== undefined && (
        <a href={named}>
          Go to the record <Text of={q} />
        </a>
      )}
    </div>
  )
}

interface ChipProps {
  /** The part that the link removes, for screen readers. */
  readonly what: string
  readonly to: string
  readonly children: ComponentChildren
}

const Chip = ({ what, to, children }: ChipProps) => (
  <li>
    <a class="chip" href={to} rel="nofollow">
      <span class="sr-only">Remove {what} </span>
      {children} <span aria-hidden="true">×</span>
    </a>
  </li>
)

const Text = ({ of }: { of: string }) => <Name of={of} most={textsMax} />

/** A part of the question as it is written. */
const Wrong = ({ text }: { text: string }) => (
  <span class="wrong">
    <Text of={text} />
  </span>
)

/** `population > 1000000` */
function FilterWords({
  filter,
  columns,
  all,
  labels,
}: { filter: string; columns: RecordsAddress['columns'] } & Pick<PresentProps, 'all' | 'labels'>) {
  const [found] = parsedQuery({ filter }, columns)?.filters ?? []
  if (found === undefined) {
    const draft = draftOf(filter)
    return <Wrong text={draft === undefined ? filter : draftText(draft)} />
  }
  return (
    <>
      <Text of={fieldLabel(found.column)} /> {operatorLabels[found.operator]}{' '}
      {found.values.length > 0 && <Text of={valuesText(found, all, labels)} />}
    </>
  )
}

/** `area ↓, name ↑` */
function OrderWords({ address: { order, query } }: { address: RecordsAddress }) {
  if (order === undefined) return <Wrong text={query.sort ?? ''} />
  if (query.sort === `-${numberOrder}`) return 'id ↓'
  if (order.length === 0) return 'best match'
  return order.map(({ column, isDescending }, index) => (
    <span key={column.path}>
      {index > 0 && ', '}
      <Text of={fieldLabel(column)} /> {isDescending ? '↓' : '↑'}
    </span>
  ))
}

/** The question in words for one line of a text: ` with “oslo” where area > 1,000,000, ordered by area ↓`. Empty: none. */
export function questionText(
  { query: { q, filter }, order = [], columns }: RecordsAddress,
  all: readonly PageColumn[],
): string {
  const filters = parsedQuery({ filter }, columns)?.filters ?? []
  const conditions = filters.map((one) =>
    `${fieldLabel(one.column)} ${operatorLabels[one.operator]} ${valuesText(one, all)}`.trim(),
  )
  const orders = order.map(({ column, isDescending }) => `${fieldLabel(column)} ${isDescending ? '↓' : '↑'}`)
  return [
    q === '' ? '' : ` with “${oneLine(q)}”`,
    conditions.length === 0 ? '' : ` where ${oneLine(conditions.join(' and '))}`,
    orders.length === 0 ? '' : `, ordered by ${oneLine(orders.join(', '))}`,
  ].join('')
}

/** Numbers as the column has them, and names of referenced records. A column that the page does not know has these alone. */
function valuesText(
  { column, operator, values }: Filter,
  all: readonly PageColumn[],
  labels: ReadonlyMap<string, string> = new Map(),
): string {
  const known = all.find((one) => one.column?.path === column.path)
  // A part of an id names no record.
  const isWhole = column.type === 'list' || ['eq', 'ne', 'in'].includes(operator)
  const labelOf = (value: unknown) => (isWhole ? labels.get(`${known?.refersTo}/${value}`) : undefined)
  const isQuantity = known?.isQuantity ?? areQuantities(fieldLabel(column), values)
  return values
    .map((value) =>
      typeof value === 'number' || typeof value === 'bigint'
        ? numberText(value, isQuantity)
        : (labelOf(value) ?? String(value)),
    )
    .join(', ')
}
