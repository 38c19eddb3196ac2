/**
 * How an object is encoded in a pack: one byte that names the encoding, the raw length as u32 little-endian, then one zstd frame.
 * A delta (content-model §8) is a frame whose dictionary is the raw bytes of another object, which decoding needs again.
 *
 * Knowing the length, zstd is given room for all of its output at once: in pieces of its usual 64 KiB, a body would go back and
 * forth between threads a dozen times.
 */
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** content-model §8. At level 1 zstd does not find that most of a body is in its dictionary. */
const zstdLevel = 3
/** Encoding 0: a frame that stands alone. */
const plainZstd = 0
/** Encoding 1: a frame with a dictionary. */
const deltaZstd = 1

const headerBytes = 5
/**
 * Up to this size an object is decoded on the calling thread: 0.3 ms for a usual body, which is what handing it to another thread
 * and back costs this one, too. Bytes, raw.
 */
const decodedAtOnceMax = 2_097_152
/**
 * Up to this size an object is encoded on the calling thread: 0.08 ms, where handing it to another thread and back costs this one
 * 0.1 ms and both together 0.25 ms. Bytes, raw.
 */
const encodedAtOnceMax = 16_384
/** What zstd takes for its output at least, whatever it is told. Bytes. */
const chunkBytesMin = 1_024

/**
 * No object is larger, raw. The largest is the body of a full leaf: 8,192 records of 16 KiB, each with its line feed. Bytes.
 */
export const objectBytesMax = 8_192 * (16_384 + 1)

/** An object and its dictionary together, when one is a delta: what zstd's decoders grant a window without being asked. Bytes. */
const deltaBytesMax = 2 ** 27
/** zstd ignores a shorter dictionary. Bytes. */
const dictionaryBytesMin = 8
/** A dictionary that begins so is taken for one of zstd's own format (its §5), not for plain content. */
const dictionaryMagic = Buffer.from([0x37, 0xa4, 0x30, 0xec])
const windowLogMin = 17
/** Where level 3 has a window of 2 MiB, its tables of 2^17 entries find again what a usual body has in common with another. */
const usualWindowLog = 21
const usualTableLog = 17
/** Tables of 4 MiB. They are zeroed for every object, which costs more than larger ones could save. */
const tableLogMax = 20

/** Whether `raw` may be encoded with `dictionary`. */
export const mayBeDelta = (raw: Uint8Array, dictionary: Uint8Array): boolean =>
  dictionary.length >= dictionaryBytesMin &&
  raw.length + dictionary.length <= deltaBytesMax &&
  !dictionaryMagic.equals(dictionary.subarray(0, dictionaryMagic.length))

/** @param dictionary Raw bytes of the object that a delta is to, for which `mayBeDelta` holds. */
export async function encodeObject(raw: Uint8Array, dictionary?: Uint8Array): Promise<Uint8Array> {
  if (raw.length + (dictionary?.length ?? 0) <= encodedAtOnceMax) return encodeObjectHere(raw, dictionary)
  return withHeader(raw, await compress(raw, compressionOf(raw, dictionary)), dictionary)
}

/** The same on the calling thread, whatever the size. */
export function encodeObjectHere(raw: Uint8Array, dictionary?: Uint8Array): Uint8Array {
  return withHeader(raw, zstdCompressSync(raw, compressionOf(raw, dictionary)), dictionary)
}

function compressionOf(raw: Uint8Array, dictionary: Uint8Array | undefined) {
  const params: Record<number, number> = { [constants.ZSTD_c_compressionLevel]: zstdLevel }
  if (dictionary !== undefined) Object.assign(params, deltaParams(raw.length + dictionary.length))
  const chunkSize = Math.max(chunkBytesMin, Math.ceil(raw.length / 4))
  return { params, chunkSize, ...(dictionary && { dictionary }) }
}

function withHeader(raw: Uint8Array, frame: Uint8Array, dictionary: Uint8Array | undefined): Uint8Array {
  const header = Buffer.allocUnsafe(headerBytes)
  header[0] = dictionary === undefined ? plainZstd : deltaZstd
  header.writeUInt32LE(raw.length, 1)
  return Buffer.concat([header, frame])
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
 * @param dictionary That of a delta; undefined for what stands alone.
 * @throws Error when the encoding is another, the frame is damaged or incomplete, or it holds more than `rawLengthMax` bytes.
 */
export async function decodeObject(
  encoded: Uint8Array,
  rawLengthMax: number,
  dictionary?: Uint8Array,
): Promise<Uint8Array> {
  const { frame, rawLength, options } = frameOf(encoded, rawLengthMax, dictionary)
  if (rawLength <= decodedAtOnceMax) return whole(zstdDecompressSync(frame, options), rawLength)
  return whole(await decompress(frame, options), rawLength)
}

/** The same on the calling thread, whatever the size. */
export function decodeObjectHere(
  encoded: Uint8Array,
  rawLengthMax: number,
  dictionary?: Uint8Array,
): Uint8Array {
  const { frame, rawLength, options } = frameOf(encoded, rawLengthMax, dictionary)
  return whole(zstdDecompressSync(frame, options), rawLength)
}

function frameOf(encoded: Uint8Array, rawLengthMax: number, dictionary: Uint8Array | undefined) {
  const expected = dictionary === undefined ? plainZstd : deltaZstd
  if (encoded[0] !== expected)
    throw new Error(`The encoding is ${encoded[0] ?? '(nothing)'}, not ${expected}.`)
  if (encoded.length < headerBytes) throw new Error('The encoding is cut off.')
  const rawLength = new DataView(encoded.buffer, encoded.byteOffset).getUint32(1, true)
  if (rawLength > rawLengthMax) throw new Error(`It says that it has ${rawLength} bytes.`)
  const options = {
    chunkSize: Math.max(chunkBytesMin, rawLength + 1),
    maxOutputLength: Math.max(1, rawLength),
    ...(dictionary && { dictionary }),
  }
  return { frame: encoded.subarray(headerBytes), rawLength, options }
}

function whole(raw: Uint8Array, length: number): Uint8Array {
  if (raw.length !== length) throw new Error(`It has ${raw.length} bytes, not ${length}.`)
  return raw
}
