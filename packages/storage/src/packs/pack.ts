/**
 * Packs: one commit's objects, in one blob or a few. The index in the database can be rebuilt from their footers alone.
 *
 *     magic 'ULMUSPK\0' · format u32 = 1
 *     encoded objects, end to end
 *     footer: zstd of JSON lines [hash, kind, offset, length, crc, checksum or null, …hashes of the chain of bases]
 *     trailer: footer's offset u64 · footer's length u32 · SHA-256 of the footer as stored · magic
 *
 * Numbers are little-endian. Offsets and lengths are in bytes; offsets count from the start of the pack.
 */
import { crc32 } from 'node:zlib'
import { type Hash, hashBytes, parseHash, parseJson } from '@ulmus/content'
import type { BlobStore } from '../blobs/blob-store.ts'
import { BlobMissingError, type ObjectKind, PackCorruptError } from '../errors/stores.ts'
import { decodeObject, encodeObject } from './codec.ts'
import { Relay } from './relay.ts'

/** Location of an object in a pack. */
export interface PackEntry {
  hash: Hash
  kind: ObjectKind
  offset: number
  length: number
  /** CRC-32 of the encoded bytes. It detects every flipped bit, including those that decoding ignores. */
  crc: number
  /** SHA-256 of the decoded bytes for bodies; null for plain objects, whose name is this hash. */
  checksum: Hash | null
  /**
   * Objects of the same kind that decoding needs (content-model §8): this delta's base, its base, and so on, ending with an object
   * without a base. At most `basesMax`.
   */
  bases: readonly Hash[]
}

/** Maximum number of deltas in a chain (content-model §8). */
export const basesMax = 6

/** A pack in the store. */
export interface StoredPack {
  name: string
  bytes: number
  entries: PackEntry[]
  /** The whole pack if it is inline: recorded with its rows instead of in the blob store (see sql/objects/inline-packs.ts). */
  content?: Uint8Array
}

/** Source of packs: the blob store, or a substitute for packs that it lacks. */
export type PackSource = Pick<BlobStore, 'read' | 'size'>

/** Writes one pack. The caller must call `finish` or `abort`. */
export interface PackWriter {
  /** Bytes of header and objects written so far. */
  readonly bytes: number
  /** Resolves when `encoded` is copied and there is space for more; rejects if the store failed. Call it one at a time. */
  add(object: Omit<PackEntry, 'offset' | 'length' | 'crc'>, encoded: Uint8Array): Promise<void>
  /** The pack is durable when this resolves, unless it is inline. */
  finish(): Promise<StoredPack>
  /** Removes everything from the store. */
  abort(): Promise<void>
}

/** First and last bytes of every pack. A change of them, of `format` or of a length below makes stored packs unreadable. */
const magic = Buffer.from('ULMUSPK\0', 'latin1')
const format = 1
const headerBytes = magic.length + 4
const digestBytes = 32
const trailerBytes = 8 + 4 + digestBytes + magic.length
/** A pack up to this size is passed to the store whole, which takes a few system calls instead of some for every part. Bytes. */
const inlineBytesMax = 65_536
/** Enough for ten million objects of some 128 bytes each. */
const footerBytesMax = 2_147_483_647

/**
 * Starts a pack. Once it is no longer small, it streams into the store.
 * @param options.inline if true, a small pack is not put into the store but returned by `finish`
 */
export function writePack(
  blobs: BlobStore,
  name: string,
  { inline = false }: { inline?: boolean } = {},
): PackWriter {
  const header = Buffer.alloc(headerBytes)
  magic.copy(header)
  header.writeUInt32LE(format, magic.length)
  const entries: PackEntry[] = []
  let gathered: Uint8Array[] = [header]
  let offset = headerBytes
  let upload: Upload | undefined

  async function write(bytes: Uint8Array): Promise<void> {
    offset += bytes.length
    if (upload === undefined && offset <= inlineBytesMax) {
      gathered.push(new Uint8Array(bytes))
      return
    }
    if (upload === undefined) {
      upload = openUpload(blobs, name)
      const begin = Buffer.concat(gathered)
      gathered = []
      await upload.write(begin)
    }
    await upload.write(bytes)
  }

  return {
    get bytes() {
      return offset
    },
    async add(object, encoded) {
      entries.push({ ...object, offset, length: encoded.length, crc: crc32(encoded) })
      await write(encoded)
    },
    async finish() {
      const footer = await encodeFooter(entries)
      const place = offset
      await write(footer)
      await write(encodeTrailer(place, footer))
      if (upload !== undefined) return { name, bytes: await upload.finish(), entries }
      const content = Buffer.concat(gathered)
      if (inline) return { name, bytes: content.length, entries, content }
      return { name, bytes: await blobs.put(name, content), entries }
    },
    async abort() {
      await upload?.abort()
    },
  }
}

interface Upload {
  write(bytes: Uint8Array): Promise<void>
  /** Returns the size of the blob, which is then durable. Bytes. */
  finish(): Promise<number>
  abort(): Promise<void>
}

function openUpload(blobs: BlobStore, name: string): Upload {
  const relay = new Relay()
  const stored = blobs.put(name, relay.pieces())
  // The next call reports the rejection.
  stored.catch(() => undefined)
  return {
    write: (bytes) => relay.write(bytes, stored),
    async finish() {
      await relay.end(stored)
      return stored
    },
    async abort() {
      relay.fail(new Error('The pack was given up.'))
      await stored.catch(() => undefined)
    },
  }
}

async function encodeFooter(entries: readonly PackEntry[]): Promise<Uint8Array> {
  const lines = entries.map(({ hash, kind, offset, length, crc, checksum, bases }) =>
    JSON.stringify([hash, kind, offset, length, crc, checksum, ...bases]),
  )
  return encodeObject(Buffer.from(lines.join('\n')))
}

function encodeTrailer(offset: number, footer: Uint8Array): Uint8Array {
  const trailer = Buffer.alloc(trailerBytes)
  trailer.writeBigUInt64LE(BigInt(offset), 0)
  trailer.writeUInt32LE(footer.length, 8)
  trailer.write(hashBytes(footer), 12, 'hex')
  magic.copy(trailer, 12 + digestBytes)
  return trailer
}

/**
 * Reads the entries of a pack from its footer.
 * @throws PackCorruptError if any byte outside the objects is damaged; BlobMissingError if there is no such pack.
 */
export async function readFooter(packs: PackSource, name: string): Promise<StoredPack> {
  const bytes = await packs.size(name)
  if (bytes === undefined) throw new BlobMissingError(name)
  if (bytes < headerBytes + trailerBytes) throw new PackCorruptError(name, 'it is too short')
  const header = Buffer.from(await packs.read(name, { start: 0, length: headerBytes }))
  if (!header.subarray(0, magic.length).equals(magic))
    throw new PackCorruptError(name, 'it does not begin as a pack')
  if (header.readUInt32LE(magic.length) !== format) throw new PackCorruptError(name, 'its format is unknown')
  const trailer = Buffer.from(await packs.read(name, { start: bytes - trailerBytes, length: trailerBytes }))
  if (!trailer.subarray(12 + digestBytes).equals(magic))
    throw new PackCorruptError(name, 'it does not end as a pack')
  const start = Number(trailer.readBigUInt64LE(0))
  const length = trailer.readUInt32LE(8)
  if (start + length + trailerBytes !== bytes)
    throw new PackCorruptError(name, 'its footer is not where it should be')
  const footer = await packs.read(name, { start, length })
  if (hashBytes(footer) !== trailer.toString('hex', 12, 12 + digestBytes)) {
    throw new PackCorruptError(name, 'its footer does not match its checksum')
  }
  return { name, bytes, entries: await decodeFooter(name, footer) }
}

async function decodeFooter(name: string, footer: Uint8Array): Promise<PackEntry[]> {
  try {
    const text = Buffer.from(await decodeObject(footer, footerBytesMax)).toString('utf8')
    return text === '' ? [] : text.split('\n').map(parseEntry)
  } catch (error) {
    throw new PackCorruptError(name, 'its footer does not read', { cause: error })
  }
}

function parseEntry(line: string): PackEntry {
  const [hash, kind, offset, length, crc, checksum, ...bases] = parseJson(line) as unknown[]
  const known = kind === 'plain' || kind === 'body'
  const numbers = [offset, length, crc].every((number) => Number.isSafeInteger(number))
  if (!known || !numbers || bases.length > basesMax) throw new Error(`"${line}" is no entry.`)
  return {
    hash: hashOf(hash),
    kind,
    offset: offset as number,
    length: length as number,
    crc: crc as number,
    checksum: checksum === null ? null : hashOf(checksum),
    bases: bases.map(hashOf),
  }
}

function hashOf(value: unknown): Hash {
  const hash = typeof value === 'string' ? parseHash(value) : undefined
  if (hash === undefined) throw new Error(`${JSON.stringify(value)} is no hash.`)
  return hash
}
