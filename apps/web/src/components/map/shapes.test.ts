import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { blockedDuring, firstGood } from '../../../../../packages/content/src/testing/measured.ts'
import { readShapes } from '../../geojson/read-shapes.ts'
import { planShapes, type ShapePlan } from './shape-plan.ts'
import { ShapeMap } from './shapes.tsx'

async function* pieces(text: string) {
  for (let at = 0; at < text.length; at += 100_000) yield Buffer.from(text.slice(at, at + 100_000))
}

async function read(value: unknown) {
  const features = await readShapes(pieces(typeof value === 'string' ? value : JSON.stringify(value)))
  return 'reason' in features ? features : planShapes(features)
}

async function planOf(value: unknown): Promise<ShapePlan> {
  const plan = await read(value)
  if ('reason' in plan) throw new Error(plan.reason)
  return plan
}

const square = (west: number, south: number, side = 1) => [
  [west, south],
  [west + side, south],
  [west + side, south + side],
  [west, south + side],
  [west, south],
]
const collection = (...geometries: unknown[]) => ({
  type: 'FeatureCollection',
  features: geometries.map((geometry, n) => ({
    type: 'Feature',
    properties: { name: `No. ${n}` },
    geometry,
  })),
})
const htmlOf = (plan: ShapePlan) => renderToString(h(ShapeMap, { plan }))

/** Positions of a path: its steps are relative. */
const cornersIn = (path: string) =>
  [...path.matchAll(/M(-?\d+),(-?\d+)([^M]*)/g)].flatMap(([, x, y, steps]) => {
    const at = [Number(x), Number(y)] as [number, number]
    const rest = [...steps!.matchAll(/(-?\d+),?(-\d+|\d+)/g)].map(([, dx, dy]) => {
      at[0] += Number(dx)
      at[1] += Number(dy)
      return [...at] as [number, number]
    })
    return [[Number(x), Number(y)] as [number, number], ...rest]
  })
const extentOf = (path: string) => {
  const corners = cornersIn(path.replaceAll('h0', ''))
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  return { width: Math.max(...xs) - Math.min(...xs), height: Math.max(...ys) - Math.min(...ys) }
}

const point = { type: 'Point', coordinates: [10.7, 59.9, 12] }
const line = { type: 'LineString', coordinates: [[10.7, 59.9], [5.3, 60.4]] } // biome-ignore format: one line
const area = { type: 'Polygon', coordinates: [square(8, 60)] }

test.each([
  ['a point', point, ['points']],
  ['points', { type: 'MultiPoint', coordinates: [[1, 2], [3, 4]] }, ['points']], // biome-ignore format: one line
  ['a line', line, ['line']],
  ['lines', { type: 'MultiLineString', coordinates: [line.coordinates, line.coordinates] }, ['line']],
  ['an area', area, ['area']],
  ['an area with a hole', { type: 'Polygon', coordinates: [square(0, 0, 9), square(2, 2)] }, ['area']],
  ['areas', { type: 'MultiPolygon', coordinates: [[square(0, 0)], [square(5, 5)]] }, ['area']],
  ['a feature', { type: 'Feature', properties: null, geometry: line }, ['line']],
  ['features', collection(point, line, area), ['points', 'line', 'area']],
  ['a collection', { type: 'GeometryCollection', geometries: [point, area] }, ['points', 'area']],
  ['a collection in one', { type: 'GeometryCollection', geometries: [{ type: 'GeometryCollection', geometries: [line] }] }, ['line']], // biome-ignore format: one line
  ['members in another order', { coordinates: area.coordinates, type: 'Polygon' }, ['area']],
  ['an area of no size beside others', collection(area, { type: 'Polygon', coordinates: [square(9, 61, 1e-9)] }), ['area', 'points']], // biome-ignore format: one line
])('%s', async (_, value, kinds) => {
  const plan = await planOf(value)
  expect(plan.shapes.map(({ kind }) => kind)).toEqual(kinds)
  const html = htmlOf(plan)
  expect(html).not.toMatch(/NaN|Infinity|undefined|style=|null/)
  const { height } = plan.frame
  for (const [x, y] of plan.shapes.flatMap(({ path }) => cornersIn(path.replaceAll('h0', '')))) {
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x).toBeLessThanOrEqual(1_000)
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y).toBeLessThanOrEqual(height)
  }
})

test.each([
  ['a list', '[1]', /no GeoJSON/],
  ['another type', { type: 'Topology', objects: {} }, /no GeoJSON/],
  ['no type', { features: [] }, /no GeoJSON/],
  ['a type that is a number', { type: 7, coordinates: [1, 2] }, /no GeoJSON/],
  ['half a file', JSON.stringify(collection(area)).slice(0, -9), /no valid JSON/],
  ['two values', '{"type":"Point","coordinates":[1,2]} {}', /no valid JSON/],
  ['lists in lists', `{"type":"Polygon","coordinates":${'['.repeat(1_000_000)}`, /no valid JSON/],
  ['objects in objects', '{"features":[{"features":'.repeat(200_000), /no valid JSON/],
  ['an endless name', `{"${'x'.repeat(2_000_000)}`, /no valid JSON/],
  ['NaN', '{"type":"Point","coordinates":[NaN,1]}', /1 feature are nowhere/],
  ['a number beyond all', '{"type":"Point","coordinates":[1e999,1]}', /nowhere/],
  [
    'metres',
    { type: 'Point', coordinates: [600_000, 6_640_000] },
    /nowhere on the globe. They must be degrees/,
  ],
  ['texts', { type: 'Point', coordinates: ['10', '59'] }, /nowhere/],
  ['one number', { type: 'Point', coordinates: [10] }, /nowhere/],
  ['lists of another depth', { type: 'Polygon', coordinates: square(0, 0) }, /nowhere/],
  ['mixed depths', { type: 'LineString', coordinates: [[1, 2], [[3, 4]]] }, /nowhere/], // biome-ignore format: one line
  ['an object', { type: 'LineString', coordinates: [[1, 2], { x: 3 }] }, /nowhere/],
  [
    'a type of Object',
    { type: 'constructor', geometry: { type: '__proto__', coordinates: [1, 2] } },
    /no GeoJSON/,
  ],
  ['no geometry', collection(null), /no feature has coordinates/],
  ['no feature', collection(), /no feature has coordinates/],
  ['no position', { type: 'Polygon', coordinates: [[]] }, /no feature has coordinates/],
  [
    'too many positions',
    `{"type":"MultiPoint","coordinates":[${'[1,2],'.repeat(500_001)}[1,2]]}`,
    /more than 500,000/,
  ],
])('%s: no map, but a sentence', async (_, value, reason) => {
  expect(await read(value)).toEqual({ reason: expect.stringMatching(reason) })
})

test('a text that is not UTF-8 has no map', async () => {
  const bytes = (async function* () {
    yield Buffer.from('{"type":"Point","a":"\xe9"}', 'latin1')
  })()
  expect(await readShapes(bytes)).toEqual({ reason: 'the file is not encoded as UTF-8.' })
})

test('features that are not drawn are counted, and swapped numbers are named', async () => {
  const mixed = htmlOf(await planOf(collection(point, null, { type: 'Point', coordinates: [500, 1] })))
  expect(mixed).toContain('1 feature. ')
  expect(mixed).toContain('1 feature has no coordinates.')
  expect(mixed).toContain('1 feature has impossible coordinates and is left out.')
  const turned = await planOf(
    collection(...[100, 110, 120].map((n) => ({ type: 'Point', coordinates: [20, n] }))),
  )
  expect([turned.drawn, turned.isSwapped]).toEqual([3, true])
  expect(htmlOf(turned)).toContain('Latitudes and longitudes are swapped in the data')
})

test('names are titles, without markup and without characters that hide', async () => {
  const plan = await planOf({
    type: 'Feature',
    properties: { name: '<b>\u202eOslo', other: 1 },
    geometry: point,
  })
  expect(htmlOf(plan)).toContain('<title>&lt;b>Oslo</title>')
})

test('the smaller side of a ring is meant, in either direction, also across 180°', async () => {
  for (const ring of [square(8, 60), square(8, 60).toReversed()]) {
    const [shape] = (await planOf({ type: 'Polygon', coordinates: [ring] })).shapes
    const { width, height } = extentOf(shape!.path)
    expect(width).toBeGreaterThan(200)
    expect(width / height).toBeCloseTo(0.49, 1)
  }
  const fiji = [[177, -18], [-179, -18], [-179, -16], [177, -16], [177, -18]] // biome-ignore format: one line
  const { width, height } = extentOf((await planOf({ type: 'Polygon', coordinates: [fiji] })).shapes[0]!.path)
  expect(width / height).toBeCloseTo(1.9, 0)
})

test('an area that its file cuts at 180° is one area, without a line between its halves', async () => {
  const halves = {
    type: 'MultiPolygon',
    coordinates: [[square(179, 60)], [square(-180, 60)], [square(176, 60)]],
  }
  const [shape] = (await planOf(halves)).shapes
  const closed = (path: string) => path.split('z').length - 1
  expect(closed(shape!.path)).toBe(3)
  // Of the two halves the open lines around them are drawn, of the other area all sides.
  expect(closed(shape!.sides!)).toBe(1)
  expect(htmlOf(await planOf(halves))).toMatch(
    /<path d="[^"]*" class="cut"><\/path><path class="sides" d="[^"]*"/,
  )
  expect((await planOf(area)).shapes[0]!.sides).toBeUndefined()
})

test('a side along a parallel follows it', async () => {
  const [shape] = (await planOf({ type: 'Polygon', coordinates: [[[-130, 20], [-60, 20], [-60, 50], [-130, 50], [-130, 20]]] })).shapes // biome-ignore format: one line
  expect(cornersIn(shape!.path).length).toBeGreaterThan(40)
})

test('many positions are drawn with fewer, in turns', async () => {
  const many = Array.from(
    { length: 400_000 },
    (_, n) => `[${((n * 37) % 3_600) / 20 - 90},${((n * 101) % 1_700) / 20 - 42}]`,
  )
  const ring = `{"type":"Polygon","coordinates":[[${many.join()},${many[0]}]]}`
  const dots = `{"type":"MultiPoint","coordinates":[${many.join()}]}`
  const between = Array.from({ length: 9_000 }, (_, n) => [[0, 90, 180, -180, -90][n % 5], n % 2 ? 90 : -90])
  const poles = JSON.stringify({ type: 'Polygon', coordinates: [between] })
  for (const text of [ring, dots, poles]) {
    const { blocked, turns, result } = await firstGood(
      () => blockedDuring(() => planOf(text)),
      ({ blocked }) => blocked < 100,
    )
    expect(blocked).toBeLessThan(100)
    if (text !== poles) expect(turns).toBeGreaterThan(100)
    expect(result.positions.all).toBeGreaterThanOrEqual(9_000)
    expect(result.positions.drawn).toBeLessThanOrEqual(10_000)
    expect(Buffer.byteLength(htmlOf(result))).toBeLessThan(250_000)
  }
})

test('80,000 tiny areas stay a small drawing', async () => {
  const areas = Array.from(
    { length: 80_000 },
    (_, n) =>
      `{"type":"Feature","geometry":{"type":"Polygon","coordinates":[${JSON.stringify(square(n % 100, Math.floor(n / 1_000), 0.01))}]}}`,
  )
  const plan = await planOf(`{"type":"FeatureCollection","features":[${areas.join()}]}`)
  expect(plan.drawn).toBe(80_000)
  expect(Buffer.byteLength(htmlOf(plan))).toBeLessThan(400_000)
}, 60_000)
