/** Columns that hold coordinates, recognised by their names and kinds, never by their position. docs/queries.md */
import type { FoundColumn } from '@ulmus/content'

/** A column of a table, or of the answer to a statement. */
export type NamedColumn = Pick<FoundColumn, 'names' | 'type' | 'items'>

export interface Coordinates<Column extends NamedColumn = FoundColumn> {
  /** `pair`: two columns of numbers. `list`: a list of two numbers. `json`: a list, a GeoJSON Point, or an object with two members. */
  readonly kind: 'pair' | 'list' | 'json'
  /** A pair has the latitude first. */
  readonly columns: readonly [Column] | readonly [latitude: Column, longitude: Column]
  /** True: lists have the longitude first, as in GeoJSON. */
  readonly isReversed: boolean
}

/** Names of a latitude and of a longitude, alone or as a part: `start_lat` belongs to `start_lng`. */
export const axisNames = {
  latitude: ['latitude', 'lat'],
  longitude: ['longitude', 'long', 'lng', 'lon'],
} as const
type Axis = keyof typeof axisNames

const axisOf = new Map<string, Axis>([
  ...axisNames.latitude.map((name) => [name, 'latitude'] as const),
  ...axisNames.longitude.map((name) => [name, 'longitude'] as const),
])
const [latitudes, longitudes] = [axisNames.latitude, axisNames.longitude].map((names) => names.join('|'))
const endsWithAxis = new RegExp(`^(.+?)(${latitudes}|${longitudes})$`)
const latitudeFirst = new RegExp(`(?:${latitudes})(?:${longitudes})$`)
const longitudeFirst = new RegExp(`(?:${longitudes})(?:${latitudes})$`)
/** Last words of the names of places that JSON may hold in several forms. */
const placeWords = new Set(
  'coordinates coordinate coords geo geojson geom geometry location point position'.split(' '),
)
/** Longer names name no coordinates. Characters. */
const nameMax = 200

/** `startLat`, `start_lat` and `Start lat` are `start` and `lat`. */
const wordsOf = (name: string): string[] =>
  (name.length > nameMax ? '' : name)
    .replace(/(\p{Ll}|\d)(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')

interface AxisName {
  readonly axis: Axis
  /** The name with a mark in place of the axis; empty if it is the whole name. */
  readonly rest: string
}

function axisIn(name: string): AxisName | undefined {
  const words = wordsOf(name)
  const at = words.findIndex((word) => axisOf.has(word))
  if (at >= 0)
    return { axis: axisOf.get(words[at]!)!, rest: words.length === 1 ? '' : words.with(at, '*').join(' ') }
  const [, before, axis] = endsWithAxis.exec(words.at(-1) ?? '') ?? []
  return axis === undefined
    ? undefined
    : { axis: axisOf.get(axis)!, rest: [...words.slice(0, -1), `${before}*`].join(' ') }
}

const isNumber = (type: string | undefined): boolean => type === 'number' || type === 'integer'
const last = ({ names }: NamedColumn): string => names.at(-1) ?? ''
const outer = ({ names }: NamedColumn): string => JSON.stringify(names.slice(0, -1))

/** All coordinates of a table, the likeliest first. @param columns with members of objects in place of the objects */
export function findCoordinates<Column extends NamedColumn>(
  columns: readonly Column[],
): Coordinates<Column>[] {
  const found = [...pairsIn(columns), ...singlesIn(columns)]
  return found
    .toSorted(
      (a, b) =>
        Number(a.isGuess) - Number(b.isGuess) ||
        a.depth - b.depth ||
        a.rank - b.rank ||
        (a.text < b.text ? -1 : 1),
    )
    .map(({ coordinates }) => coordinates)
}

interface Found<Column extends NamedColumn> {
  readonly coordinates: Coordinates<Column>
  /** True: only the values tell whether the column has places. */
  readonly isGuess: boolean
  /** Number of names down to the place. */
  readonly depth: number
  /** 0: the whole name says so. */
  readonly rank: number
  readonly text: string
}

function pairsIn<Column extends NamedColumn>(columns: readonly Column[]): Found<Column>[] {
  const axes = columns
    .filter(({ type }) => isNumber(type))
    .flatMap((column) => {
      const found = axisIn(last(column))
      return found === undefined ? [] : [{ column, ...found }]
    })
  const groups = Map.groupBy(axes, ({ column, rest }) => `${outer(column)} ${rest}`)
  return [...groups.values()].flatMap((group) => {
    const of = (axis: Axis) => group.find((one) => one.axis === axis)
    const [latitude, longitude] = [of('latitude'), of('longitude')]
    if (latitude === undefined || longitude === undefined) return []
    const coordinates = {
      kind: 'pair',
      columns: [latitude.column, longitude.column],
      isReversed: false,
    } as const
    const { names } = latitude.column
    const rank = latitude.rest === '' ? 0 : 2
    return [{ coordinates, isGuess: false, depth: names.length, rank, text: names.join('.') }]
  })
}

function singlesIn<Column extends NamedColumn>(columns: readonly Column[]): Found<Column>[] {
  // A list beside `type` is the place of a GeoJSON Point.
  const typed = new Set(
    columns.filter((column) => column.type === 'text' && last(column) === 'type').map(outer),
  )
  return columns.flatMap((column) => {
    const coordinates = singleOf(column)
    if (coordinates === undefined) return []
    const { names } = column
    const isPoint = coordinates.kind === 'list' && names.length > 1 && typed.has(outer(column))
    const words = wordsOf(last(column)).join('')
    const isNamed = latitudeFirst.test(words) || longitudeFirst.test(words)
    return [
      {
        coordinates,
        isGuess: !isPoint && !isNamed,
        depth: names.length - (isPoint ? 1 : 0),
        rank: 1,
        text: names.join('.'),
      },
    ]
  })
}

/** Coordinates in one column; undefined if its name or kind does not suit. */
function singleOf<Column extends NamedColumn>(column: Column): Coordinates<Column> | undefined {
  const words = wordsOf(last(column))
  const isNamed = latitudeFirst.test(words.join('')) || longitudeFirst.test(words.join(''))
  const isList = column.type === 'list' && isNumber(column.items)
  const isPlace = isList ? words.at(-1) === 'coordinates' : placeWords.has(words.at(-1) ?? '')
  if (!(isNamed || isPlace) || !(isList || column.type === 'json')) return undefined
  return { kind: isList ? 'list' : 'json', columns: [column], isReversed: isReversed(column) }
}

const isReversed = (column: NamedColumn): boolean => !latitudeFirst.test(wordsOf(last(column)).join(''))

/** The coordinates in columns that a caller named; undefined if their kinds hold none. */
export function coordinatesIn(columns: readonly FoundColumn[]): Coordinates | undefined {
  const [first, second, third] = columns
  if (first === undefined || third !== undefined) return undefined
  if (second === undefined) {
    const kind =
      first.type === 'json' ? 'json' : first.type === 'list' && isNumber(first.items) ? 'list' : undefined
    return kind && { kind, columns: [first], isReversed: isReversed(first) }
  }
  if (!isNumber(first.type) || !isNumber(second.type)) return undefined
  const isTurned = axisIn(last(first))?.axis === 'longitude' && axisIn(last(second))?.axis === 'latitude'
  return { kind: 'pair', columns: isTurned ? [second, first] : [first, second], isReversed: false }
}
