/** The projection that shows some places best. Both are equal-area, so that a hexagon has the same area everywhere. */

/** A part of the globe that has places. Degrees. */
export interface Area {
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
}

export interface Projection {
  /** `local`: Lambert's azimuthal projection around the places, also across 180° and a pole. `world`: Equal Earth. */
  readonly kind: 'local' | 'world'
  /** Centre of the map. Degrees. */
  readonly longitude: number
  readonly latitude: number
  /** Distance on the map from the centre to the farthest place, at least. Radii of the globe. */
  readonly reach: number
}

/** From the centre of a map of the world to its side. Radii of the globe. */
const worldReach = 2.71
/** Places farther from their centre need a map of the world. Degrees. */
const localMax = 60
/** Columns of the globe, and a gap between places at whose other side the map is centred. Degrees. */
const columnWidth = 5
const gapLeast = 150

const radians = Math.PI / 180
type Vector = readonly [x: number, y: number, z: number]

const vectorOf = (longitude: number, latitude: number): Vector => {
  const [lambda, phi] = [longitude * radians, latitude * radians]
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
}

/** @param areas each counts once: many places in one would draw the centre to it */
export function projectionFor(areas: readonly Area[]): Projection {
  const middle = [0, 0, 0]
  for (const { west, east, south, north } of areas) {
    const vector = vectorOf((west + east) / 2, (south + north) / 2)
    for (const n of [0, 1, 2]) middle[n]! += vector[n]!
  }
  const [x, y, z] = middle as [number, number, number]
  const length = Math.hypot(x, y, z)
  // Opposite places have no middle.
  if (length > areas.length / 1_000) {
    const longitude = rounded(Math.atan2(y, x) / radians)
    const latitude = rounded(Math.asin(Math.max(-1, Math.min(1, z / length))) / radians)
    const [a, b, c] = vectorOf(longitude, latitude)
    let least = 1
    for (const { west, east, south, north } of areas)
      for (const corner of [west, east].flatMap((one) => [vectorOf(one, south), vectorOf(one, north)]))
        least = Math.min(least, corner[0] * a + corner[1] * b + corner[2] * c)
    // The chord of the angle is the distance on an azimuthal equal-area map.
    const reach = Math.sqrt(Math.max(0, 2 - 2 * least))
    if (least >= Math.cos(localMax * radians)) return { kind: 'local', longitude, latitude, reach }
  }
  return { kind: 'world', longitude: worldCentre(areas), latitude: 0, reach: worldReach }
}

const rounded = (degrees: number): number => Math.round(degrees * 1_000) / 1_000 || 0

/** 0, or opposite the middle of a wide gap between places: a map of the Pacific shows both of its shores. */
function worldCentre(areas: readonly Area[]): number {
  const count = 360 / columnWidth
  const taken = new Set<number>()
  for (const { west, east } of areas)
    for (const longitude of [west, east]) taken.add(Math.floor((longitude + 180) / columnWidth) % count)
  if (taken.size === 0) return 0
  const columns = [...taken].sort((a, b) => a - b)
  const gaps = columns.map((column, n) => {
    const next = columns[n + 1] ?? columns[0]! + count
    return { from: (column + 1) * columnWidth - 180, width: (next - column - 1) * columnWidth }
  })
  const widest = gaps.reduce((a, b) => (b.width > a.width ? b : a))
  if (widest.width < gapLeast) return 0
  const opposite = widest.from + widest.width / 2 + 180
  return ((opposite + 540) % 360) - 180
}
