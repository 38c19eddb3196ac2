/** Places in a record: pairs of coordinates, and GeoJSON geometries (RFC 7946). Values that are neither have no place. */
import { own } from '../page.ts'
import { isObject } from './records.ts'

export type Position = readonly [longitude: number, latitude: number]

interface Dot {
  readonly kind: 'dot'
  readonly position: Position
}

/** A geometry of several positions. */
export interface Outline {
  readonly kind: 'outline'
  /** In GeoJSON. */
  readonly type: string
  /** Number of positions, left-out ones included. */
  readonly count: number
  readonly shape: 'dots' | 'line' | 'area'
  /** Lines or rings, or one list of dots. */
  readonly parts: readonly (readonly Position[])[]
}

export type Place = Dot | Outline

/** Maximum number of drawn positions of a geometry: of longer ones, every nth is drawn. */
const positionsMax = 2_000
/** Maximum number of places that a page draws of a record. */
const placesMax = 4

const coordinateNames = [
  ['longitude', 'latitude'],
  ['lon', 'lat'],
  ['lng', 'lat'],
] as const

/** Nesting of the positions in `coordinates`. */
const depths: Readonly<Record<string, number>> = {
  ...{ Point: 0, MultiPoint: 1, LineString: 1, MultiLineString: 2, Polygon: 2, MultiPolygon: 3 },
}

/** Places of a record and of its members, with the member's name; the name of the record itself is undefined. */
export function placesOf(data: unknown): { name: string | undefined; place: Place }[] {
  if (!isObject(data)) return []
  // A GeoJSON feature has its geometry in the member `geometry`.
  const whole = geometryIn(data) ?? coordinatesIn(data)
  const places: { name: string | undefined; place: Place }[] = whole
    ? [{ name: undefined, place: whole }]
    : []
  for (const [name, value] of Object.entries(data)) {
    if (places.length === placesMax) break
    const place = placeOf(value)
    if (place !== undefined) places.push({ name, place })
  }
  return places
}

function placeOf(value: unknown): Place | undefined {
  if (!isObject(value)) return undefined
  const geometry = own(value, 'type') === 'Feature' ? own(value, 'geometry') : value
  return geometryIn(geometry) ?? coordinatesIn(value)
}

function coordinatesIn(value: Readonly<Record<string, unknown>>): Dot | undefined {
  for (const names of coordinateNames) {
    const position = names.map((name) => own(value, name))
    if (isPosition(position)) return { kind: 'dot', position }
  }
  return undefined
}

function geometryIn(value: unknown): Place | undefined {
  if (!isObject(value)) return undefined
  const [type, coordinates] = [own(value, 'type'), own(value, 'coordinates')]
  const depth = typeof type === 'string' ? own(depths, type) : undefined
  if (typeof type !== 'string' || depth === undefined) return undefined
  if (depth === 0) return isPosition(coordinates) ? { kind: 'dot', position: coordinates } : undefined
  const lists = listsIn(coordinates, depth) ?? []
  const count = lists.reduce((sum, list) => sum + list.length, 0)
  const nth = Math.ceil(count / positionsMax)
  let index = 0
  const drawn = lists.map((list) => list.filter(() => index++ % nth === 0))
  const shape = type === 'MultiPoint' ? 'dots' : type.endsWith('Polygon') ? 'area' : 'line'
  const parts = drawn.filter((list) => list.length > (shape === 'dots' ? 0 : 1))
  return parts.length === 0 ? undefined : { kind: 'outline', type, shape, count, parts }
}

/** Lists of positions at a depth; undefined if any value is not what belongs there. */
function listsIn(value: unknown, depth: number): Position[][] | undefined {
  if (!Array.isArray(value)) return undefined
  if (depth === 1) return value.every(isPosition) ? [value] : undefined
  const lists = value.map((part) => listsIn(part, depth - 1))
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined
}

/** Longitude and latitude in degrees; an altitude may follow. */
const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) && isWithin(value[0], 180) && isWithin(value[1], 90)

const isWithin = (value: unknown, most: number): boolean =>
  typeof value === 'number' && Math.abs(value) <= most
