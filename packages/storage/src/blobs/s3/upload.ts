/** Uploads of blobs: one request, or from the second part on a multipart upload, invisible until its last request. */
import { Readable } from 'node:stream'
import { HeadObjectCommand } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { answerOf, type Bucket, storeError } from './bucket.ts'
import { partBytes, s3BlobBytesMax } from './limits.ts'

/** Parts of one blob under way at once; each is kept in memory until the store has it. */
const partsAtOnce = 4

/**
 * A failure leaves at most parts of an upload that could not be aborted; opening a store a day later removes them. Rethrows errors
 * of the source unchanged.
 * @returns the bytes written.
 * @throws RangeError for more than `s3BlobBytesMax`; what `storeError` makes of the store's refusals.
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
    // The store may have failed as well, for instance to give the upload up.
    if (read.failure !== undefined) throw read.failure.error
    // The answer to the last request may have been lost. Asked again, the store knows no such upload, because it is complete.
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

/** Copies the pieces of a source, which may reuse a piece once the next is requested. */
async function* copied(source: AsyncIterable<Uint8Array>, read: Read): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of source) {
      read.bytes += piece.length
      if (read.bytes > s3BlobBytesMax) throw new RangeError(`A blob of more than ${s3BlobBytesMax} bytes.`)
      try {
        yield Buffer.from(piece)
      } catch {
        // The upload has failed and needs no more; it says itself why.
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
