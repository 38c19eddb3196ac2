import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { day, type Rows, range, results } from './charts.table.ts'
import { Chart } from './drawing.tsx'
import { type ChartPlan, planBins, planChart } from './plan.ts'
import type { ChartSource } from './source.ts'

const sourceOf = (types: string, rows: Rows): ChartSource => ({
  columns: types.split(' ').map((type, n) => ({ name: `c${n}`, type })),
  rows,
})

const planOf = (types: string, rows: Rows): ChartPlan => {
  const plan = planChart(sourceOf(types, rows))
  if ('reason' in plan) throw new Error(plan.reason)
  return plan
}

test.each(results)('%s', (_, types, rows, drawn) => {
  const plan = planChart(sourceOf(types, rows))
  if (typeof drawn !== 'string') return expect('reason' in plan && plan.reason).toMatch(drawn)
  if ('reason' in plan) throw new Error(plan.reason)
  expect(`${plan.form} ${plan.series.map(({ points }) => points.length).join('+')}`).toBe(drawn)
  const html = renderToString(h(Chart, { plan }))
  expect(html).not.toMatch(/NaN|Infinity|undefined|style=/)
})

/** Attributes of the elements of one kind, with their titles. */
const drawnIn = (plan: ChartPlan, element: 'rect' | 'circle') =>
  [
    ...renderToString(h(Chart, { plan })).matchAll(
      new RegExp(`<${element} ([^>]*?)(?:/>|>(?:<title>(.*?)</title>)?)`, 'g'),
    ),
  ].map(([, attributes, title]) => ({
    ...Object.fromEntries(
      [...attributes!.matchAll(/(\w+)="([\d.e-]+)%?"/g)].map(([, name, value]) => [name, Number(value)]),
    ),
    title,
  })) as (Record<string, number> & { title?: string })[]

test('bars: lengths from zero', () => {
  const values = [-3.5, 5, 0, 12_345.678]
  const bars = drawnIn(
    planOf(
      'VARCHAR DOUBLE',
      values.map((value, n) => [`n${n}`, value]),
    ),
    'rect',
  )
  const scale = bars[3]!['width']! / 12_345.678
  expect(bars.map(({ width }) => width! / scale)).toEqual(
    values.map((value) => expect.closeTo(Math.abs(value), 6)),
  )
  // A negative bar ends where the others begin.
  expect(bars[0]!['x']! + bars[0]!['width']!).toBeCloseTo(bars[1]!['x']!, 9)
})

test('lines: places by time, values by their axis, and no line over a gap', () => {
  const rows = [
    [day(0), 10],
    [day(1), 20],
    [day(2), null],
    [day(10), 40],
  ]
  const plan = planOf('DATE INTEGER', rows)
  const dots = drawnIn(plan, 'circle')
  expect(dots.map(({ cx, title }) => [cx, title])).toEqual([
    [0, '2026-01-01: 10'],
    [10, '2026-01-02: 20'],
    [100, '2026-01-11: 40'],
  ])
  const [a, b, c] = dots.map(({ cy }) => cy!) as [number, number, number]
  expect((b - c) / (a - b)).toBeCloseTo(2, 3)
  expect(renderToString(h(Chart, { plan })).match(/<polyline points="([^"]*)"/g)).toEqual([
    expect.stringMatching(/^<polyline points="0,[\d.]+ 100,[\d.]+"$/),
  ])
})

test('points: every row, and nothing that joins them', () => {
  const rows = range(100).map((n) => [n / 7, (n * 37) % 101])
  const plan = planOf('DOUBLE DOUBLE', rows)
  const dots = drawnIn(plan, 'circle')
  const [first, last] = [dots[0]!['cx']!, dots.at(-1)!['cx']!]
  expect(dots.map(({ cx }) => cx!)).toEqual(
    rows.map(([x]) => expect.closeTo(first + (x! / rows.at(-1)![0]!) * (last - first), 1)),
  )
  expect(renderToString(h(Chart, { plan }))).not.toContain('<polyline')
})

test('a histogram: counts that add up to the rows', () => {
  const bins = drawnIn(
    planOf(
      'DOUBLE',
      range(1_000).map((n) => [Math.sqrt(n)]),
    ),
    'rect',
  )
  expect(bins.map(({ title }) => Number(title!.split(': ')[1])).reduce((a, b) => a + b)).toBe(1_000)
  expect(bins[14]!['height']! / bins[0]!['height']!).toBeCloseTo(
    Number(bins[14]!.title!.split(': ')[1]) / Number(bins[0]!.title!.split(': ')[1]),
    1,
  )
})

test('booleans and missing names keep their values in groups of bars', () => {
  const rows = [true, false].flatMap((x) => ['a', null].map((by, n) => [x, by, n + 1]))
  const { series } = planOf('BOOLEAN VARCHAR INTEGER', rows)
  expect(series.map(({ name, points }) => [name, points.map(({ y }) => y)])).toEqual([
    ['a', [1, 1]],
    ['', [2, 2]],
  ])
  // A missing name and an empty one look the same, so no line joins them.
  const twins = [null, ''].map((by) => [day(0), by, 1])
  expect(planChart(sourceOf('DATE VARCHAR INTEGER', twins))).toHaveProperty('reason')
})

test('bins whose width is infinite are refused', () => {
  expect(planBins('big', [1, 11], [-1.7e308, 1.7e308])).toHaveProperty('reason')
})

test('a chart names the parts that it leaves out', () => {
  expect(
    planOf(
      'VARCHAR INTEGER',
      range(40).map((n) => [`n${n}`, n]),
    ).left,
  ).toBe('The first 30 of 40.')
  expect(
    planOf('DOUBLE DOUBLE', [
      [1, 2],
      [null, 3],
      [5, 6],
    ]).left,
  ).toBe('1 row without both numbers is not drawn.')
  const many = planOf(
    'DATE VARCHAR INTEGER',
    range(2).flatMap((n) => range(9).map((s) => [day(n), `s${s}`, s])),
  )
  expect(many.left).toBe('The 8 series with the largest values, of 9.')
  expect(many.series.map(({ name }) => name)).not.toContain('s0')
})

test('an axis has round places inside the drawing', () => {
  const placesIn = (plan: ChartPlan) =>
    [...renderToString(h(Chart, { plan })).matchAll(/<text x="[\d.]+%" y="242"[^>]*>(.*?)</g)].map(
      ([, text]) => text,
    )
  const areas = range(250).map((n) => [n * 68_000])
  expect(placesIn(planOf('DOUBLE', areas))).toEqual(['0', '5M', '10M', '15M'])
  expect(placesIn(planOf('DOUBLE', [[-1], ...areas]))).toEqual(['0', '5M', '10M', '15M'])
  const years = range(60).map((n) => [`${1_900 + n}-06-15`, n])
  expect(placesIn(planOf('DATE INTEGER', years))).toEqual(['1920', '1940'])
  expect(placesIn(planOf('DATE INTEGER', years.slice(0, 2)))).toEqual(['1900-06-15', '1901-06-15'])
  expect(
    placesIn(
      planOf(
        'INTEGER DOUBLE',
        range(3).map((n) => [2_020 + n, n / 2]),
      ),
    ),
  ).toEqual(['2020', '2021', '2022'])
})

test('bins have round bounds, and a sentence says if one hides the others', () => {
  const even = planOf(
    'INTEGER',
    range(100).map((n) => [n]),
  )
  expect(even.series[0]!.points.map(({ label, y }) => `${label}: ${y}`).slice(0, 2)).toEqual([
    '0 to 5: 5',
    '5 to 10: 5',
  ])
  expect(even.left).toBeUndefined()
  const skewed = planOf('DOUBLE', [...range(97).map((n) => [n * 10.5]), [20_000], [17_100_000], [9_000_000]])
  expect(skewed.left).toBe('98 % of the values are 0 to 1,000,000: filter them to see how they differ.')
  const html = renderToString(h(Chart, { plan: skewed }))
  expect(html).toContain('<span class="quiet">. 98 % of the values')
})
