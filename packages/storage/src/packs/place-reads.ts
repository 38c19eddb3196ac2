/** Reads of many places in packs: merges adjacent and repeated ones, and runs the reads concurrently. */
import type { ByteRange } from '../blobs/blob-store.ts'
import type { PackSource } from './pack.ts'

export interface PlaceInPack extends Omit<ByteRange, 'start'> {
  /** The pack's name in the blob store. */
  pack: string
  /** Start in the pack. Bytes. */
  offset: number
}

/** Places that touch are one read up to this size together. Bytes. */
const readBytesMax = 4_194_304

/** The bytes of each place, in the given order; views of the read bytes, shared by repeated places. @throws BlobMissing. */
export async function readPlaces(packs: PackSource, places: readonly PlaceInPack[]): Promise<Uint8Array[]> {
  const read: Uint8Array[] = []
  const inOrder = places
    .map((place, index) => ({ ...place, index }))
    .sort((a, b) => (a.pack === b.pack ? a.offset - b.offset : a.pack < b.pack ? -1 : 1))
  const runs: (typeof inOrder)[] = []
  for (const place of inOrder) {
    const run = runs.at(-1)
    if (run !== undefined && goesOn(run, place)) run.push(place)
    else runs.push([place])
  }
  await Promise.all(
    runs.map(async (run) => {
      const [{ pack, offset: start }, last] = [run[0]!, run.at(-1)!]
      const bytes = await packs.read(pack, { start, length: last.offset + last.length - start })
      for (const { index, offset, length } of run)
        read[index] = bytes.subarray(offset - start, offset - start + length)
    }),
  )
  return read
}

function goesOn(run: readonly PlaceInPack[], place: PlaceInPack): boolean {
  const [first, last] = [run[0]!, run.at(-1)!]
  if (last.pack !== place.pack) return false
  if (last.offset === place.offset && last.length === place.length) return true
  const touches = last.offset + last.length === place.offset
  return touches && place.offset + place.length - first.offset <= readBytesMax
}
