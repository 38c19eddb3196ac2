/** The map of the shapes in a GeoJSON file, drawn before its page is rendered, in turns: thousands of positions take too long for one. */
import { type Area, areSwapped, giveWay, projectionFor } from '@ulmus/registry'
import { type GeoPermissibleObjects, geoArea, geoPath } from 'd3-geo'
import { paceOf } from '../../geojson/pace.ts'
import type { NoShapes } from '../../geojson/read-shapes.ts'
import type { Feature } from '../../geojson/shape-visitor.ts'
import { type Part, thinned } from '../../geojson/thin.ts'
import { type Frame, type FramedPlaces, frameOf, frameWidth } from './frame.ts'
import { prepareOutlines } from './land.ts'
import { PathText } from './path-text.ts'
import { type DrawnCounts, demandPlaces } from './plan.ts'

/** A feature has one shape of each kind. */
export interface DrawnShape {
  readonly kind: Part['kind']
  /** Path of SVG. */
  readonly path: string
  /** Its sides without those along 180°, where files cut areas in two. Undefined: it has none there. */
  readonly sides?: string
  /** Undefined: it has none. */
  readonly name: string | undefined
}

export interface ShapePlan extends DrawnCounts {
  readonly frame: Frame
  readonly shapes: readonly DrawnShape[]
  /** Those that the drawing has no room for are left out. */
  readonly positions: { readonly all: number; readonly drawn: number }
}

/** Degrees in the radius of the globe. */
const degrees = 180 / Math.PI
/** Sides of the areas that decide the projection. Degrees. */
const areaDegrees = 5
/** Longer lines get positions between their ends. Degrees. */
const straightMost = 2
/** Positions between others, at most. */
const betweenMax = 10_000
/** Paths of a drawing: shapes that find no room are dots. Characters. */
const pathsMax = 200_000
/** Positions of a turn. */
const turnPositions = { read: 20_000, drawn: 500 }

/** @param across so many positions side by side can be distinguished. Default: those of a map */
export async function planShapes(
  features: readonly Feature[],
  across = frameWidth,
): Promise<ShapePlan | NoShapes> {
  const written = features.filter((one) => one.geometries.length > 0 || !one.isPossible)
  const usual = written.filter(({ isPossible }) => isPossible)
  const swapped = written.filter(({ isPossibleSwapped }) => isPossibleSwapped)
  const isSwapped = areSwapped(
    usual.length,
    swapped.length,
    swapped.filter(({ isPossible }) => !isPossible).length,
  )
  const drawn = isSwapped ? await turned(swapped) : usual
  const counts = demandPlaces({
    drawn: drawn.length,
    missing: features.length - written.length,
    impossible: written.length - drawn.length,
    isSwapped,
    noun: 'feature' as const,
  })
  if ('reason' in counts) return counts
  const projection = projectionFor(await areasOf(drawn))
  const width = projection.kind === 'world' ? 360 : 2 * projection.reach * degrees
  const side = width / across
  const left = await thinned(drawn, side)
  const parts = await withBetween(left)
  const dots: FramedPlaces['dots'] = parts
    .flatMap(({ positions }) => pairsOf(positions))
    .map(([longitude, latitude]) => ({ longitude, latitude }))
  const frame = frameOf({ projection, hexagons: [], size: 0, dots })
  if (across === frameWidth) await prepareOutlines(frame)
  const all = drawn.flatMap(({ geometries }) => geometries.flatMap(({ parts }) => parts))
  return {
    ...counts,
    frame,
    positions: { all: countOf(all), drawn: countOf(left.map(({ positions }) => positions)) },
    shapes: await drawnIn(frame, parts, side),
  }
}

const countOf = (parts: readonly (readonly number[])[]): number =>
  parts.reduce((sum, part) => sum + part.length / 2, 0)

/** The same features with longitudes and latitudes in each other's place. */
async function turned(features: readonly Feature[]): Promise<Feature[]> {
  const pace = paceOf(turnPositions.read)
  const all: Feature[] = []
  for (const feature of features) {
    const geometries = feature.geometries.map(({ kind, parts }) => ({
      kind,
      parts: parts.map((part) => part.map((_, at) => part[at % 2 === 0 ? at + 1 : at - 1]!)),
    }))
    all.push({ ...feature, geometries })
    await pace(1 + geometries.reduce((sum, { parts }) => sum + countOf(parts), 0))
  }
  return all
}

/** Parts of the globe with positions. */
async function areasOf(features: readonly Feature[]): Promise<Area[]> {
  const pace = paceOf(turnPositions.read)
  const areas = new Map<number, { west: number; east: number; south: number; north: number }>()
  for (const { geometries } of features)
    for (const part of geometries.flatMap(({ parts }) => parts)) {
      await pace(part.length / 2)
      for (let at = 0; at < part.length; at += 2) {
        const [longitude, latitude] = [part[at]!, part[at + 1]!]
        const key = Math.floor(longitude / areaDegrees) * 360 + Math.floor(latitude / areaDegrees)
        const area = areas.get(key)
        if (area === undefined) {
          areas.set(key, { west: longitude, east: longitude, south: latitude, north: latitude })
          continue
        }
        area.west = Math.min(area.west, longitude)
        area.east = Math.max(area.east, longitude)
        area.south = Math.min(area.south, latitude)
        area.north = Math.max(area.north, latitude)
      }
    }
  return [...areas.values()]
}

type Position = [longitude: number, latitude: number]

const pairsOf = (positions: readonly number[]): Position[] =>
  Array.from({ length: positions.length / 2 }, (_, n) => [positions[2 * n]!, positions[2 * n + 1]!])

/** One path for each kind of geometry in a feature. */
async function drawnIn(frame: Frame, parts: readonly Part[], side: number): Promise<DrawnShape[]> {
  // Long lines have positions between their ends already.
  frame.projection.precision(0)
  const pace = paceOf(turnPositions.drawn)
  const shapes: DrawnShape[] = []
  let [last, path, sides, isCut]: [Part | undefined, string, string, boolean] = [undefined, '', '', false]
  let room = pathsMax
  const end = () => {
    if (last !== undefined && path !== '')
      shapes.push({ kind: last.kind, path, ...(isCut && { sides }), name: last.feature.name })
    ;[path, sides, isCut] = ['', '', false]
  }
  for (const part of parts) {
    if (part.feature !== last?.feature || part.kind !== last.kind) end()
    last = part
    const own = pathOf(frame, part)
    const drawn = own.length < room ? own : dotAt(frame, pairsOf(part.positions)[0]!)
    path += drawn
    const runs = part.kind === 'area' && own === drawn ? runsOf(part.positions, side) : undefined
    isCut ||= runs !== undefined
    // As long as no ring of the shape is cut, the path has all its sides.
    const ownSides = runs?.map((run) => pathOf(frame, { ...part, kind: 'line', positions: run })).join('')
    sides += ownSides ?? drawn
    room -= own.length + (ownSides?.length ?? 0)
    await pace(part.positions.length / 2)
  }
  end()
  return shapes
}

function pathOf(frame: Frame, { kind, positions }: Part): string {
  const pairs = pairsOf(positions)
  if (kind === 'points') return pairs.map((one) => dotAt(frame, one)).join('')
  const text = new PathText()
  geoPath(frame.projection, text)(shapeOf(kind, pairs))
  const path = text.end()
  // It is smaller than a unit of the drawing.
  return path === '' ? dotAt(frame, pairs[0]!) : path
}

/** The parts of a ring between its sides along 180°, give or take a thinned position. Undefined: it has no such side. */
function runsOf(positions: readonly number[], side: number): number[][] | undefined {
  const isOnSeam = (longitude: number) => Math.abs(longitude) > 180 - Math.max(side, seamLeast)
  const runs: number[][] = [[]]
  for (let at = 0; at < positions.length; at += 2) {
    if (at > 0 && isOnSeam(positions[at]!) && isOnSeam(positions[at - 2]!)) runs.push([])
    runs.at(-1)!.push(positions[at]!, positions[at + 1]!)
  }
  return runs.length === 1 ? undefined : runs.filter((run) => run.length > 2)
}

/** Files round the longitude. Degrees. */
const seamLeast = 0.001

/** Of the two sides of a ring on a globe, the smaller one is meant, whatever its direction. */
function shapeOf(kind: Part['kind'], coordinates: Position[]): GeoPermissibleObjects {
  if (kind === 'line') return { type: 'LineString', coordinates }
  const area = { type: 'Polygon' as const, coordinates: [coordinates] }
  return geoArea(area) > 2 * Math.PI ? { ...area, coordinates: [coordinates.toReversed()] } : area
}

function dotAt({ projection }: Frame, position: Position): string {
  const [x, y] = projection(position)!.map(Math.round) as [number, number]
  return `M${x},${y}h0`
}

/** Closes rings, and adds positions to long lines: GeoJSON joins positions by straight lines on a plane of degrees. */
async function withBetween(parts: readonly Part[]): Promise<Part[]> {
  await giveWay()
  const closed = parts.map((part) =>
    part.kind === 'area' ? { ...part, positions: [...part.positions, ...part.positions.slice(0, 2)] } : part,
  )
  const length = closed.reduce((sum, part) => sum + lengthOf(part), 0)
  const step = Math.max(straightMost, length / betweenMax)
  await giveWay()
  return closed.map((part) =>
    part.kind === 'points' ? part : { ...part, positions: divided(part.positions, step) },
  )
}

/** Degrees from a position to the one before; 0 across 180°, where the shorter way is meant. */
function apart(positions: readonly number[], at: number): number {
  if (at < 2) return 0
  const [across, along] = [0, 1].map((n) => Math.abs(positions[at + n]! - positions[at + n - 2]!))
  return across! > 180 ? 0 : Math.max(across!, along!)
}

function lengthOf({ kind, positions }: Part): number {
  let sum = 0
  for (let at = 2; kind !== 'points' && at < positions.length; at += 2) sum += apart(positions, at)
  return sum
}

function divided(positions: readonly number[], step: number): number[] {
  const all: number[] = []
  for (let at = 0; at < positions.length; at += 2) {
    const [longitude, latitude] = [positions[at]!, positions[at + 1]!]
    const steps = Math.ceil(apart(positions, at) / step)
    for (let n = 1; n < steps; n++) {
      const [fromX, fromY] = [positions[at - 2]!, positions[at - 1]!]
      all.push(fromX + ((longitude - fromX) * n) / steps, fromY + ((latitude - fromY) * n) / steps)
    }
    all.push(longitude, latitude)
  }
  return all
}
