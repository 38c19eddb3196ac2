/** The part of the globe that a map shows: zoomed to its places, in a drawing that is 1,000 units wide. */
import type { Projection } from '@ulmus/registry'
import { type GeoProjection, geoAzimuthalEqualArea, geoEqualEarth } from 'd3-geo'
import type { MapDot, MapPlan } from './plan.ts'

export const frameWidth = 1_000
/** Height as a share of the width. */
const shape = { least: 0.42, most: 0.55 }
/** Share of the width around the places. */
const margin = 0.04
/** A single place has land around it; several have at least this width. Radii of the globe. */
const aloneWidth = 0.25
const leastWidth = 1e-5

export interface Frame {
  readonly projection: GeoProjection
  readonly height: number
  /** Units of the drawing in a radius of the globe. */
  readonly scale: number
  /** A place on the projected globe, in its radii, as a place in the drawing. */
  readonly at: (x: number, y: number) => readonly [x: number, y: number]
  /** Names the frame: equal ones have equal outlines. */
  readonly key: string
}

/** Places that a map shows. */
export interface FramedPlaces extends Pick<MapPlan, 'projection' | 'hexagons' | 'size'> {
  readonly dots: readonly Pick<MapDot, 'latitude' | 'longitude'>[]
}

/** The projected globe with the radius 1, whose centre is at 0, 0. */
function globeOf({ kind, longitude, latitude }: Projection): GeoProjection {
  const made = kind === 'world' ? geoEqualEarth() : geoAzimuthalEqualArea()
  return made.rotate([-longitude, -latitude]).scale(1).translate([0, 0]).precision(0.001)
}

/** Places in radii of the globe, to the right and upwards. */
const dotsOn = (globe: GeoProjection, { dots }: FramedPlaces): (readonly [number, number])[] =>
  dots.map(({ longitude, latitude }) => {
    const [x, y] = globe([longitude, latitude])!
    return [x, -y]
  })

export function frameOf(plan: FramedPlaces): Frame {
  const globe = globeOf(plan.projection)
  const { hexagons, size } = plan
  const places = hexagons.length > 0 ? hexagons.map(({ x, y }) => [x, y] as const) : dotsOn(globe, plan)
  let [left, right, lower, upper] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const [x, y] of places) {
    left = Math.min(left, x - size)
    right = Math.max(right, x + size)
    lower = Math.min(lower, y - size)
    upper = Math.max(upper, y + size)
  }
  const extent = Math.max(right - left, (upper - lower) / shape.most)
  const width = (extent < leastWidth ? aloneWidth : extent) * (1 + 2 * margin)
  const height = Math.min(
    Math.max(upper - lower + 2 * margin * width, width * shape.least),
    width * shape.most,
  )
  const scale = frameWidth / width
  const pixels = Math.round(height * scale)
  const [x0, y0] = [frameWidth / 2 - ((left + right) / 2) * scale, pixels / 2 + ((lower + upper) / 2) * scale]
  // Far parts of the globe take most of the time.
  if (plan.projection.kind === 'local') globe.clipAngle(angleOf(x0, y0, pixels, scale))
  const projection = globe
    .scale(scale)
    .translate([x0, y0])
    .precision(0.5)
    .clipExtent([
      [-10, -10],
      [frameWidth + 10, pixels + 10],
    ])
  const { kind, longitude, latitude } = plan.projection
  return {
    projection,
    height: pixels,
    scale,
    at: (x, y) => [x0 + x * scale, y0 - y * scale],
    key: [kind, longitude, latitude, scale, x0, y0, pixels].join(),
  }
}

/** Angle from the centre of the globe to the farthest corner of the frame, and a little more. Degrees. */
function angleOf(x0: number, y0: number, height: number, scale: number): number {
  const [across, along] = [Math.max(x0, frameWidth - x0), Math.max(y0, height - y0)]
  const chord = Math.min(2, Math.hypot(across, along) / scale)
  return Math.min(179, ((2 * Math.asin(chord / 2)) / Math.PI) * 180 * 1.05 + 0.1)
}
