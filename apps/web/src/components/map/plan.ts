/** The map of some records or rows: their places as dots, or their numbers in hexagons, and the sentences about those that are left out. */
import type { Hexagon, PlaceCounts, Projection } from '@ulmus/registry'
import { counted } from '../../format.ts'

export interface MapDot {
  readonly latitude: number
  readonly longitude: number
  /** Empty: it has no name. */
  readonly title: string
  /** Path of its record. */
  readonly href: string | undefined
}

/** Numbers of drawn features, records or rows, and of those left out. */
export interface DrawnCounts extends PlaceCounts {
  readonly noun: 'record' | 'row' | 'feature'
}

export interface MapPlan extends DrawnCounts {
  readonly projection: Projection
  /** Empty if there are hexagons. */
  readonly dots: readonly MapDot[]
  readonly hexagons: readonly Hexagon[]
  /** From the centre of a hexagon to a corner, in radii of the globe. */
  readonly size: number
  /** `records` or `rows`. */
  readonly noun: 'record' | 'row'
}

/** Why there is no map, as the end of a sentence. */
export interface NoMap {
  readonly reason: string
}

export const noCoordinates: NoMap = {
  reason:
    'no column has coordinates. Name them latitude and longitude, lat and lon, or latlng, or store GeoJSON Points in a column such as geometry.',
}

/** The plan, or the reason if no record has a place. */
export const demandPlaces = <Plan extends DrawnCounts>(plan: Plan): Plan | NoMap =>
  plan.drawn > 0
    ? plan
    : plan.impossible > 0
      ? {
          reason: `the coordinates of ${counted(plan.impossible, plan.noun)} are nowhere on the globe. They must be degrees.`,
        }
      : { reason: `no ${plan.noun} has coordinates.` }

/** Sentences about data that the map leaves out or turns. */
export function notesOf({ missing, impossible, isSwapped, noun }: DrawnCounts): string[] {
  const have = (count: number) => (count === 1 ? 'has' : 'have')
  return [
    ...(isSwapped
      ? ['Latitudes and longitudes are swapped in the data; the map has them in the right places.']
      : []),
    ...(missing > 0 ? [`${counted(missing, noun)} ${have(missing)} no coordinates.`] : []),
    ...(impossible > 0
      ? [
          `${counted(impossible, noun)} ${have(impossible)} impossible coordinates and ${impossible === 1 ? 'is' : 'are'} left out.`,
        ]
      : []),
  ]
}

/** Counts from `from` to `to` have one colour. */
export interface CountClass {
  readonly from: number
  readonly to: number
}

const classesMax = 5

/** Classes of counts whose bounds are round and grow by about the same factor. */
export function classesOf(counts: readonly number[]): CountClass[] {
  const [least, most] = counts.reduce(([a, b], n) => [Math.min(a, n), Math.max(b, n)], [Infinity, 0])
  const bounds = new Set([least])
  for (let n = 1; n < classesMax; n++) {
    const bound = oneDigit(least * (most / least) ** (n / classesMax))
    if (bound > least && bound <= most) bounds.add(bound)
  }
  const from = [...bounds]
  return from.map((bound, n) => ({ from: bound, to: n + 1 < from.length ? from[n + 1]! - 1 : most }))
}

/** Rounded up to one significant digit. */
function oneDigit(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return Math.ceil(value / power) * power
}

/** `51.5° N, 0.1° W` */
export function placeText(latitude: number, longitude: number, digits = 1): string {
  const part = (value: number, [positive, negative]: readonly [string, string]) => {
    const text = Math.abs(value).toFixed(digits)
    return `${text}° ${value < 0 && Number(text) !== 0 ? negative : positive}`
  }
  return `${part(latitude, ['N', 'S'])}, ${part(longitude, ['E', 'W'])}`
}
