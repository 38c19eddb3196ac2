/** Bytes of objects out of their packs: the whole chain of a delta read at once, decoded from its far end, and checked. */
import { crc32 } from 'node:zlib'
import { type Hash, hashBytes } from '@ulmus/content'
import type { ObjectPlace } from '../sql/objects.ts'
import type { BlobStore } from './blob-store.ts'
import { decodeObject, objectBytesMax } from './codec.ts'
import { BlobMissing, ObjectCorrupt, type ObjectKind } from './errors.ts'
import type { ObjectIndex } from './object-index.ts'

export interface LoadedObject {
  /** The pack it lies in. */
  pack: string
  raw: Uint8Array
}

/**
 * Loads an object: one look-up in the index, then one range read for it and each of its bases, side by side. A base of which
 * `kept` has the raw bytes is not read, and nothing beyond it.
 * @throws ObjectMissing when the index does not hold it; ObjectCorrupt, naming it, when anything of it or its chain is damaged.
 */
export async function loadObject(
  from: {
    index: ObjectIndex
    blobs: BlobStore
    kept: (kind: ObjectKind, hash: Hash) => Uint8Array | undefined
  },
  kind: ObjectKind,
  hash: Hash,
): Promise<LoadedObject> {
  for (let former: ObjectPlace[] | undefined; ; ) {
    const chain = await from.index.find(kind, hash)
    const place = chain[0]!
    // Absent where the index says it is: moved by a sweep since the index was asked, or gone.
    if (former?.every(({ pack }, i) => pack === chain[i]?.pack))
      throw new ObjectCorrupt(kind, hash, place.pack)
    try {
      const raw = await decodeChain(from, chain)
      if (hashBytes(raw) === (kind === 'plain' ? hash : place.checksum)) return { pack: place.pack, raw }
    } catch (cause) {
      if (!(cause instanceof BlobMissing)) throw failure(cause, place)
      former = chain
      for (const one of chain) from.index.forget(kind, one.hash)
      continue
    }
    throw new ObjectCorrupt(kind, hash, place.pack)
  }
}

/** What a store that is away says is no damage. */
function failure(cause: unknown, { kind, hash, pack }: ObjectPlace): unknown {
  return cause instanceof Undecodable ? new ObjectCorrupt(kind, hash, pack, { cause }) : cause
}

class Undecodable extends Error {
  override name = 'Undecodable'
}

async function decodeChain(
  { blobs, kept }: { blobs: BlobStore; kept: (kind: ObjectKind, hash: Hash) => Uint8Array | undefined },
  chain: readonly ObjectPlace[],
): Promise<Uint8Array> {
  let raw: Uint8Array | undefined
  let end = 1
  while (end < chain.length && raw === undefined) {
    raw = kept(chain[end]!.kind, chain[end]!.hash)
    if (raw === undefined) end++
  }
  const encodings = await Promise.all(
    chain.slice(0, end).map(({ pack, offset, length }) => blobs.read(pack, { start: offset, length })),
  )
  for (let i = end - 1; i >= 0; i--) {
    const { crc, hash, pack } = chain[i]!
    if (crc32(encodings[i]!) !== crc) throw new Undecodable(`The bytes of ${hash} in ${pack} are others.`)
    raw = await decodeObject(encodings[i]!, objectBytesMax, raw).catch((cause: unknown) => {
      throw new Undecodable(`${hash} in ${pack} does not decode.`, { cause })
    })
  }
  return raw!
}
