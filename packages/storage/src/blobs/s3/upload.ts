/** Uploads of blobs: one request for a single part, otherwise a multipart upload that becomes visible with its last request. */
import { Readable } from 'node:stream'
import { HeadObjectCommand } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { answerOf, type Bucket, storeError } from './bucket.ts'
import { partBytes, s3BlobBytesMax } from './limits.ts'

/** Concurrent uploads of parts of one blob; each part stays in memory until the store has confirmed it. */
const partsAtOnce = 4

/**
 * A failure leaves at most parts of an upload that could not be aborted; opening a store a day later removes them. Rethrows errors
 * of the source unchanged.
 * @returns the number of bytes written.
 * @throws RangeError for more than `s3BlobBytesMax`; refusals of the store as translated by `storeError`.
 */
export async function upload(
  bucket: Bucket,
  blob: string,
  source: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<number> {
  const place = { Bucket: bucket.name, Key: bucket.key(blob) }
  const read: Read = { bytes: 0 }
  if (source instanceof Uint8Array) read.bytes = source.length
  const sending = new Upload({
    client: bucket.client,
    params: { ...place, Body: source instanceof Uint8Array ? source : Readable.from(copied(source, read)) },
    queueSize: partsAtOnce,
    partSize: partBytes,
  })
  let bytesStored = 0
  sending.on('httpUploadProgress', ({ loaded = 0 }) => {
    bytesStored = loaded
  })
  try {
    await sending.done()
  } catch (error) {
    // Prefer the source's error: the store may have failed as well, for instance when the upload was aborted.
    if (read.failure !== undefined) throw read.failure.error
    // The answer to the last request may have been lost. The retry then finds no such upload, because it is complete.
    const isLast = answerOf(error).code === 'NoSuchUpload' && bytesStored === read.bytes
    if (!isLast || (await sizeOf(bucket, place)) !== read.bytes) throw storeError(error)
  }
  return read.bytes
}

/** Bytes read from a source so far. */
interface Read {
  bytes: number
  failure?: { error: unknown }
}

/** Copies the pieces of a source, because the source may reuse a buffer once the next piece is requested. */
async function* copied(source: AsyncIterable<Uint8Array>, read: Read): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of source) {
      read.bytes += piece.length
      if (read.bytes > s3BlobBytesMax) throw new RangeError(`A blob of more than ${s3BlobBytesMax} bytes.`)
      try {
        yield Buffer.from(piece)
      } catch {
        // The upload has failed, needs no further pieces, and reports its own error.
        return
      }
    }
  } catch (error) {
    read.failure = { error }
    throw error
  }
}

async function sizeOf(
  { client }: Bucket,
  place: { Bucket: string; Key: string },
): Promise<number | undefined> {
  try {
    return (await client.send(new HeadObjectCommand(place))).ContentLength
  } catch (error) {
    if (answerOf(error).status === 404) return undefined
    throw storeError(error)
  }
}
