/**
 * Stored form of an object, as read from its packs: with all bases and checksums, so that a worker thread can decode and verify it without
 * a store.
 */
import { crc32 } from 'node:zlib'
import { type Hash, hashBytes } from '@ulmus/content'
import { ObjectCorrupt, type ObjectKind } from '../errors/stores.ts'
import { decodeObject, decodeObjectHere, objectBytesMax } from './codec.ts'

export { ObjectCorrupt }

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

type Decode = (bytes: Uint8Array, rawLengthMax: number, base?: Uint8Array) => Uint8Array | Promise<Uint8Array>

export interface DecodingOptions {
  /** True if decoding may block the calling thread, even for large objects. */
  mayHoldUp?: boolean
  /** The reader checks every part that it uses against a hash, so the whole is not verified. */
  isCheckedInParts?: boolean
}

/** Raw bytes of an object; see `decodeChain`. */
export const decodeEncoded = async (
  encoded: EncodedObject,
  options: DecodingOptions = {},
): Promise<Uint8Array> => (await decodeChain(encoded, options))[0]!

/**
 * Decodes a chain from its far end and verifies it. Returns the raw bytes of every link, the object's own first.
 * @throws ObjectCorrupt, naming the object, if it or its chain is damaged.
 */
export async function decodeChain(
  { kind, hash, checksum, chain, base }: EncodedObject,
  options: DecodingOptions = {},
): Promise<Uint8Array[]> {
  const decode: Decode = options.mayHoldUp ? decodeObjectHere : decodeObject
  const damaged = (why?: unknown) => new ObjectCorrupt(kind, hash, chain[0]!.pack, { cause: why })
  const raws: Uint8Array[] = []
  for (const link of chain.toReversed()) {
    if (crc32(link.bytes) !== link.crc)
      throw damaged(new Error(`The bytes of ${link.hash} in ${link.pack} are others.`))
    try {
      raws.unshift(await decode(link.bytes, objectBytesMax, raws[0] ?? base))
    } catch (cause) {
      throw damaged(new Error(`${link.hash} in ${link.pack} does not decode.`, { cause }))
    }
  }
  if (!options.isCheckedInParts && hashBytes(raws[0]!) !== checksum) throw damaged()
  return raws
}
