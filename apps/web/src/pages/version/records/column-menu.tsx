/** Menu in the header of a column: order, what to see of it, and the questions that suit it. A popover, which the scrolled table does not cut. */
import { facetsMax } from '@ulmus/registry'
import { Icon } from '../../../components/small.tsx'
import { cutName, withoutUnseen } from '../../../format.ts'
import {
  type ChartParts,
  isLong,
  orderBy,
  pathTo,
  type RecordsAddress,
} from '../../../record-table/address.ts'
import { barsToggled } from '../../../record-table/bars.tsx'
import type { PageColumn } from '../../../record-table/columns.ts'
import type { TableMenu } from '../../../record-table/table.tsx'
import { ofKind } from './chart-plan.ts'
import { facetsUsual } from './extras.ts'

/** Longer names of fields are cut. Characters. */
const namesMax = 40

interface Props {
  readonly address: RecordsAddress
  readonly column: PageColumn
  /** Number of the column in the table. */
  readonly place: number
  /** Columns with frequent values. */
  readonly grouped: readonly PageColumn[]
  /** Columns of the table. */
  readonly chosen: readonly PageColumn[]
}

/** Tables of more columns have no links that hide one: each link names all others. */
const hidingMax = 20

export const menuOf =
  (
    address: RecordsAddress,
    { grouped, chosen }: { grouped: readonly PageColumn[]; chosen: readonly PageColumn[] },
  ): TableMenu =>
  (column, place) => <ColumnMenu {...{ address, column, place, grouped, chosen }} />

function ColumnMenu({ address, column, place, grouped, chosen }: Props) {
  const questions = isLong(address.query)
    ? []
    : [...questionsOf({ address, column, grouped }), ...viewsOf({ address, column, chosen })]
  if (questions.length === 0) return null
  const id = `column-${place}`
  return (
    <>
      <button
        type="button"
        class="column-menu"
        popovertarget={id}
        aria-label={`Questions about ${withoutUnseen(cutName(column.label, namesMax))}`}
      >
        <Icon name="chevron" />
      </button>
      <div class="float" popover="auto" id={id}>
        {questions.map(([name, path]) => (
          <a key={name} href={path} rel="nofollow">
            {name}
          </a>
        ))}
      </div>
    </>
  )
}

type Question = readonly [name: string, path: string]

/** Order, and what the table has. */
function viewsOf({ address, column, chosen }: Omit<Props, 'place' | 'grouped'>): Question[] {
  const { text } = column
  const { filter, sort } = address.query
  const views: Question[] = []
  if (column.column !== undefined && orderBy(column.column, address) !== undefined) {
    if (sort !== text) views.push(['Sort ascending', pathTo(address, { sort: text })])
    if (sort !== `-${text}`) views.push(['Sort descending', pathTo(address, { sort: `-${text}` })])
  }
  const hasValue = `${text} notnull`
  // Fields that the schema does not list are in no filter.
  if (text !== '_id' && column.column !== undefined && !filter.includes(hasValue))
    views.push(['Only with a value', pathTo(address, { filter: [...filter, hasValue] })])
  const others = chosen.filter((one) => one !== column).map((one) => one.text)
  if (others.length > 0 && others.length < hidingMax)
    views.push(['Hide this column', pathTo({ ...address, named: others })])
  return views
}

function questionsOf({ address, column, grouped }: Omit<Props, 'place' | 'chosen'>): Question[] {
  const { facets } = address
  const chart = (parts: Partial<ChartParts>) =>
    pathTo({ ...address, chart: { x: undefined, y: 'count', by: undefined, ...parts } })
  const isGrouped = grouped.includes(column)
  const isNumber = ofKind([column], 'number').length > 0
  const opened = facets === 'usual' ? grouped.slice(0, facetsUsual).map(({ text }) => text) : facets
  const questions: Question[] = []
  if (isGrouped || isNumber || ofKind([column], 'time').length > 0)
    questions.push(['Group by this', chart({ x: column.text })])
  if (isGrouped && !opened.includes(column.text) && opened.length < facetsMax)
    questions.push(['Facet by this', pathTo({ ...address, facets: [...opened, column.text] })])
  if (isNumber && column.isQuantity !== false)
    questions.push(['Sum of this', chart({ y: `sum:${column.text}` })])
  const bars = column.isNumber ? barsToggled(address, column) : undefined
  if (bars !== undefined)
    questions.push([address.bars.includes(column.text) ? 'Hide the bars' : 'Bars', bars])
  return questions
}
