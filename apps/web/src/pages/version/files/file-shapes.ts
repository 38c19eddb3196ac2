/** Maps of GeoJSON files, drawn once: a file never changes. */
import { countAnswer, readerOf, Turns } from '@ulmus/registry'
import { LRUCache } from 'lru-cache'
import { planShapes, type ShapePlan } from '../../../components/map/shape-plan.ts'
import type { VisitedCollection } from '../../../data/collection.ts'
import { type FileFacts, isGeoJson } from '../../../data/file-kinds.ts'
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

async function planOf(bytes: AsyncIterable<Uint8Array>, across?: number): Promise<ShapePlan | NoShapes> {
  const features = await readShapes(bytes)
  return 'reason' in features ? features : planShapes(features, across)
}

/** Larger files have no outline in lists. Bytes. */
const outlineBytesMax = 2_000_000
/** Positions side by side in an outline: it is 48 pixels wide, on screens with two for each. */
const outlineAcross = 96

/** True: lists show its outline. */
export const hasOutline = (file: FileFacts): boolean =>
  file.size <= outlineBytesMax && isGeoJson(file, '') === 'yes'

/** The shapes of a small GeoJSON file as a picture. Empty if they cannot be drawn. It contains no text of the file. */
export async function readOutline(
  { registry }: Visit,
  { owner, slug, who }: VisitedCollection,
  file: NamedFile,
): Promise<string> {
  const { hash, stream } = await registry.files.get(who, { owner, slug, hash: file.hash })
  const key = `outline ${hash}`
  let plan = kept.get(key)
  if (plan === undefined) {
    countAnswer(readingBytesMax)
    plan = await turns.run(readerOf(who), async () => kept.get(key) ?? planOf(stream(), outlineAcross))
    kept.set(key, plan)
  }
  return outlineOf(plan)
}

/** Colours that contrast with light and dark pages: a picture does not know the page around it. */
const colours = 'fill="#3c9a58" stroke="#3c9a58" stroke-linejoin="round" stroke-linecap="round"'

function outlineOf(plan: ShapePlan | NoShapes): string {
  const [height, shapes] = 'reason' in plan ? [1, []] : [plan.frame.height, plan.shapes]
  // Islets beside areas are specks, while places alone must be seen.
  const dot = shapes.some(({ kind }) => kind === 'area') ? 14 : 60
  const paths = shapes.map(({ kind, path }) => {
    const look = kind === 'area' ? 'fill-opacity=".45"' : 'fill="none"'
    return `<path ${look} stroke-width="${kind === 'points' ? dot : 14}" d="${path}"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 ${height}" ${colours}>${paths.join('')}</svg>`
}
