/**
 * How an object is encoded in a pack: one byte that names the encoding, the raw length as u32 little-endian, then
 *
 *     0  zstd frame of the raw bytes
 *     1  zstd frame of the raw bytes, with the raw bytes of the base as dictionary
 *     2  operations · zstd frame of the literals, with what these are like as dictionary (`patch.ts`)
 *
 * 1 and 2 are deltas (content-model §8): decoding them needs the raw bytes of another object again, their base. What is large and
 * mostly the same lines is a patch (2), which costs the time of what changed: finding again with zstd all that did not (1) takes ten
 * times as long for 1 % of a usual body.
 *
 * Knowing the length, zstd is given room for all of its output at once: in pieces of its usual 64 KiB, a body would go back and
 * forth between threads a dozen times.
 */
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { patchOf, readPatch } from './patch.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** content-model §8. At level 1 zstd does not find that most of a body is in its dictionary. */
const zstdLevel = 3
const plainZstd = 0
const deltaZstd = 1
const patchZstd = 2

const headerBytes = 5
/**
 * Up to this size a frame is decoded on the calling thread: 0.3 ms for a usual body, which is what handing it to another thread
 * and back costs this one, too. Bytes of what it holds.
 */
const decodedAtOnceMax = 2_097_152
/**
 * Up to this size a frame is encoded on the calling thread: 0.08 ms, where handing it to another thread and back costs this one
 * 0.1 ms and both together 0.25 ms. Bytes of what it holds and of its dictionary.
 */
const encodedAtOnceMax = 16_384
/** Below this size, an object and its base together, zstd takes no longer for a delta than for a patch. Bytes. */
const patchedBytesMin = 16_384
/** Minimum size of zstd's output chunks, regardless of options. Bytes. */
const chunkBytesMin = 1_024

/**
 * No object is larger, raw. The largest is the body of a full leaf: 8,192 records of 16 KiB, each with its line feed. Bytes.
 */
export const objectBytesMax = 8_192 * (16_384 + 1)

/** An object and its base together, when one is a delta: what zstd's decoders grant a window without being asked. Bytes. */
const deltaBytesMax = 2 ** 27
/** zstd ignores a shorter dictionary. Bytes. */
const dictionaryBytesMin = 8
/** A dictionary that begins so is taken for one of zstd's own format (its §5), not for plain content. */
const dictionaryMagic = Buffer.from([0x37, 0xa4, 0x30, 0xec])
const windowLogMin = 17
/** At a window of 2 MiB, the tables of level 3 with 2^17 entries still find the matches between usual bodies. */
const usualWindowLog = 21
const usualTableLog = 17
/** Tables of 4 MiB. They are zeroed for every object, which costs more than larger ones could save. */
const tableLogMax = 20

/** Whether `raw` may be encoded as a delta to `base`. A patch's dictionary begins as its base does, so the same holds for it. */
export const mayBeDelta = (raw: Uint8Array, base: Uint8Array): boolean =>
  base.length >= dictionaryBytesMin &&
  raw.length + base.length <= deltaBytesMax &&
  !dictionaryMagic.equals(base.subarray(0, dictionaryMagic.length))

/** @param base Raw bytes of the object that a delta is to, for which `mayBeDelta` holds. */
export async function encodeObject(raw: Uint8Array, base?: Uint8Array): Promise<Uint8Array> {
  const { head, content, dictionary } = encodingOf(raw, base)
  const options = compressionOf(content, dictionary)
  const isSmall = content.length + (dictionary?.length ?? 0) <= encodedAtOnceMax
  return Buffer.concat([
    head,
    isSmall ? zstdCompressSync(content, options) : await compress(content, options),
  ])
}

/** The same on the calling thread, whatever the size. */
export function encodeObjectHere(raw: Uint8Array, base?: Uint8Array): Uint8Array {
  const { head, content, dictionary } = encodingOf(raw, base)
  return Buffer.concat([head, zstdCompressSync(content, compressionOf(content, dictionary))])
}

/** Header before the frame, and input of the frame. */
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

/** The window reaches from the end of the object back to the start of its dictionary, and the tables grow with it. */
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
 * @param base Raw bytes of a delta's base; undefined for an object that stands alone.
 * @throws Error when the encoding is another, anything of it is damaged or incomplete, or it holds more than `rawLengthMax` bytes.
 */
export async function decodeObject(
  encoded: Uint8Array,
  rawLengthMax: number,
  base?: Uint8Array,
): Promise<Uint8Array> {
  const { frame, length, dictionary, finish } = contentOf(encoded, rawLengthMax, base)
  const options = decompressionOf(length, dictionary)
  const isSmall = length <= decodedAtOnceMax
  return finish(
    whole(isSmall ? zstdDecompressSync(frame, options) : await decompress(frame, options), length),
  )
}

/** The same on the calling thread, whatever the size. */
export function decodeObjectHere(encoded: Uint8Array, rawLengthMax: number, base?: Uint8Array): Uint8Array {
  const { frame, length, dictionary, finish } = contentOf(encoded, rawLengthMax, base)
  return finish(whole(zstdDecompressSync(frame, decompressionOf(length, dictionary)), length))
}

/** Content of the frame, its dictionary, and the decoded result. */
interface Content {
  frame: Uint8Array
  length: number
  dictionary: Uint8Array | undefined
  finish(content: Uint8Array): Uint8Array
}

function contentOf(encoded: Uint8Array, rawLengthMax: number, base: Uint8Array | undefined): Content {
  const encoding = encoded[0]
  const isExpected =
    base === undefined ? encoding === plainZstd : encoding === deltaZstd || encoding === patchZstd
  if (!isExpected) throw new Error(`The encoding is ${encoding ?? '(nothing)'}, not what its bases say.`)
  if (encoded.length < headerBytes) throw new Error('The encoding is cut off.')
  const rawLength = new DataView(encoded.buffer, encoded.byteOffset).getUint32(1, true)
  if (rawLength > rawLengthMax) throw new Error(`It says that it has ${rawLength} bytes.`)
  const frame = encoded.subarray(headerBytes)
  if (base === undefined || encoding !== patchZstd)
    return { frame, length: rawLength, dictionary: base, finish: (raw) => raw }
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
