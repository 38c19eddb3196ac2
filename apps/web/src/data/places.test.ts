import { expect, test } from 'vitest'
import { placesOf } from './places.ts'

const dot = (longitude: number, latitude: number) => ({ kind: 'dot', position: [longitude, latitude] })
const square = [[0, 0], [1, 0], [1, 1], [0, 0]] // biome-ignore format: four corners
const placeIn = (value: unknown) => placesOf({ value })[0]?.place

test.each([
  [{ latitude: 59.9, longitude: 10.7 }, dot(10.7, 59.9)],
  [{ lat: -90, lon: 180 }, dot(180, -90)],
  [{ lng: 0, lat: 0, type: 'Point' }, dot(0, 0)],
  [{ type: 'Point', coordinates: [10.7, 59.9] }, dot(10.7, 59.9)],
  [{ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [1, 2] } }, dot(1, 2)],
])('%j is a dot', (value, expected) => {
  expect(placeIn(value)).toEqual(expected)
  expect(placesOf(value).map(({ place }) => place)).toEqual([expected])
})

test.each([
  ['MultiPoint', 'dots', square],
  ['LineString', 'line', square],
  ['MultiLineString', 'line', [square]],
  ['Polygon', 'area', [square]],
  ['MultiPolygon', 'area', [[square]]],
])('a %s is an outline', (type, shape, coordinates) => {
  const outline = { kind: 'outline', type, shape, count: 4, parts: [square] }
  expect(placeIn({ type, coordinates })).toEqual(outline)
})

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
test.each([
  { latitude: 91, longitude: 0 },
  { latitude: 1e300, longitude: 0 },
  { latitude: Number.NaN, longitude: 0 },
  { latitude: '59', longitude: '10' },
  { latitude: 59, lng: 10 },
  { type: 'Polygon', coordinates: [[...square, [0, 1e300]]] },
  { type: 'Polygon', coordinates: [square, 'x'] },
  { type: 'Polygon', coordinates: [square[0]] },
  { type: 'Polygon', coordinates: [] },
  { type: 'Polygon', coordinates: nested(5_000) },
  { type: 'LineString', coordinates: [[1, 1]] },
  { type: 'constructor', coordinates: square },
  { type: 'Feature', geometry: null },
])('$type $latitude is no place', (value) => {
  expect(placesOf(value)).toEqual([])
  expect(placeIn(value)).toBeUndefined()
})

test('at most 2,000 positions of a geometry and four places of a record are drawn', () => {
  const many = Array.from({ length: 30_000 }, (_, n) => [n / 1_000, 0])
  const line = placeIn({ type: 'LineString', coordinates: many })
  expect(line).toMatchObject({ count: 30_000, parts: [{ length: 2_000 }] })
  const tiny = Array.from({ length: 15_000 }, () => [[0, 0], [1, 1]]) // biome-ignore format: one line
  const lines = placeIn({ type: 'MultiLineString', coordinates: tiny })
  expect(lines === undefined || (lines.kind === 'outline' && lines.parts.flat().length <= 2_000)).toBe(true)
  expect(placesOf({ ...Array.from({ length: 9 }, () => ({ lat: 1, lon: 1 })) })).toHaveLength(4)
})
