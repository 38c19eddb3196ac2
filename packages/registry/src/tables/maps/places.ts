/** Places of the records that match, for maps: each of them, or the numbers in hexagons if there are many. */
import type { FoundColumn, QueryText, TableColumn, TableQuery } from '@ulmus/content'
import { RegistryError } from '../../errors/errors.ts'
import { countOf } from '../cells.ts'
import type { EngineRows } from '../engine/engine.ts'
import { readQuery } from '../questions.ts'
import type { Ask } from '../statistics.ts'
import { type Area, type Projection, projectionFor } from './centre.ts'
import { type Coordinates, coordinatesIn } from './coordinates.ts'
import { areasStatement, dotsStatement, hexagonsStatement, type PlaceQuery } from './place-sql.ts'

/** A map of a question. Fields as in filters. */
export interface PlacesText extends Pick<QueryText, 'q' | 'filter'> {
  /** One field, or a latitude and a longitude with a comma between them. */
  readonly coordinates: string
  /** Field of texts that name the records. */
  readonly title: string | undefined
}

export interface Place {
  readonly latitude: number
  readonly longitude: number
  /** Undefined: none, or too long for a link. */
  readonly id: string | undefined
  readonly title: string | undefined
}

export interface Hexagon {
  /** Centre, in units of the radius of the globe: to the right, and upwards. */
  readonly x: number
  readonly y: number
  readonly count: number
  /** Bounds of its places: west, east, south, north. */
  readonly bounds: readonly number[]
}

export interface PlaceCounts {
  /** Records with possible coordinates. */
  readonly drawn: number
  /** Records without coordinates. */
  readonly missing: number
  /** Records whose coordinates are nowhere on the globe. */
  readonly impossible: number
  /** True: latitudes and longitudes are swapped in the data. */
  readonly isSwapped: boolean
}

export interface Places extends PlaceCounts {
  readonly projection: Projection
  /** Empty if there are hexagons. */
  readonly places: readonly Place[]
  readonly hexagons: readonly Hexagon[]
  /** From the centre of a hexagon to a corner, in units of the radius of the globe. */
  readonly size: number
}

/** More places are counted in hexagons. */
export const placesMax = 2_000
/** Hexagons of a map, at most. */
const hexagonsMax = 1_100
/**
 * Hexagons beside each other on a map of all that is in reach: a circle, or the world, is full with 1,050 of the largest. Places that fill
 * less have smaller ones.
 */
const hexagonsAcross = { local: [34, 42, 54, 72, 96], world: [45, 56, 70, 92] } as const
/** Width of the smallest map of hexagons, in radii of the globe: 600 m. */
const widthLeast = 1e-4

/** @throws unknown_field, invalid_request */
export function readPlaces(
  { coordinates, title, ...text }: PlacesText,
  columns: readonly TableColumn[],
): { query: TableQuery; coordinates: Coordinates; title: FoundColumn | undefined } {
  const query = readQuery(
    { ...text, columns: coordinates, facet: title === undefined ? [] : [title] },
    columns,
  )
  const found = coordinatesIn(query.columns!)
  const name = query.facet[0]
  if (found !== undefined)
    return { query, coordinates: found, title: name?.type === 'text' ? name : undefined }
  const reason = 'Coordinates are two columns of numbers, a list of two numbers, or GeoJSON Points.'
  throw new RegistryError('invalid_request', {
    say: { reason },
    details: { issues: [{ path: 'coordinates', message: reason }] },
  })
}

/** True if the values are possible only, or for more records, when latitudes and longitudes change places. */
export const areSwapped = (possible: number, swapped: number, beyond: number): boolean =>
  swapped > possible && beyond * 10 >= swapped

export async function placesOf(
  { query, coordinates, title }: ReturnType<typeof readPlaces>,
  ask: Ask,
): Promise<Places> {
  const asWritten: PlaceQuery = { query, coordinates, isSwapped: false }
  const { counts, areas } = await areasOf(asWritten, ask)
  const { all, written, possible, swapped, beyond } = counts
  const isSwapped = areSwapped(possible, swapped, beyond)
  const drawn = isSwapped ? swapped : possible
  const shared = { drawn, missing: all - written, impossible: written - drawn, isSwapped }
  const none = { places: [], hexagons: [], size: 0 }
  const question = { ...asWritten, isSwapped }
  const projection = projectionFor(isSwapped ? (await areasOf(question, ask)).areas : areas)
  if (drawn <= placesMax)
    return { ...shared, ...none, projection, places: drawn === 0 ? [] : await dotsOf(question, title, ask) }
  return { ...shared, places: [], projection, ...(await hexagonsOf(question, projection, ask)) }
}

async function areasOf(question: PlaceQuery, ask: Ask) {
  const [rows] = (await ask([areasStatement(question)])) as [EngineRows]
  const numbers = rows.map((row) => row.map((cell) => (cell === null ? Number.NaN : Number(cell))))
  const sum = (at: number) => numbers.reduce((total, row) => total + row[at]!, 0)
  const [all, written, possible, swapped, beyond] = [0, 1, 2, 3, 4].map(sum) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const areas = numbers
    .filter((row) => row[2]! > 0)
    .map((row): Area => ({ west: row[5]!, east: row[6]!, south: row[7]!, north: row[8]! }))
  return { counts: { all, written, possible, swapped, beyond }, areas }
}

async function dotsOf(question: PlaceQuery, title: FoundColumn | undefined, ask: Ask): Promise<Place[]> {
  const [rows] = (await ask([dotsStatement(question, title, placesMax)])) as [EngineRows]
  return rows.map(([latitude, longitude, id, text]) => ({
    latitude: Number(latitude),
    longitude: Number(longitude),
    id: id === null ? undefined : String(id),
    title: text === null ? undefined : String(text),
  }))
}

async function hexagonsOf(question: PlaceQuery, projection: Projection, ask: Ask) {
  const width = Math.max(2 * projection.reach, widthLeast)
  const sizes = hexagonsAcross[projection.kind].map((across) => width / (across * Math.sqrt(3)))
  const [rows] = (await ask([hexagonsStatement(question, projection, { sizes, most: hexagonsMax })])) as [
    EngineRows,
  ]
  const hexagons = rows.map(([, x, y, count, ...around]) => ({
    x: Number(x),
    y: Number(y),
    count: countOf(count),
    bounds: around.map(Number),
  }))
  return { size: Number(rows[0]![0]), hexagons }
}
