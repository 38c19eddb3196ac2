import { findColumns, type JsonObject, tableColumns } from '@ulmus/content'
import { expect, test } from 'vitest'
import { coordinatesIn, findCoordinates } from './coordinates.ts'

const number = { type: 'number' }
const integer = { type: 'integer' }
const numbers = { type: 'array', items: number }
const text = { type: 'string' }
const closed = (properties: object) => ({ type: 'object', properties, additionalProperties: false })
const columnsOf = (properties: object) =>
  findColumns(tableColumns({ type: 'object', properties } as unknown as JsonObject))

/** Properties of a type, and its coordinates, the likeliest first. */
const found: [properties: object, texts: string[]][] = [
  [{ latitude: number, longitude: number }, ['pair latitude longitude']],
  [{ lon: number, lat: integer }, ['pair lat lon']],
  [{ Lng: number, LAT: number }, ['pair LAT Lng']],
  [{ long: number, lat: number }, ['pair lat long']],
  [{ lat: number, lon: text }, []],
  [{ lat: number }, []],
  [{ lat: number, end_lon: number }, []],
  [{ latitude_deg: number, longitude_deg: number }, ['pair latitude_deg longitude_deg']],
  [
    { startLat: number, endLng: number, endLat: number, startLng: number },
    ['pair endLat endLng', 'pair startLat startLng'],
  ],
  [{ reclat: number, reclong: number }, ['pair reclat reclong']],
  [{ flat: number, salon: number, platform: number, long_name: number }, []],
  [{ latlng: numbers }, ['list latlng']],
  [{ lonLat: numbers }, ['list lonLat reversed']],
  [{ lat_lng: {} }, ['json lat_lng']],
  [{ coordinates: numbers }, ['list coordinates reversed']],
  [{ numbers, sizes: numbers, name: text }, []],
  [{ geometry: {} }, ['json geometry reversed']],
  [{ geometry: text, location: number, flag: {} }, []],
  [{ location: closed({ lat: number, lon: number }) }, ['pair location.lat location.lon']],
  [{ a: closed({ lat: number }), b: closed({ lon: number }) }, []],
  [{ place: closed({ type: text, coordinates: numbers }) }, ['list place.coordinates reversed']],
  [
    { capital: closed({ latlng: numbers }), latlng: numbers, geo: {} },
    ['list latlng', 'list capital.latlng', 'json geo reversed'],
  ],
  [
    { start_lat: number, start_lon: number, lat: number, lng: number },
    ['pair lat lng', 'pair start_lat start_lon'],
  ],
  [{ ['x'.repeat(5_000)]: number, lat: number, lng: number }, ['pair lat lng']],
]

test.each(found)('%j', (properties, texts) => {
  const textsOf = (columns: ReturnType<typeof columnsOf>) =>
    findCoordinates(columns).map(({ kind, columns: [...all], isReversed }) =>
      [kind, ...all.map(({ names }) => names.join('.')), ...(isReversed ? ['reversed'] : [])].join(' '),
    )
  const columns = columnsOf(properties)
  expect(textsOf(columns)).toEqual(texts)
  // Their position does not count.
  expect(textsOf(columns.toReversed())).toEqual(texts)
})

test('columns that a caller names are coordinates by their kinds', () => {
  const columns = columnsOf({
    lat: number,
    lon: number,
    x: number,
    y: number,
    at: numbers,
    json: {},
    name: text,
  })
  const of = (...names: string[]) =>
    coordinatesIn(names.map((name) => columns.find((column) => column.names[0] === name)!))
  expect(of('y', 'x')).toMatchObject({ kind: 'pair', columns: [{ name: 'y' }, { name: 'x' }] })
  expect(of('lon', 'lat')).toMatchObject({ kind: 'pair', columns: [{ name: 'lat' }, { name: 'lon' }] })
  expect(of('at')).toMatchObject({ kind: 'list' })
  expect(of('json')).toMatchObject({ kind: 'json' })
  for (const names of [[], ['name'], ['x'], ['x', 'name'], ['lat', 'lon', 'x'], ['at', 'json']])
    expect(of(...names)).toBeUndefined()
})

test('thousands of columns take little time', () => {
  const columns = columnsOf(
    Object.fromEntries([...Array(1_900).keys()].map((n) => [`${'aA'.repeat(n)} lat${n % 7}lon`, number])),
  )
  findCoordinates(columns)
  const before = process.cpuUsage()
  findCoordinates(columns)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(300)
})
