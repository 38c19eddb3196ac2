/**
 * Blobs as objects in a bucket of Amazon S3 or a server that speaks as it does. A put is one request or, from the second part on,
 * a multipart upload, of which nothing is seen before its last request. What a crash leaves of one costs room and nothing else;
 * it is given up when a store is opened a day later.
 */
import { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { BlobStore, ByteRange, ListedBlob } from './blob-store.ts'
import { BlobMissing, StoreUnavailable } from './errors.ts'
import { isName } from './names.ts'
import { answerOf, type Bucket, bucketOf, type S3Settings, storeError } from './s3-bucket.ts'
import { partBytes } from './s3-limits.ts'
import { streamFrom } from './s3-read.ts'
import { abortUploads, checkBucket } from './s3-start.ts'

/** Parts of one blob under way at once. */
const partsAtOnce = 3
/** No put takes that long; an upload begun before belongs to no one. */
const leftoverMillisecondsMin = 86_400_000
const pingMillisecondsMax = 2_000

/**
 * Opens the store, having checked that the bucket can be listed, written and read, and removed what crashes left of uploads more
 * than a day ago.
 * @throws BucketUnusable when it is missing, forbidden or out of reach.
 */
export async function openS3Store(settings: S3Settings): Promise<BlobStore> {
  const bucket = bucketOf(settings)
  const { client, name: Bucket } = bucket
  try {
    await checkBucket(bucket)
  } catch (error) {
    client.destroy()
    throw error
  }
  await abortUploads(bucket, new Date(Date.now() - leftoverMillisecondsMin))

  async function size(name: string): Promise<number | undefined> {
    const command = new HeadObjectCommand({ Bucket, Key: bucket.key(name) })
    try {
      return (await client.send(command)).ContentLength
    } catch (error) {
      if (answerOf(error).status !== 404) throw storeError(error)
    }
    // The answer has no body to say whether the blob or the whole bucket is missing.
    await headBucket(bucket)
    return undefined
  }

  async function* stream(name: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    if (range?.length !== 0) return yield* streamFrom(bucket, name, range)
    const bytes = await size(name)
    if (bytes === undefined || bytes < range.start) throw new BlobMissing(name)
  }

  return {
    put: (name, source) => put(bucket, name, source),
    stream,
    async read(name, range) {
      const chunks: Uint8Array[] = []
      for await (const chunk of stream(name, range)) chunks.push(chunk)
      return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    },
    size,
    async remove(name) {
      await sent(client.send(new DeleteObjectCommand({ Bucket, Key: bucket.key(name) })))
    },
    list: (prefix) => listBlobs(bucket, prefix),
    ping: () => headBucket(bucket, AbortSignal.timeout(pingMillisecondsMax)),
    close: async () => client.destroy(),
  }
}

/** When a source fails, its error is told, whatever else went wrong meanwhile. */
async function put(
  bucket: Bucket,
  name: string,
  source: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<number> {
  let bytes = 0
  let failure: { error: unknown } | undefined
  /** Step by step: an error thrown in from outside, when the upload has failed, is none of the source's. */
  async function* counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const from = chunks[Symbol.asyncIterator]()
    try {
      while (true) {
        const step = await from.next().catch((error: unknown) => {
          failure = { error }
          throw error
        })
        if (step.done) return
        bytes += step.value.length
        yield step.value
      }
    } finally {
      await from.return?.()
    }
  }
  const whole = source instanceof Uint8Array
  const upload = new Upload({
    client: bucket.client,
    params: {
      Bucket: bucket.name,
      Key: bucket.key(name),
      Body: whole ? source : Readable.from(counted(source)),
    },
    partSize: partBytes,
    queueSize: partsAtOnce,
  })
  try {
    await upload.done()
  } catch (error) {
    throw failure === undefined ? storeError(error) : failure.error
  }
  return whole ? source.length : bytes
}

/** @param pageMax Blobs asked for at once, at most 1,000. Fewer in tests. */
export async function* listBlobs(
  bucket: Bucket,
  prefix: string,
  pageMax = 1_000,
): AsyncGenerator<ListedBlob> {
  let token: string | undefined
  do {
    const command = new ListObjectsV2Command({
      Bucket: bucket.name,
      Prefix: `${bucket.prefix}${prefix}`,
      ContinuationToken: token,
      MaxKeys: pageMax,
    })
    const page = await sent(bucket.client.send(command))
    for (const { Key, Size, LastModified } of page.Contents ?? []) {
      if (Key === undefined || Size === undefined || LastModified === undefined)
        throw new StoreUnavailable('it lists blobs without their sizes or times.')
      const name = Key.slice(bucket.prefix.length)
      // What others put beside ours, such as the markers that consoles make for folders.
      if (isName(name)) yield { name, bytes: Size, modifiedAt: LastModified }
    }
    token = page.IsTruncated ? page.NextContinuationToken : undefined
  } while (token !== undefined)
}

async function headBucket({ client, name }: Bucket, abortSignal?: AbortSignal): Promise<void> {
  try {
    await client.send(new HeadBucketCommand({ Bucket: name }), { abortSignal })
  } catch (error) {
    if (answerOf(error).status !== 404) throw storeError(error)
    throw new StoreUnavailable(`the bucket ${name} is gone.`, { cause: error })
  }
}

/** For requests about no blob in particular. */
async function sent<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw storeError(error)
  }
}
