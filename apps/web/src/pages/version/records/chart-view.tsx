/** The records that match as a chart, with the form that changes it. Works without JavaScript. */
import { type Measure, measures } from '@ulmus/registry'
import { Chart } from '../../../components/chart/drawing.tsx'
import type { ChartPlan } from '../../../components/chart/plan.ts'
import { valuesAreQuantities } from '../../../components/chart/texts.ts'
import { DataTable } from '../../../components/data-table.tsx'
import { counted, cutName, numberText, withoutUnseen } from '../../../format.ts'
import { versionPath } from '../../../paths.ts'
import { keptFields, type RecordsAddress } from '../../../record-table/address.ts'
import type { PageColumn } from '../../../record-table/columns.ts'
import { type ChartView, ofKind } from './chart-plan.ts'
import { BuildingNote, HiddenFields } from './question.tsx'

/** Columns in a list, and columns with measures. */
const listedMax = 200
const measuredMax = 40
/** Rows of the table of numbers. */
const rowsMax = 1_000
/** Longer names of columns are cut. Characters. */
const nameMax = 60

const measureLabels: Readonly<Record<Measure, string>> = {
  count: 'Number of records',
  sum: 'Sum of',
  mean: 'Mean of',
  median: 'Median of',
  min: 'Least',
  max: 'Largest',
}

interface Props extends ChartView {
  readonly address: RecordsAddress
  readonly all: readonly PageColumn[]
}

export function ChartOfRecords({ address, parts, plan, all }: Props) {
  return (
    <div class="records-page">
      <ChartForm {...{ address, parts, all }} />
      {'building' in plan ? (
        <BuildingNote building={plan.building} />
      ) : 'reason' in plan ? (
        <p class="note no-chart">No chart: {plan.reason}</p>
      ) : (
        <>
          <Chart plan={plan} />
          <Numbers plan={plan} />
        </>
      )}
    </div>
  )
}

function ChartForm({ address, parts, all }: Omit<Props, 'plan'>) {
  const others = (Object.keys(measures) as Measure[]).filter((measure) => measure !== 'count')
  const numbers = ofKind(all, 'number').slice(0, measuredMax)
  return (
    <form class="form inline chart-form" action={versionPath(address.seen, 'records', address.type)}>
      <label>
        <span>Along</span>
        <select name="x">
          <Options of={ofKind(all, 'time', 'name', 'number')} chosen={parts.x} />
        </select>
      </label>
      <label>
        <span>Value</span>
        <select name="y">
          <option value="count" selected={parts.y === 'count'}>
            {measureLabels.count}
          </option>
          {others.map((measure) => (
            <optgroup key={measure} label={measureLabels[measure]}>
              <Options
                of={numbers}
                chosen={parts.y}
                as={({ text, label }) => [`${measure}:${text}`, `${measureLabels[measure]} ${label}`]}
              />
            </optgroup>
          ))}
        </select>
      </label>
      <label>
        <span>Series</span>
        <select name="by">
          <option value="">None</option>
          <Options
            of={ofKind(all, 'name').filter(({ column }) => column?.type !== 'list')}
            chosen={parts.by}
          />
        </select>
      </label>
      <HiddenFields of={keptFields({ ...address, chart: undefined }, ['q', 'filter', 'sort', 'columns'])} />
      <input type="hidden" name="view" value="chart" />
      <button type="submit">Draw</button>
    </form>
  )
}

interface OptionsProps {
  readonly of: readonly PageColumn[]
  readonly chosen: string | undefined
  readonly as?: (column: PageColumn) => readonly [value: string, label: string]
}

function Options({ of, chosen, as = ({ text, label }) => [text, label] }: OptionsProps) {
  return of.slice(0, listedMax).map((column) => {
    const [value, label] = as(column)
    return (
      <option key={value} value={value} selected={value === chosen}>
        {withoutUnseen(cutName(label, nameMax))}
      </option>
    )
  })
}

/** Table of the numbers, for screen readers too. */
function Numbers({ plan }: { plan: ChartPlan }) {
  const { x, y, by, series } = plan
  const isQuantity = valuesAreQuantities(plan)
  const rows = series.flatMap(({ name, points }) => points.map((point) => ({ ...point, name })))
  const isCut = rows.length > rowsMax
  return (
    <details class="numbers">
      <summary>
        {isCut && `The first ${rowsMax} of `}
        {counted(rows.length, 'number')}
      </summary>
      <DataTable
        class="data"
        label="Numbers of the chart"
        items={rows.slice(0, rowsMax)}
        keyOf={(_, index) => index}
        columns={[
          { header: x, cell: ({ label }) => label },
          ...(by === undefined
            ? []
            : [{ header: by, cell: ({ name }: { name: string | undefined }) => name }]),
          {
            header: y,
            isNumber: true,
            cell: ({ y: value }) => value !== null && numberText(value, isQuantity),
          },
        ]}
      />
    </details>
  )
}
