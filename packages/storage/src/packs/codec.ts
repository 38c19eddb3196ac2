/**
 * Encoding of an object in a pack: one byte that names the encoding, the raw length as u32 little-endian, then
 *
 *     0  zstd frame of the raw bytes
 *     1  zstd frame of the raw bytes, with the raw bytes of the base as dictionary
 *     2  operations · zstd frame of the literals, with similar parts of the base as dictionary (`patch.ts`)
 *
 * 1 and 2 are deltas (content-model §8): decoding them needs the raw bytes of another object, their base. A large object with
 * mostly the same lines becomes a patch (2), whose cost is proportional to the changes: zstd (1) searches all of the unchanged part too and
 * takes ten times as long for a 1 % change of a typical body.
 *
 * The length lets zstd allocate its output at once: in chunks of its usual 64 KiB, a body would pass back and
 * forth between threads a dozen times.
 */
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { patchOf, type RawParts, readPatch } from './patch.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** content-model §8. At level 1, zstd does not find that most of a body is in its dictionary. */
const zstdLevel = 3
/** First byte of an encoded object: the encodings of the header above. Stored packs contain them. */
const plainZstd = 0
const deltaZstd = 1
const patchZstd = 2

/** The byte that names the encoding, and the raw length. */
const headerBytes = 5
/**
 * Frames up to this size are decoded on the calling thread: a typical body takes 0.3 ms, as much as handing it to another thread
 * and back costs the calling thread. Bytes of decoded content.
 */
const decodedAtOnceMax = 2_097_152
/**
 * Frames up to this size are encoded on the calling thread, which takes 0.08 ms. Handing one to another thread and back costs the calling
 * thread 0.1 ms and both threads 0.25 ms. Bytes of content and dictionary.
 */
const encodedAtOnceMax = 16_384
/** Combined size of an object and its base below which zstd is as fast for a delta as for a patch. Bytes. */
const patchedBytesMin = 16_384
/** Minimum size of zstd's output chunks, regardless of options. Bytes. */
const chunkBytesMin = 1_024

/**
 * Largest raw size of an object: the body of a full leaf, 8,192 records of 16 KiB, each with its line feed. Bytes.
 */
export const objectBytesMax = 8_192 * (16_384 + 1)

/** Combined size of a delta and its base: the largest window that zstd's decoders accept by default. Bytes. */
const deltaBytesMax = 2 ** 27
/** zstd ignores a shorter dictionary. Bytes. */
const dictionaryBytesMin = 8
/** zstd takes a dictionary with this prefix for one in its own format (its §5), not for plain content. */
const dictionaryMagic = Buffer.from([0x37, 0xa4, 0x30, 0xec])
/** Smallest window for a delta, as a power of two. */
const windowLogMin = 17
/** With a window of 2 MiB, the tables of level 3 with 2^17 entries still find the matches between typical bodies. */
const usualWindowLog = 21
const usualTableLog = 17
/** Tables of 4 MiB. They are zeroed for every object, which costs more than larger ones could save. */
const tableLogMax = 20

/** True if `raw` may be encoded as a delta to `base`. Holds for patches too: a patch's dictionary begins with the base's first bytes. */
export const mayBeDelta = (raw: Uint8Array, base: Uint8Array): boolean =>
  base.length >= dictionaryBytesMin &&
  raw.length + base.length <= deltaBytesMax &&
  !dictionaryMagic.equals(base.subarray(0, dictionaryMagic.length))

/** @param base Raw bytes of the delta's base, for which `mayBeDelta` holds. */
export async function encodeObject(raw: Uint8Array, base?: Uint8Array): Promise<Uint8Array> {
  const { head, content, dictionary } = encodingOf(raw, base)
  const options = compressionOf(content, dictionary)
  const isSmall = content.length + (dictionary?.length ?? 0) <= encodedAtOnceMax
  return Buffer.concat([
    head,
    isSmall ? zstdCompressSync(content, options) : await compress(content, options),
  ])
}

/** Like `encodeObject`, but always on the calling thread. */
export function encodeObjectHere(raw: Uint8Array, base?: Uint8Array): Uint8Array {
  const { head, content, dictionary } = encodingOf(raw, base)
  return Buffer.concat([head, zstdCompressSync(content, compressionOf(content, dictionary))])
}

/** The header before the frame, and the frame's input. */
interface Encoding {
  head: Uint8Array
  content: Uint8Array
  dictionary: Uint8Array | undefined
}

function encodingOf(raw: Uint8Array, base: Uint8Array | undefined): Encoding {
  if (base === undefined) return { head: headerOf(plainZstd, raw), content: raw, dictionary: undefined }
  const patch = raw.length + base.length < patchedBytesMin ? undefined : patchOf(raw, base)
  if (patch === undefined) return { head: headerOf(deltaZstd, raw), content: raw, dictionary: base }
  const head = Buffer.concat([headerOf(patchZstd, raw), patch.operations])
  return { head, content: patch.literals, dictionary: patch.like }
}

function headerOf(encoding: number, raw: Uint8Array): Uint8Array {
  const header = Buffer.allocUnsafe(headerBytes)
  header[0] = encoding
  header.writeUInt32LE(raw.length, 1)
  return header
}

function compressionOf(content: Uint8Array, dictionary: Uint8Array | undefined) {
  const params: Record<number, number> = { [constants.ZSTD_c_compressionLevel]: zstdLevel }
  if (dictionary !== undefined) Object.assign(params, deltaParams(content.length + dictionary.length))
  const chunkSize = Math.max(chunkBytesMin, Math.ceil(content.length / 4))
  return { params, chunkSize, ...(dictionary && { dictionary }) }
}

/** The window spans the object and its dictionary, and the tables grow with it. */
function deltaParams(bytes: number): Record<number, number> {
  const windowLog = Math.max(windowLogMin, 32 - Math.clz32(bytes))
  if (windowLog <= usualWindowLog) return { [constants.ZSTD_c_windowLog]: windowLog }
  const tableLog = Math.min(tableLogMax, usualTableLog + windowLog - usualWindowLog)
  return {
    [constants.ZSTD_c_windowLog]: windowLog,
    [constants.ZSTD_c_hashLog]: tableLog,
    [constants.ZSTD_c_chainLog]: tableLog,
  }
}

/**
 * @param base Raw bytes of a delta's base; undefined for an object without a base.
 * @throws Error if the encoding is unknown, the data is damaged or incomplete, or the object exceeds `rawLengthMax` bytes.
 */
export async function decodeObject(
  encoded: Uint8Array,
  rawLengthMax: number,
  base?: Uint8Array,
): Promise<Uint8Array> {
  const { frame, length, dictionary, finish } = contentOf(encoded, rawLengthMax, base)
  const options = decompressionOf(length, dictionary)
  const isSmall = length <= decodedAtOnceMax
  const content = isSmall ? zstdDecompressSync(frame, options) : await decompress(frame, options)
  return allOf(finish(whole(content, length)))
}

/** Like `decodeObject`, but always on the calling thread. */
export const decodeObjectHere = (encoded: Uint8Array, rawLengthMax: number, base?: Uint8Array): Uint8Array =>
  allOf(decodeParts(encoded, rawLengthMax, base))

/** Like `decodeObjectHere`, but a patch copies nothing of its base, and its base may be a patch. */
export function decodeParts(encoded: Uint8Array, rawLengthMax: number, base?: RawParts): RawParts {
  const { frame, length, dictionary, finish } = contentOf(encoded, rawLengthMax, base)
  return finish(whole(zstdDecompressSync(frame, decompressionOf(length, dictionary)), length))
}

const allOf = (raw: RawParts): Uint8Array => (raw instanceof Uint8Array ? raw : raw.subarray(0, raw.length))

/** The frame, its dictionary, and the function that completes the decoding. */
interface Content {
  frame: Uint8Array
  length: number
  dictionary: Uint8Array | undefined
  finish(content: Uint8Array): RawParts
}

function contentOf(encoded: Uint8Array, rawLengthMax: number, base: RawParts | undefined): Content {
  const encoding = encoded[0]
  const isExpected =
    base === undefined ? encoding === plainZstd : encoding === deltaZstd || encoding === patchZstd
  if (!isExpected) throw new Error(`The encoding is ${encoding ?? '(nothing)'}, not what its bases say.`)
  if (encoded.length < headerBytes) throw new Error('The encoding is cut off.')
  const rawLength = new DataView(encoded.buffer, encoded.byteOffset).getUint32(1, true)
  if (rawLength > rawLengthMax) throw new Error(`It says that it has ${rawLength} bytes.`)
  const frame = encoded.subarray(headerBytes)
  if (base === undefined || encoding !== patchZstd)
    return { frame, length: rawLength, dictionary: base && allOf(base), finish: (raw) => raw }
  const patch = readPatch(frame, base, rawLength)
  return {
    frame: frame.subarray(patch.length),
    length: patch.literalBytes,
    dictionary: patch.like,
    finish: patch.apply,
  }
}

const decompressionOf = (length: number, dictionary: Uint8Array | undefined) => ({
  chunkSize: Math.max(chunkBytesMin, length + 1),
  maxOutputLength: Math.max(1, length),
  ...(dictionary && { dictionary }),
})

function whole(content: Uint8Array, length: number): Uint8Array {
  if (content.length !== length) throw new Error(`It has ${content.length} bytes, not ${length}.`)
  return content
}
