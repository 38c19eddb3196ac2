/** Maps of GeoJSON files, drawn once: a file never changes. */
import { countAnswer, readerOf, Turns } from '@ulmus/registry'
import { LRUCache } from 'lru-cache'
import { planShapes, type ShapePlan } from '../../../components/map/shape-plan.ts'
import type { VisitedCollection } from '../../../data/collection.ts'
import { isGeoJson } from '../../../data/file-kinds.ts'
import type { NamedFile } from '../../../data/files.ts'
import { sizeText } from '../../../format.ts'
import { type NoShapes, readShapes, shapesBytesMax } from '../../../geojson/read-shapes.ts'
import type { Visit } from '../../../page.ts'

/** Size of the maps in memory. Characters. */
const keptCharactersMax = 5_000_000
/** Memory for reading a file: its positions. Bytes. */
const readingBytesMax = 8_000_000

const kept = new LRUCache<string, ShapePlan | NoShapes>({
  maxSize: keptCharactersMax,
  sizeCalculation: (plan) =>
    'reason' in plan
      ? 1_000
      : plan.shapes.reduce((sum, { path, name = '' }) => sum + path.length + name.length + 100, 1_000),
})
/** One file at a time. Readers take turns. */
const turns = new Turns({ places: 1 })

/**
 * The map of a file, read with the visitor's rights, or the reason for having none. Undefined: the file says nowhere that it is GeoJSON.
 * @param text its beginning
 * @throws file_not_found, object_corrupt, busy
 */
export async function readFileShapes(
  { registry }: Visit,
  { owner, slug, who }: VisitedCollection,
  file: NamedFile,
  text: string,
): Promise<ShapePlan | NoShapes | undefined> {
  const likeness = isGeoJson(file, text)
  if (likeness === 'no') return undefined
  const { hash, size, stream } = await registry.files.get(who, { owner, slug, hash: file.hash })
  if (size > shapesBytesMax) {
    const [limit, own] = [shapesBytesMax, size].map((bytes) => sizeText(bytes))
    return { reason: `the file has ${own}, and shapes are drawn of files up to ${limit}.` }
  }
  let plan = kept.get(hash)
  if (plan === undefined) {
    countAnswer(readingBytesMax)
    plan = await turns.run(readerOf(who), async () => kept.get(hash) ?? planOf(stream()))
    kept.set(hash, plan)
  }
  // JSON with a member `type` may be anything.
  return 'reason' in plan && likeness === 'maybe' ? undefined : plan
}

async function planOf(bytes: AsyncIterable<Uint8Array>): Promise<ShapePlan | NoShapes> {
  const features = await readShapes(bytes)
  return 'reason' in features ? features : planShapes(features)
}
