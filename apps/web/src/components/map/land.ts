/** Outlines of land, of Natural Earth at 1:110 million, as paths in the frame of a map. Each frame is drawn once and kept. */
import { giveWay } from '@ulmus/registry'
import { type GeoPermissibleObjects, geoGraticule, geoPath } from 'd3-geo'
import { LRUCache } from 'lru-cache'
import { feature, mesh } from 'topojson-client'
import atlas from 'world-atlas/countries-110m.json' with { type: 'json' }
import { type Frame, frameWidth } from './frame.ts'
import { PathText } from './path-text.ts'

/** Paths of SVG. Empty: nothing of it is in the frame. */
export interface Outlines {
  readonly sea: string
  readonly lines: string
  readonly land: string
  readonly borders: string
}

/** Frames whose outlines are kept: some 20 KB each. */
const framesMax = 200
/** Frames that show less have no land: its outlines are some 20 km off. Radii of the globe: 250 km. */
const coarseWidth = 0.04
/** Frames that show more have no borders, and lines of longitude and latitude at a greater distance. Radii of the globe, degrees. */
const wideWidth = 1.6
const distances = { wide: 30, usual: 10 }

type Topology = Parameters<typeof mesh>[0]
type Collection = NonNullable<Parameters<typeof mesh>[1]>

const world = atlas as unknown as Topology
const { countries, land } = world.objects as unknown as Record<'countries' | 'land', Collection>
const shapes = { land: feature(world, land), borders: mesh(world, countries, (a, b) => a !== b) }

const kept = new LRUCache<string, Outlines>({ max: framesMax })

export function outlinesIn(frame: Frame): Outlines {
  const known = kept.get(frame.key)
  if (known !== undefined) return known
  const parts = partsOf(frame)
  const made = { sea: parts.sea(), lines: parts.lines(), land: parts.land(), borders: parts.borders() }
  kept.set(frame.key, made)
  return made
}

/** Draws the outlines of a map before its page is rendered, each in a turn of its own: together they take too long for one. */
export async function prepareOutlines(frame: Frame): Promise<void> {
  await giveWay()
  if (kept.has(frame.key)) return
  const parts = partsOf(frame)
  const made: Record<string, string> = {}
  for (const [name, draw] of Object.entries(parts)) {
    await giveWay()
    made[name] = draw()
  }
  kept.set(frame.key, made as unknown as Outlines)
  await giveWay()
}

function partsOf(frame: Frame): Readonly<Record<keyof Outlines, () => string>> {
  const width = frameWidth / frame.scale
  const isWide = width > wideWidth
  const step = isWide ? distances.wide : distances.usual
  const draw = (shape: GeoPermissibleObjects) => {
    const text = new PathText()
    geoPath(frame.projection, text)(shape)
    return text.end()
  }
  return {
    sea: () => draw({ type: 'Sphere' }),
    lines: () => draw(geoGraticule().step([step, step])()),
    land: () => (width < coarseWidth ? '' : draw(shapes.land)),
    borders: () => (isWide || width < coarseWidth ? '' : draw(shapes.borders)),
  }
}
