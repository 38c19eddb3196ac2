/** Reads the shapes of a GeoJSON file, each small piece in a turn of its own. Memory grows with its positions, not with its length. */
import { giveWay } from '@ulmus/registry'
import { JsonWalker } from '@ulmus/tabular/json-walker'
import { type Feature, ShapeVisitor } from './shape-visitor.ts'

/** Larger files are not read. Bytes. */
export const shapesBytesMax = 8_000_000
/** Bytes of a turn: some milliseconds. */
const turnBytes = 32_768
/** Longer names are no GeoJSON. Characters. */
const charactersMax = 1_000_000

/** Why a file has no shapes, as the end of a sentence. */
export interface NoShapes {
  readonly reason: string
}

const types = new Set(
  'FeatureCollection Feature Point MultiPoint LineString MultiLineString Polygon MultiPolygon GeometryCollection'.split(
    ' ',
  ),
)

export async function readShapes(pieces: AsyncIterable<Uint8Array>): Promise<readonly Feature[] | NoShapes> {
  const visitor = new ShapeVisitor()
  const walker = new JsonWalker(visitor, charactersMax)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const piece of pieces)
      for (let at = 0; at < piece.length; at += turnBytes) {
        await giveWay()
        walker.push(decoder.decode(piece.subarray(at, at + turnBytes), { stream: true }))
        if (walker.fault !== undefined) return notJson
        if (visitor.isFull) return { reason: 'the file has more than 500,000 positions.' }
      }
    walker.push(decoder.decode())
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { reason: 'the file is not encoded as UTF-8.' }
  }
  walker.end()
  if (walker.fault !== undefined) return notJson
  visitor.end()
  return types.has(visitor.type ?? '') ? visitor.features : notGeoJson
}

const notJson: NoShapes = { reason: 'the file is no valid JSON. Check that it is complete.' }
const notGeoJson: NoShapes = {
  reason: 'the file is no GeoJSON: its type must be FeatureCollection, Feature or that of a geometry.',
}
