/** How an object is encoded in a pack: one byte that names the encoding, then the encoded bytes. */
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** content-model §8. */
const zstdLevel = 3
/** Encoding 0: one zstd frame. */
const plainZstd = 0

/**
 * No object is larger, raw. The largest is the body of a full leaf: 8,192 records of 16 KiB, each with its line feed. Bytes.
 */
export const objectBytesMax = 8_192 * (16_384 + 1)

export async function encodeObject(raw: Uint8Array): Promise<Uint8Array> {
  const frame = await compress(raw, { params: { [constants.ZSTD_c_compressionLevel]: zstdLevel } })
  const encoded = new Uint8Array(frame.length + 1)
  encoded[0] = plainZstd
  encoded.set(frame, 1)
  return encoded
}

/** @throws Error when the encoding is unknown, the frame is damaged or incomplete, or it holds more than `rawLengthMax` bytes. */
export async function decodeObject(encoded: Uint8Array, rawLengthMax: number): Promise<Uint8Array> {
  if (encoded[0] !== plainZstd) throw new Error(`Unknown encoding ${encoded[0] ?? '(nothing)'}.`)
  return decompress(encoded.subarray(1), { maxOutputLength: rawLengthMax })
}
