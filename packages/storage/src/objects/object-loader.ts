/** Loads objects from their packs: reads the whole delta chain at once, decodes it from the far end, and verifies it. */
import { crc32 } from 'node:zlib'
import type { Hash } from '@ulmus/content'
import type { ByteRange } from '../blobs/blob-store.ts'
import {
  BlobMissingError,
  ObjectCorruptError,
  type ObjectKind,
  ObjectMissingError,
} from '../errors/stores.ts'
import { decodeEncoded, type EncodedObject } from '../packs/encoded-object.ts'
import type { PackSource } from '../packs/pack.ts'
import type { DamagedObject } from '../sql/objects/damaged-objects.ts'
import { type ObjectName, type ObjectPlace, objectKey } from '../sql/objects/objects.ts'
import type { ObjectIndex } from './object-index.ts'

/** A verified object; its pack is named for errors and repairs. */
export interface LoadedObject {
  /** Name of the object's pack. */
  pack: string
  raw: Uint8Array
}

/** Sources to load from. If `kept` has the raw bytes of a base, neither the base nor the chain beyond it is read. */
export interface LoadedFrom {
  index: ObjectIndex
  packs: PackSource
  kept: (kind: ObjectKind, hash: Hash) => Uint8Array | undefined
}

/** @throws ObjectMissingError if the index lacks the object; ObjectCorruptError, naming the object, if it or its chain is damaged. */
export async function loadObject(from: LoadedFrom, kind: ObjectKind, hash: Hash): Promise<LoadedObject> {
  try {
    return await loadOnce(from, kind, hash)
  } catch (error) {
    if (!(error instanceof ObjectCorruptError)) throw error
    // The cached location may be outdated: the object may have been replaced.
    from.index.forget(kind, hash)
    return loadOnce(from, kind, hash)
  }
}

async function loadOnce(from: LoadedFrom, kind: ObjectKind, hash: Hash): Promise<LoadedObject> {
  const [encoded] = await readEncoded(from, [{ kind, hash }])
  return { pack: encoded!.chain[0]!.pack, raw: await decodeEncoded(encoded!) }
}

/**
 * Those of the objects whose stored bytes, or those of a base, are damaged or missing. Reads the bytes of their chains without decoding
 * them. Objects that the index lacks are left out.
 */
export async function findDamaged(from: LoadedFrom, names: readonly ObjectName[]): Promise<DamagedObject[]> {
  try {
    return (await readEncoded(from, names)).filter((encoded) => !isAsStored(encoded)).map(placeOfDamage)
  } catch (error) {
    if (error instanceof ObjectMissingError && names.length === 1) return []
    if (error instanceof ObjectCorruptError && names.length === 1) return [error]
    if (!(error instanceof ObjectMissingError || error instanceof ObjectCorruptError)) throw error
  }
  const found: DamagedObject[] = []
  for (const name of names) found.push(...(await findDamaged(from, [name])))
  return found
}

const isAsStored = ({ chain }: EncodedObject): boolean =>
  chain.every(({ bytes, crc }) => crc32(bytes) === crc)

const placeOfDamage = ({ kind, hash, chain }: EncodedObject): DamagedObject => ({
  kind,
  hash,
  pack: chain[0]!.pack,
})

/**
 * Reads objects in stored form: one look-up in the index, then concurrent range reads for the objects and their bases. Adjacent ranges are
 * merged, and a shared base is read once.
 * @throws ObjectMissingError if the index lacks an object; ObjectCorruptError, naming the object, if the store lacks bytes that the index lists.
 */
export async function readEncoded(from: LoadedFrom, names: readonly ObjectName[]): Promise<EncodedObject[]> {
  const lacking = new Map<string, string>()
  for (;;) {
    const chains = await Promise.all(names.map(({ kind, hash }) => from.index.find(kind, hash)))
    try {
      return await readChains(from, chains)
    } catch (cause) {
      if (!(cause instanceof BlobMissingError)) throw cause
      // The pack is gone: a sweep moved the object since the look-up, or the object is lost.
      const lost = chains.find((chain) => chain.some(({ pack }) => pack === cause.blob))!
      const { kind, hash, pack } = lost[0]!
      const where = lost.map((place) => place.pack).join()
      if (lacking.get(objectKey({ kind, hash })) === where) throw new ObjectCorruptError(kind, hash, pack)
      lacking.set(objectKey({ kind, hash }), where)
      for (const place of lost) from.index.forget(kind, place.hash)
    }
  }
}

async function readChains(
  { packs, kept }: LoadedFrom,
  chains: readonly ObjectPlace[][],
): Promise<EncodedObject[]> {
  const wanted = chains.map((chain) => {
    let base: Uint8Array | undefined
    let end = 1
    while (end < chain.length && base === undefined) {
      base = kept(chain[end]!.kind, chain[end]!.hash)
      if (base === undefined) end++
    }
    return { places: chain.slice(0, end), base }
  })
  const read = await readPlaces(
    packs,
    wanted.flatMap(({ places }) => places),
  )
  let next = 0
  return wanted.map(({ places, base }) => {
    const { kind, hash, checksum } = places[0]!
    const chain = places.map(({ hash, pack, crc }) => ({ hash, pack, crc, bytes: read[next++]! }))
    return { kind, hash, checksum: kind === 'plain' ? hash : checksum!, chain, base }
  })
}

interface PlaceInPack extends Omit<ByteRange, 'start'> {
  /** Name of the pack in the blob store. */
  pack: string
  /** Offset in the pack. Bytes. */
  offset: number
}

/** Adjacent locations are merged into reads up to this size. Bytes. */
const readBytesMax = 4_194_304

/**
 * Bytes of each location, in the given order; views of the read bytes, shared by repeated locations. Merges adjacent ones and runs the
 * reads concurrently.
 * @throws BlobMissingError
 */
async function readPlaces(packs: PackSource, places: readonly PlaceInPack[]): Promise<Uint8Array[]> {
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
