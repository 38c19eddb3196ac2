/** Load of the server that answered, on `/admin/state`: a chart of each figure, and their least and most as a table. */
import type { LoadSample } from '@ulmus/registry'
import { Chart } from '../../components/chart/drawing.tsx'
import type { ChartPlan } from '../../components/chart/plan.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Empty, Time } from '../../components/small.tsx'
import { roundedText } from '../../format.ts'

const percent = (share: number) => Math.round(share * 1_000) / 10

const figures: readonly { name: string; of: (sample: LoadSample) => number }[] = [
  { name: 'Requests a minute', of: ({ requests }) => Math.round(requests) },
  { name: 'CPU, % of a core', of: ({ cpu }) => percent(cpu) },
  { name: 'Busy event loop, %', of: ({ busy }) => percent(busy) },
]

export const LoadCharts = ({ samples }: { samples: readonly LoadSample[] }) => (
  <>
    <h2 id="load">Load</h2>
    <p>
      Of the server that answered, each minute of the last six hours; other servers and processes that it
      started are not included. Near 100 % of the event loop, requests wait for each other.{' '}
      <a href="/docs/monitoring#metrics">Metrics</a> have more, for longer.
    </p>
    {samples.length < 2 ? (
      <Empty title="The server started less than two minutes ago." />
    ) : (
      <>
        <div class="loads">
          {figures.map((figure) => (
            <Chart key={figure.name} plan={planOf(samples, figure)} />
          ))}
        </div>
        <Bounds samples={samples} />
      </>
    )}
  </>
)

function planOf(samples: readonly LoadSample[], { name, of }: (typeof figures)[number]): ChartPlan {
  const points = samples.map((sample) => ({
    label: `${sample.at.toISOString().slice(11, 16)} UTC`,
    x: sample.at.getTime(),
    y: of(sample),
  }))
  return {
    ...{ form: 'lines', x: 'time', y: name, by: undefined, isTime: true, isQuantity: true },
    series: [{ name: undefined, points }],
    left: undefined,
  }
}

const Bounds = ({ samples }: { samples: readonly LoadSample[] }) => (
  <DataTable
    class="data"
    caption="Load"
    items={figures}
    keyOf={({ name }) => name}
    columns={[
      { header: 'Figure', cell: ({ name }) => name },
      { header: 'Last minute', isNumber: true, cell: ({ of }) => roundedText(of(samples.at(-1)!)) },
      {
        header: 'Mean',
        isNumber: true,
        cell: ({ of }) => {
          const sum = samples.reduce((total, sample) => total + of(sample), 0)
          return roundedText(Math.round((sum / samples.length) * 10) / 10)
        },
      },
      { header: 'Most', isNumber: true, cell: ({ of }) => <Most of={of} samples={samples} /> },
    ]}
  />
)

function Most({ of, samples }: { of: (sample: LoadSample) => number; samples: readonly LoadSample[] }) {
  const most = samples.reduce((found, sample) => (of(sample) > of(found) ? sample : found))
  return (
    <>
      {roundedText(of(most))}{' '}
      <span class="quiet">
        <Time at={most.at.toISOString()} />
      </span>
    </>
  )
}
