/** Finds the shapes of a GeoJSON text (RFC 7946) while a walker passes over it. Keeps names and positions alone. */
import { parseJson } from '@ulmus/content'
import type { Step, Taken, ValueKind, Visitor } from '@ulmus/tabular/json-walker'

export interface Geometry {
  readonly kind: 'points' | 'line' | 'area'
  /** Lists of points, lines or rings: longitude, latitude, longitude and so on. */
  readonly parts: readonly (readonly number[])[]
}

/** A feature, or the geometry that the file is. */
export interface Feature {
  name: string | undefined
  readonly geometries: Geometry[]
  /** True: all positions are on the globe. */
  isPossible: boolean
  /** True: all positions are on the globe if longitudes and latitudes change places. */
  isPossibleSwapped: boolean
}

/** More positions are not kept. */
const positionsMax = 500_000
/** Objects within objects: features and collections of geometries. */
const objectsMax = 10
/** Longer texts of positions and types are wrong. Characters. */
const textMax = 500
/** Longer names are cut. Characters. */
const nameMax = 200
/** Members of `properties` that name a feature. */
const names: ReadonlySet<unknown> = new Set(['name', 'NAME', 'Name', 'title', 'label'])

/** Lists around a position and kind of the drawing, by type. */
const geometries = new Map<string, readonly [lists: number, kind: Geometry['kind']]>([
  ['Point', [0, 'points']],
  ['MultiPoint', [1, 'points']],
  ['LineString', [1, 'line']],
  ['MultiLineString', [2, 'line']],
  ['Polygon', [2, 'area']],
  ['MultiPolygon', [3, 'area']],
])
const listsMax = 3

/** `coordinates`. Its type may follow, so that the first number tells where positions are. */
interface Coordinates {
  readonly depth: number
  positionDepth: number | undefined
  readonly parts: number[][]
  /** Numbers of the first position, which is read one by one. */
  readonly first: number[]
  isWrong: boolean
}

interface OpenObject {
  readonly depth: number
  readonly feature: Feature
  type: string | undefined
  coordinates: Coordinates | undefined
}

const newFeature = (): Feature => ({
  ...{ name: undefined, geometries: [], isPossible: true, isPossibleSwapped: true },
})

export class ShapeVisitor implements Visitor {
  /** Type of the outermost object. */
  type: string | undefined
  /** True: there are more positions than are kept. */
  isFull = false
  readonly #features: Feature[] = []
  readonly #whole = newFeature()
  readonly #open: OpenObject[] = []
  #take: (text: string) => void = () => {}
  #positions = 0

  /** Those of the collection, or the whole file. */
  get features(): readonly Feature[] {
    return this.type === 'FeatureCollection' ? this.#features : [this.#whole]
  }

  visit(path: readonly (string | undefined)[], kind: ValueKind): Step {
    const depth = path.length
    while ((this.#open.at(-1)?.depth ?? -1) >= depth) this.#close(this.#open.pop()!)
    const object = this.#open.at(-1)
    if (object === undefined) return kind === 'object' ? this.#enter(0, this.#whole) : 'pass'
    const member = path[object.depth]
    if (depth === object.depth + 1) return this.#member(object, member, kind, depth)
    if (member === 'coordinates') return this.#inCoordinates(object, kind, depth)
    if (depth > object.depth + 2) return 'pass'
    if (member === 'properties')
      return kind === 'text' && names.has(path.at(-1)) ? this.#name(object.feature) : 'pass'
    if (kind !== 'object') return 'pass'
    if (member === 'geometries') return this.#enter(depth, object.feature)
    const feature = newFeature()
    this.#features.push(feature)
    return this.#enter(depth, feature)
  }

  take({ text }: Taken): void {
    this.#take(text)
  }

  end(): void {
    while (this.#open.length > 0) this.#close(this.#open.pop()!)
  }

  #enter(depth: number, feature: Feature): Step {
    if (this.#open.length >= objectsMax) return 'pass'
    this.#open.push({ depth, feature, type: undefined, coordinates: undefined })
    return 'enter'
  }

  #member(object: OpenObject, name: string | undefined, kind: ValueKind, depth: number): Step {
    if (name === 'type' && kind === 'text') {
      this.#take = (text) => {
        object.type = text.length > textMax ? undefined : (parsed(text) as string | undefined)
        if (object.depth === 0) this.type = object.type
      }
      return 'take'
    }
    if (name === 'coordinates' && kind === 'list') {
      object.coordinates = { depth, positionDepth: undefined, parts: [], first: [], isWrong: false }
      return 'enter'
    }
    if (name === 'geometry' && kind === 'object') return this.#enter(depth, object.feature)
    const isEntered =
      (name === 'features' && kind === 'list' && object.depth === 0) ||
      (name === 'geometries' && kind === 'list') ||
      (name === 'properties' && kind === 'object')
    return isEntered ? 'enter' : 'pass'
  }

  #name(feature: Feature): Step {
    this.#take = (text) => {
      const value = parsed(text)
      if (typeof value === 'string') feature.name ??= value.slice(0, nameMax)
    }
    return 'take'
  }

  #inCoordinates({ coordinates, feature }: OpenObject, kind: ValueKind, depth: number): Step {
    if (coordinates === undefined || coordinates.isWrong) return 'pass'
    if (kind === 'list') return this.#list(coordinates, feature, depth)
    if (kind === 'scalar' && depth === (coordinates.positionDepth ?? depth - 1) + 1)
      return this.#number(coordinates, feature, depth)
    coordinates.isWrong = true
    return 'pass'
  }

  #list(coordinates: Coordinates, feature: Feature, depth: number): Step {
    const { positionDepth, parts } = coordinates
    if (positionDepth === undefined || depth < positionDepth) {
      coordinates.isWrong = depth - coordinates.depth > listsMax
      if (depth + 1 === positionDepth) parts.push([])
      return coordinates.isWrong ? 'pass' : 'enter'
    }
    coordinates.isWrong = depth > positionDepth
    if (coordinates.isWrong) return 'pass'
    this.#take = (text) => {
      const position = text.length > textMax ? undefined : parsed(text)
      const [longitude, latitude] = Array.isArray(position) ? position : []
      this.#add(coordinates, feature, longitude, latitude)
    }
    return 'take'
  }

  #number(coordinates: Coordinates, feature: Feature, depth: number): Step {
    const { first, parts } = coordinates
    if (coordinates.positionDepth === undefined) {
      coordinates.positionDepth = depth - 1
      parts.push([])
    }
    // The third number is a height.
    if (first.length > 1) return 'pass'
    this.#take = (text) => {
      first.push(parsed(text) as number)
      if (first.length === 2) this.#add(coordinates, feature, first[0], first[1])
    }
    return 'take'
  }

  #add(coordinates: Coordinates, feature: Feature, longitude: unknown, latitude: unknown): void {
    if (typeof longitude !== 'number' || typeof latitude !== 'number') {
      coordinates.isWrong = true
      return
    }
    if (!isOnGlobe(longitude, latitude)) feature.isPossible = false
    if (!isOnGlobe(latitude, longitude)) feature.isPossibleSwapped = false
    if (++this.#positions > positionsMax) this.isFull = true
    else coordinates.parts.at(-1)!.push(longitude, latitude)
  }

  #close({ type = '', coordinates, feature }: OpenObject): void {
    const geometry = geometries.get(type)
    if (geometry === undefined || coordinates === undefined) return
    const [lists, kind] = geometry
    const { depth, positionDepth, parts, first, isWrong } = coordinates
    const isEmpty = positionDepth === undefined
    if (isWrong || first.length === 1 || !(isEmpty || positionDepth - depth === lists))
      feature.isPossible = feature.isPossibleSwapped = false
    else if (!isEmpty) feature.geometries.push({ kind, parts: parts.filter((part) => part.length > 0) })
  }
}

const isOnGlobe = (longitude: number, latitude: number): boolean =>
  Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90

/** Undefined for a text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
