/** Thins shapes to what a drawing can show: of consecutive positions in one small square, the first; of tiny shapes, a dot. */
import { paceOf } from './pace.ts'
import type { Feature, Geometry } from './shape-visitor.ts'

/** A list of points, a line or a ring of a feature. */
export interface Part {
  readonly feature: Feature
  readonly kind: Geometry['kind']
  /** Longitude, latitude, longitude and so on. */
  readonly positions: readonly number[]
}

/** Positions of a drawing, and of one line or ring in it. */
const drawnMax = 10_000
const partMax = 3_000
/** Squares as wide as this many of the smallest ones are seen. Lines that are still too long lose positions evenly. */
const widest = 8
/** Positions of a turn. */
const turnPositions = 20_000

/** @param side of the smallest squares. Degrees. */
export async function thinned(features: readonly Feature[], side: number): Promise<readonly Part[]> {
  const least = Math.max(side, sideLeast)
  for (let times = 1; ; times *= 2) {
    const parts = await thinnedTo(features, least * times, 1)
    const count = parts.reduce((sum, { positions }) => sum + positions.length / 2, 0)
    if (count <= drawnMax) return parts
    if (times === widest) return thinnedTo(features, least * times, Math.ceil(count / drawnMax))
  }
}

/** @param each of so many positions of a line or ring, one is kept */
async function thinnedTo(features: readonly Feature[], side: number, each: number): Promise<Part[]> {
  const all: Part[] = []
  // Of many dots in a square, one is drawn.
  const taken = new Set<number>()
  const pace = paceOf(turnPositions)
  for (const feature of features)
    for (const { kind, parts } of feature.geometries)
      for (const part of parts) {
        await pace(part.length / 2)
        const kept = kind === 'points' ? part : evenly(firstOfSquares(part, side), each)
        const isTiny = kept.length < sidesLeast[kind] * 2
        const isDots = kind === 'points' || isTiny
        const positions = isDots ? newSquares(isTiny ? kept.slice(0, 2) : kept, side, taken) : kept
        if (positions.length > 0) all.push({ feature, kind: isDots ? 'points' : kind, positions })
      }
  return all
}

function evenly(positions: readonly number[], each: number): readonly number[] {
  const step = Math.max(each, Math.ceil(positions.length / 2 / partMax))
  return step === 1 ? positions : positions.filter((_, at) => Math.floor(at / 2) % step === 0)
}

/** Shapes of fewer positions are dots. */
const sidesLeast = { points: 0, line: 2, area: 3 } as const

function firstOfSquares(part: readonly number[], side: number): number[] {
  const kept: number[] = []
  let last = Number.NaN
  for (let at = 0; at < part.length; at += 2) {
    const square = squareOf(part[at]!, part[at + 1]!, side)
    if (square === last) continue
    last = square
    kept.push(part[at]!, part[at + 1]!)
  }
  return kept
}

function newSquares(part: readonly number[], side: number, taken: Set<number>): number[] {
  const kept: number[] = []
  for (let at = 0; at < part.length; at += 2) {
    const square = squareOf(part[at]!, part[at + 1]!, side)
    if (taken.has(square)) continue
    taken.add(square)
    kept.push(part[at]!, part[at + 1]!)
  }
  return kept
}

/** Smallest side of a square. Degrees: a metre. */
const sideLeast = 1e-5
/** More than all squares from the south to the north. */
const column = 1e8

const squareOf = (longitude: number, latitude: number, side: number): number =>
  Math.floor(longitude / side) * column + Math.floor(latitude / side)
