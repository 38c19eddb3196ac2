/**
 * Blobs as objects in a bucket of Amazon S3 or a compatible server. An upload that a crash interrupts costs only space; it is
 * aborted when a server opens the store more than a day later.
 */
import {
  DeleteObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import { BlobMissingError, StoreUnavailableError } from '../../errors/stores.ts'
import type { BlobStore, ByteRange, ListedBlob } from '../blob-store.ts'
import { isName } from '../names.ts'
import { answerOf, type Bucket, bucketOf, type S3Settings, storeError, told } from './bucket.ts'
import { streamFrom } from './read.ts'
import { abortUploads, checkBucket } from './start.ts'
import { upload } from './upload.ts'

/** Age of abandoned uploads: no `put` takes this long. Milliseconds. */
const abandonedMillisecondsMin = 86_400_000
/** Timeout of `ping`, with which a health check must answer in time. Milliseconds. */
const pingMillisecondsMax = 2_000

/**
 * Opens the store: checks that the bucket can be listed, written and read, and removes uploads that crashes left unfinished more
 * than a day ago.
 * @throws BucketUnusableError if the bucket is missing, forbidden or unreachable.
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
  await abortUploads(bucket, new Date(Date.now() - abandonedMillisecondsMin))

  async function size(name: string): Promise<number | undefined> {
    const command = new HeadObjectCommand({ Bucket, Key: bucket.key(name) })
    try {
      return (await client.send(command)).ContentLength
    } catch (error) {
      if (answerOf(error).status !== 404) throw storeError(error)
    }
    // The answer has no body to distinguish a missing blob from a missing bucket.
    await headBucket(bucket)
    return undefined
  }

  async function* stream(name: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    if (range?.length !== 0) return yield* streamFrom(bucket, name, range)
    const bytes = await size(name)
    if (bytes === undefined || bytes < range.start) throw new BlobMissingError(name)
  }

  return {
    put: (name, source) => upload(bucket, name, source),
    stream,
    async read(name, range) {
      const chunks: Uint8Array[] = []
      for await (const chunk of stream(name, range)) chunks.push(chunk)
      return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    },
    size,
    async remove(name) {
      await told(client.send(new DeleteObjectCommand({ Bucket, Key: bucket.key(name) })))
    },
    list: (prefix) => listBlobs(bucket, prefix),
    ping: () => headBucket(bucket, AbortSignal.timeout(pingMillisecondsMax)),
    close: async () => client.destroy(),
  }
}

/** @param pageMax Blobs per listing request, at most 1,000. Fewer in tests. */
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
    const page = await told(bucket.client.send(command))
    for (const { Key, Size, LastModified } of page.Contents ?? []) {
      if (Key === undefined || Size === undefined || LastModified === undefined)
        throw new StoreUnavailableError('it lists blobs without their sizes or times.')
      const name = Key.slice(bucket.prefix.length)
      // Skip foreign objects, such as the folder markers of web consoles.
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
    throw new StoreUnavailableError(`the bucket ${name} is gone.`, { cause: error })
  }
}
