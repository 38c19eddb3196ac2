import { expect, test } from 'vitest'
import { axesOf, type ChartChoice } from './axes.ts'
import { day, type Rows, range } from './charts.table.ts'
import { planChart } from './plan.ts'

const sourceOf = (columns: string, rows: Rows) => ({
  columns: columns.split(', ').map((column) => {
    const [name = '', type = ''] = column.split(' ')
    return { name, type }
  }),
  rows,
})
const measured = sourceOf(
  'region VARCHAR, countries BIGINT, area DOUBLE, founded INTEGER',
  range(5).map((n) => [`r${n}`, n + 1, n * 1e6, 1900 + n]),
)

test.each<[string, ReturnType<typeof sourceOf>, ChartChoice, string | RegExp]>([
  // Years are seldom what a chart measures.
  ['the last quantity', measured, {}, 'region area'],
  ['the column that orders the rows', measured, { order: 1 }, 'region countries'],
  ['an order by names', measured, { order: 0 }, 'region area'],
  ['a chosen value', measured, { y: 3, order: 1 }, 'region founded'],
  ['a chosen axis', measured, { x: 3 }, 'founded area'],
  ['no axis but the value', sourceOf('area DOUBLE', [[1], [2]]), { y: 0 }, 'area area'],
  ['chosen series', measured, { x: 1, by: 0 }, 'countries area by region'],
  ['series that are the axis', measured, { x: 0, by: 0 }, 'region area'],
  ['a value of texts', measured, { y: 0 }, /its value needs a column with two numbers/],
  [
    'years by which the rows are ordered',
    sourceOf(
      'region VARCHAR, year INTEGER, people BIGINT',
      range(4).map((n) => [`r${n % 2}`, 2000 + (n >> 1), n]),
    ),
    { order: 1 },
    'year people',
  ],
])('%s', (_, source, choice, expected) => {
  const axes = axesOf(source, choice)
  if ('reason' in axes) return expect(axes.reason).toMatch(expected)
  expect(`${axes.x.name} ${axes.y.name}${axes.by === undefined ? '' : ` by ${axes.by.name}`}`).toBe(expected)
})

test('chosen series are drawn although few of the pairs have a row; of many, the largest', () => {
  const source = sourceOf(
    'a VARCHAR, b VARCHAR, n INTEGER',
    range(12).map((n) => ['x', `b${n}`, n]),
  )
  const plan = planChart(source, { x: 0, by: 1 })
  expect(plan).toMatchObject({ form: 'bars', by: 'b', left: 'The 8 series with the largest values, of 12.' })
  expect('series' in plan && plan.series.map(({ name }) => name)).toEqual(range(8).map((n) => `b${n + 4}`))
  const dated = sourceOf(
    'd DATE, b VARCHAR, c VARCHAR, n INTEGER',
    range(2).flatMap((n) => ['x', 'y'].map((b) => [day(n), b, `c${n}`, n])),
  )
  expect(planChart(dated, { by: 1 })).toMatchObject({ form: 'lines', by: 'b' })
  // These do not tell the rows of a day apart.
  expect(planChart(dated, { by: 2 })).toHaveProperty('reason')
  expect(planChart(source, { x: 2, y: 2 })).toMatchObject({ form: 'histogram', x: 'n' })
})
