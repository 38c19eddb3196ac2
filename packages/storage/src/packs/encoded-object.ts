/**
 * Stored form of an object, as read from its packs: with all bases and checksums, so that a worker thread can decode and verify it without
 * a store.
 */
import { crc32 } from 'node:zlib'
import { type Hash, hashBytes } from '@ulmus/content'
import { ObjectCorruptError, type ObjectKind } from '../errors/stores.ts'
import { decodeObject, decodeObjectHere, decodeParts, objectBytesMax } from './codec.ts'
import type { RawParts } from './patch.ts'

export { ObjectCorruptError, type RawParts }

/** One link of an object's chain. */
export interface EncodedLink {
  hash: Hash
  pack: string
  /** Expected CRC-32 of the bytes. */
  crc: number
  bytes: Uint8Array
}

/** An object in stored form, for `decodeEncoded`. */
export interface EncodedObject {
  kind: ObjectKind
  hash: Hash
  /** Expected SHA-256 of the decoded bytes. */
  checksum: Hash
  /** The object's own encoding, then those of its bases, nearest first. */
  chain: EncodedLink[]
  /** Raw bytes of the last link's base; undefined if that link has none. */
  base: Uint8Array | undefined
}

export interface DecodingOptions {
  /** True if decoding may block the calling thread, even for large objects. */
  mayHoldUp?: boolean
}

/** Raw bytes of an object; see `decodeChain`. */
export const decodeEncoded = async (
  encoded: EncodedObject,
  options: DecodingOptions = {},
): Promise<Uint8Array> => (await decodeChain(encoded, options))[0]!

/**
 * Decodes a chain from its far end and verifies it. Returns the raw bytes of every link, the object's own first.
 * @throws ObjectCorruptError, naming the object, if it or its chain is damaged.
 */
export async function decodeChain(
  encoded: EncodedObject,
  options: DecodingOptions = {},
): Promise<Uint8Array[]> {
  const decode = options.mayHoldUp ? decodeObjectHere : decodeObject
  const raws: Uint8Array[] = []
  for (const link of encoded.chain.toReversed()) {
    checkBytes(encoded, link)
    try {
      raws.unshift(await decode(link.bytes, objectBytesMax, raws[0] ?? encoded.base))
    } catch (cause) {
      throw notDecoding(encoded, link, cause)
    }
  }
  if (hashBytes(raws[0]!) !== encoded.checksum) throw damaged(encoded)
  return raws
}

/**
 * Like `decodeChain`, on the calling thread, for a reader of a few parts: copies only the parts that are read, and does not verify the
 * whole. The reader must check every part against a hash.
 */
export function decodeChainInParts(encoded: EncodedObject): RawParts[] {
  const raws: RawParts[] = []
  for (const link of encoded.chain.toReversed()) {
    checkBytes(encoded, link)
    try {
      raws.unshift(decodeParts(link.bytes, objectBytesMax, raws[0] ?? encoded.base))
    } catch (cause) {
      throw notDecoding(encoded, link, cause)
    }
  }
  return raws
}

const damaged = ({ kind, hash, chain }: EncodedObject, cause?: unknown) =>
  new ObjectCorruptError(kind, hash, chain[0]!.pack, { cause })

function checkBytes(encoded: EncodedObject, { hash, pack, crc, bytes }: EncodedLink): void {
  if (crc32(bytes) !== crc) throw damaged(encoded, new Error(`The bytes of ${hash} in ${pack} are others.`))
}

const notDecoding = (encoded: EncodedObject, { hash, pack }: EncodedLink, cause: unknown) =>
  damaged(encoded, new Error(`${hash} in ${pack} does not decode.`, { cause }))
