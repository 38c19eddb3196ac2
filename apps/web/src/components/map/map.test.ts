import type { Hexagon } from '@ulmus/registry'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { PlaceMap } from './drawing.tsx'
import { frameOf } from './frame.ts'
import { outlinesIn } from './land.ts'
import { type Rows, results } from './maps.table.ts'
import { MapNumbers } from './numbers.tsx'
import { classesOf, type MapPlan, notesOf, placeText } from './plan.ts'
import { coordinatesOfRows, planRows } from './rows.ts'

const range = (n: number) => [...Array(n).keys()]
const sourceOf = (columns: Record<string, string>, rows: Rows) => ({
  columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
  rows,
})
const pair = { lat: 'DOUBLE', lng: 'DOUBLE' }

const planOf = (columns: Record<string, string>, rows: Rows, chosen?: string): MapPlan => {
  const plan = planRows(sourceOf(columns, rows), chosen)
  if ('reason' in plan) throw new Error(plan.reason)
  return plan
}

const circlesIn = (plan: MapPlan) =>
  [...renderToString(h(PlaceMap, { plan })).matchAll(/<circle cx="([\d.-]+)" cy="([\d.-]+)"/g)].map(
    ([, x, y]) => [Number(x), Number(y)] as const,
  )

test.each(results)('%s', (_, columns, rows, drawn) => {
  const plan = planRows(sourceOf(columns, rows))
  if (drawn instanceof RegExp) return expect('reason' in plan && plan.reason).toMatch(drawn)
  if ('reason' in plan) throw new Error(plan.reason)
  expect(plan.dots.map(({ latitude, longitude }) => `${latitude} ${longitude}`)).toEqual(drawn)
  const html = renderToString(h(PlaceMap, { plan })) + renderToString(h(MapNumbers, { plan }))
  expect(html).not.toMatch(/NaN|Infinity|undefined|style=/)
  // All places are inside of the drawing, with land around them.
  const { height } = frameOf(plan)
  const circles = circlesIn(plan)
  expect(circles).toHaveLength(drawn.length)
  for (const [x, y] of circles) {
    expect(x).toBeGreaterThan(0)
    expect(x).toBeLessThan(1_000)
    expect(y).toBeGreaterThan(0)
    expect(y).toBeLessThan(height)
  }
})

test('rows that are not drawn are counted, and swapped numbers are named', () => {
  const plan = planOf(pair, [
    [null, 1],
    [95, 200],
    [1, 200],
    [60, 10],
  ])
  expect(notesOf(plan)).toEqual([
    '1 row has no coordinates.',
    '2 rows have impossible coordinates and are left out.',
  ])
  expect(notesOf(planOf(pair, [[120, 30]]))).toEqual([
    'Latitudes and longitudes are swapped in the data; the map has them in the right places.',
  ])
})

test('the coordinates of the address are drawn, others only if there are none of that name', () => {
  const columns = { lat: 'DOUBLE', lon: 'DOUBLE', end_lat: 'DOUBLE', end_lon: 'DOUBLE' }
  const rows = [[1, 2, 3, 4]]
  expect([...coordinatesOfRows(sourceOf(columns, rows)).keys()]).toEqual(['lat,lon', 'end_lat,end_lon'])
  expect(planOf(columns, rows, 'end_lat,end_lon').dots[0]).toMatchObject({ latitude: 3, longitude: 4 })
  expect(planOf(columns, rows, 'nothing').dots[0]).toMatchObject({ latitude: 1, longitude: 2 })
})

test('places are drawn where they are: beside each other across 180°, and around a pole', () => {
  const [west, east] = circlesIn(
    planOf(pair, [
      [-17, 179],
      [-17, -179],
      [-18, 177],
    ]),
  ) as [readonly [number, number], readonly [number, number]]
  expect(east[0]).toBeGreaterThan(west[0])
  expect(east[1]).toBeCloseTo(west[1], -1)
  const around = circlesIn(
    planOf(
      pair,
      [0, 90, 180, -90].map((longitude) => [-80, longitude]),
    ),
  )
  const [x, y] = [0, 1].map((n) => around.reduce((sum, place) => sum + place[n]!, 0) / 4)
  const distances = around.map((place) => Math.hypot(place[0] - x!, place[1] - y!))
  expect(Math.max(...distances) - Math.min(...distances)).toBeLessThan(1)
})

test('outlines are those of the frame: small, and drawn once', () => {
  const norway = planOf(pair, [
    [58, 5],
    [71, 30],
  ])
  const frame = frameOf(norway)
  const outlines = outlinesIn(frame)
  expect(outlinesIn(frameOf(norway))).toBe(outlines)
  expect(outlines.land.length).toBeGreaterThan(300)
  expect(outlines.land.length + outlines.borders.length).toBeLessThan(3_000)
  // Oslo is on land, the North Sea is not.
  const world = outlinesIn(
    frameOf(
      planOf(pair, [
        [80, -170],
        [-60, 0],
        [70, 170],
      ]),
    ),
  )
  expect(world.land.length).toBeLessThan(20_000)
  // In the middle of a city the outlines would be wrong.
  expect(
    outlinesIn(
      frameOf(
        planOf(pair, [
          [59.91, 10.7],
          [59.92, 10.75],
        ]),
      ),
    ).land,
  ).toBe('')
})

test('titles are texts, and links end where the page has no more room for them', () => {
  const base = planOf(pair, [[60, 10]])
  const dots = range(2_000).map((n) => ({
    latitude: 60 + n / 1_000,
    longitude: 10,
    title: '<script>'.repeat(20),
    href: `/a/${'x'.repeat(500)}`,
  }))
  const html = renderToString(h(PlaceMap, { plan: { ...base, drawn: 2_000, dots } }))
  expect(html).not.toContain('<script>')
  expect(html.match(/<circle/g)).toHaveLength(2_000)
  expect(html.length).toBeLessThan(600_000)
})

test('hexagons: each has its count, in classes that cover all of them', () => {
  const base = planOf(pair, [
    [80, -170],
    [-60, 0],
    [70, 170],
  ])
  const hexagons = range(40).map(
    (n): Hexagon => ({
      x: (n % 8) * 0.2 - 0.8,
      y: Math.floor(n / 8) * 0.2,
      count: 2 ** (n % 14),
      bounds: [0, 1, 0, 1],
    }),
  )
  const plan = { ...base, dots: [], hexagons, size: 0.1, drawn: 5_000 }
  const html = renderToString(h(PlaceMap, { plan }))
  expect(html.match(/<use href="#hexagon" x="\d+" y="\d+"><title>/g)).toHaveLength(40)
  expect(html).toContain('records in a hexagon'.replace('records', 'rows'))
})

test.each([
  [[1], ['1–1']],
  [
    [1, 2],
    ['1–1', '2–2'],
  ],
  [[7, 7, 7], ['7–7']],
  [
    [1, 9_931],
    ['1–6', '7–39', '40–299', '300–1999', '2000–9931'],
  ],
  [[1_000, 1_001], ['1000–1001']],
  [[3, 20], undefined],
  [[1, 1e7], undefined],
])('classes of counts %j', (counts, expected) => {
  const classes = classesOf(counts)
  if (expected !== undefined) expect(classes.map(({ from, to }) => `${from}–${to}`)).toEqual(expected)
  expect(classes[0]!.from).toBe(Math.min(...counts))
  expect(classes.at(-1)!.to).toBe(Math.max(...counts))
  for (const [n, { from, to }] of classes.entries()) {
    expect(to).toBeGreaterThanOrEqual(from)
    if (n > 0) expect(from).toBe(classes[n - 1]!.to + 1)
  }
})

test('places in words', () => {
  expect(placeText(51.47, -0.04)).toBe('51.5° N, 0.0° E')
  expect(placeText(-17.84, 179.96, 0)).toBe('18° S, 180° E')
  expect(placeText(59.913, -10.752, 2)).toBe('59.91° N, 10.75° W')
})
