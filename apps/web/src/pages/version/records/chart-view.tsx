/** The records that match as a chart, with the form that changes it. Works without JavaScript. */
import { type Measure, measures } from '@ulmus/registry'
import { Chart } from '../../../components/chart/drawing.tsx'
import { ChartFields } from '../../../components/chart/fields.tsx'
import type { ChartPlan } from '../../../components/chart/plan.ts'
import { valuesAreQuantities } from '../../../components/chart/texts.ts'
import { DataTable } from '../../../components/data-table.tsx'
import { counted, numberText } from '../../../format.ts'
import { versionPath } from '../../../paths.ts'
import { keptFields, type RecordsAddress } from '../../../record-table/address.ts'
import type { PageColumn } from '../../../record-table/columns.ts'
import { type ChartView, ofKind } from './chart-plan.ts'
import { BuildingNote, HiddenFields } from './question.tsx'

/** Columns with measures. */
const measuredMax = 40
/** Rows of the table of numbers. */
const rowsMax = 1_000

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
  const choiceOf = ({ text, label }: PageColumn) => ({ value: text, label })
  const measured = others.map((measure) => ({
    label: measureLabels[measure],
    choices: numbers.map(({ text, label }) => ({
      value: `${measure}:${text}`,
      label: `${measureLabels[measure]} ${label}`,
    })),
  }))
  return (
    <form class="form inline chart-form" action={versionPath(address.seen, 'records', address.type)}>
      <ChartFields
        along={ofKind(all, 'time', 'name', 'number').map(choiceOf)}
        values={[
          { label: undefined, choices: [{ value: 'count', label: measureLabels.count }] },
          ...measured,
        ]}
        series={ofKind(all, 'name')
          .filter(({ column }) => column?.type !== 'list')
          .map(choiceOf)}
        chosen={parts}
      />
      <HiddenFields of={keptFields({ ...address, chart: undefined }, ['q', 'filter', 'sort', 'columns'])} />
      <input type="hidden" name="view" value="chart" />
      <button type="submit">Draw</button>
    </form>
  )
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
          {
            header: x,
            cell: ({ label, href }) =>
              href === undefined ? (
                label
              ) : (
                <a href={href} rel="nofollow">
                  {label === '' ? '“”' : label}
                </a>
              ),
          },
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
