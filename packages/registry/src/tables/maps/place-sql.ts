/** Statements that find and count the coordinates of the rows that match, for maps. */
import type { FoundColumn, TableQuery } from '@ulmus/content'
import { cutExpression, expressionOf, storedName, tableName } from '../engine/column-sql.ts'
import { Parameters, type Statement, whereClause } from '../engine/query-sql.ts'
import type { Projection } from './centre.ts'
import { axisNames, type Coordinates } from './coordinates.ts'

type Conditions = Pick<TableQuery, 'words' | 'filters'>

/** Coordinates of a question. */
export interface PlaceQuery {
  readonly query: Conditions
  readonly coordinates: Coordinates
  /** True: the values of the latitude are longitudes. */
  readonly isSwapped: boolean
}

/** Width and height of an area for which places are counted. Degrees. */
const areaDegrees = 5
/** Longer ids are in no link. Bytes. */
const idBytesMax = 100

const possible = (lat: string, lon: string): string => `(abs(${lat}) <= 90 AND abs(${lon}) <= 180)`

/** Expressions of a latitude and a longitude as they are written. */
function expressionsOf({ kind, columns, isReversed }: Coordinates): readonly [string, string] {
  const [first, second] = columns.map(({ names }) => expressionOf(names)) as [string, string?]
  const ordered = (one: string, other: string) =>
    isReversed ? ([other, one] as const) : ([one, other] as const)
  if (kind === 'pair') return [`CAST(${first} AS DOUBLE)`, `CAST(${second} AS DOUBLE)`]
  if (kind === 'list') return ordered(`CAST(${first}[1] AS DOUBLE)`, `CAST(${first}[2] AS DOUBLE)`)
  const at = (path: string) => `try_cast(json_extract_string(${first}, '$${path}') AS DOUBLE)`
  const point = (n: number) =>
    `CASE WHEN json_extract_string(${first}, '$.type') = 'Point' THEN ${at(`.coordinates[${n}]`)} END`
  const members = (names: readonly string[]) => names.map((name) => at(`.${name}`)).join(', ')
  const [one, other] = ordered(at('[0]'), at('[1]'))
  return [
    `coalesce(${point(1)}, ${members(axisNames.latitude)}, ${one})`,
    `coalesce(${point(0)}, ${members(axisNames.longitude)}, ${other})`,
  ]
}

/** The rows that match: `lat` and `lon` as they are written, and further expressions. */
const eachRow = (
  { query, coordinates, isSwapped }: PlaceQuery,
  parameters: Parameters,
  more = '',
): string => {
  const [lat, lon] = expressionsOf(coordinates)
  const [first, second] = isSwapped ? [lon, lat] : [lat, lon]
  return `each AS (SELECT ${first} AS lat, ${second} AS lon${more} FROM ${tableName}${whereClause(query, parameters)})`
}

/**
 * Areas of a few degrees with the rows in them: `[all, written, possible, swapped, beyond, west, east, south, north]`. `written` rows have
 * both numbers, `swapped` ones would be possible if they changed places, those `beyond` only then. Rows without an area are together.
 */
export function areasStatement(places: PlaceQuery): Statement {
  const parameters = new Parameters()
  const area = (value: string) =>
    `CASE WHEN ${possible('lat', 'lon')} THEN floor(${value} / ${areaDegrees}) END`
  const sql = `WITH ${eachRow(places, parameters)}
    SELECT count(*), count(*) FILTER (lat IS NOT NULL AND lon IS NOT NULL), count(*) FILTER ${possible('lat', 'lon')},
      count(*) FILTER ${possible('lon', 'lat')}, count(*) FILTER (${possible('lon', 'lat')} AND abs(lat) > 90),
      min(lon), max(lon), min(lat), max(lat)
    FROM each GROUP BY ${area('lon')}, ${area('lat')}`
  return { sql, values: parameters.values }
}

/** Rows with possible coordinates by id: `[lat, lon, id, title]`. Long ids are null. */
export function dotsStatement(places: PlaceQuery, title: FoundColumn | undefined, limit: number): Statement {
  const parameters = new Parameters()
  const id = storedName('_id')
  const text =
    title === undefined ? 'NULL' : `CAST(${cutExpression(expressionOf(title.names), title)} AS VARCHAR)`
  const more = `, CASE WHEN strlen(${id}) <= ${idBytesMax} THEN ${id} END AS id, ${text} AS title, rowid AS place`
  const sql = `WITH ${eachRow(places, parameters, more)}
    SELECT lat, lon, id, title FROM each WHERE ${possible('lat', 'lon')} ORDER BY place LIMIT ${limit}`
  return { sql, values: parameters.values }
}

/** Places on the map: `x` to the right and `y` upwards, in units of the radius of the globe. Without powers, which take most of the time. */
function projected(places: PlaceQuery, projection: Projection, parameters: Parameters): string {
  const [x, y] = projection.kind === 'world' ? equalEarth : azimuthal
  return `${eachRow(places, parameters)},
    angles AS (SELECT lat, lon, radians(lat) AS phi, radians(${projection.latitude}) AS phi0,
      radians((lon - (${projection.longitude}) + 540) % 360 - 180) AS away FROM each WHERE ${possible('lat', 'lon')}),
    turned AS (SELECT *, asin(${Math.sqrt(3) / 2} * sin(phi)) AS theta, theta * theta AS t2, t2 * t2 * t2 AS t6,
      sqrt(2 / greatest(1e-12, 1 + sin(phi0) * sin(phi) + cos(phi0) * cos(phi) * cos(away))) AS scale FROM angles),
    placed AS (SELECT lat, lon, ${x} AS x, ${y} AS y FROM turned)`
}

/** Equal Earth, by Šavrič, Patterson and Jenny. */
const [a1, a2, a3, a4] = [1.340264, -0.081106, 0.000893, 0.003796]
const equalEarth = [
  `away * cos(theta) / (${Math.sqrt(3) / 2} * (${a1} + ${3 * a2} * t2 + t6 * (${7 * a3} + ${9 * a4} * t2)))`,
  `theta * (${a1} + ${a2} * t2 + t6 * (${a3} + ${a4} * t2))`,
] as const
const azimuthal = [
  'scale * cos(phi) * sin(away)',
  'scale * (cos(phi0) * sin(phi) - sin(phi0) * cos(phi) * cos(away))',
] as const

/**
 * Hexagons with places, the fullest first: `[size, x, y, count, west, east, south, north]`. The centres of a honeycomb are two grids of
 * rectangles, so that the nearest centre is one of two.
 * @param sizes from the centre to a corner: of these, the smallest one with at most `most` hexagons
 */
export function hexagonsStatement(
  places: PlaceQuery,
  projection: Projection,
  { sizes, most }: { sizes: readonly number[]; most: number },
): Statement {
  const parameters = new Parameters()
  const sql = `WITH ${projected(places, projection, parameters)},
    scaled AS (SELECT size, lat, lon, x / (size * sqrt(3)) AS u, y / (size * 3) AS v
      FROM placed, (SELECT unnest([${sizes.join(', ')}]::DOUBLE[]) AS size)),
    chosen AS (SELECT *, round(u) AS u1, round(v) AS v1, floor(u) + 0.5 AS u2, floor(v) + 0.5 AS v2,
      (u - u1) * (u - u1) + 3 * (v - v1) * (v - v1) <= (u - u2) * (u - u2) + 3 * (v - v2) * (v - v2) AS is_first FROM scaled),
    centred AS (SELECT size, lat, lon, CASE WHEN is_first THEN u1 ELSE u2 END AS cu,
      CASE WHEN is_first THEN v1 ELSE v2 END AS cv FROM chosen),
    counted AS MATERIALIZED (SELECT size, cu, cv, count(*) AS number, min(lon) AS west, max(lon) AS east,
      min(lat) AS south, max(lat) AS north FROM centred GROUP BY size, cu, cv),
    sizes AS (SELECT size, count(*) AS hexagons FROM counted GROUP BY size)
    SELECT size, cu * size * sqrt(3), cv * size * 3, number, west, east, south, north
    FROM counted WHERE size = (SELECT coalesce(min(size) FILTER (hexagons <= ${most}), max(size)) FROM sizes)
    ORDER BY number DESC, cv, cu`
  return { sql, values: parameters.values }
}
