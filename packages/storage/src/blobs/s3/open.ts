/** Entry to the S3 store: loads the client library only if a bucket is configured, because it slows every start. */
import type { BlobStore } from '../blob-store.ts'
import type { S3Settings } from './bucket.ts'

/**
 * Opens the store: checks that the bucket can be listed, written and read, and removes uploads that crashes left unfinished more
 * than a day ago.
 * @throws BucketUnusableError if the bucket is missing, forbidden or unreachable.
 */
export async function openS3Store(settings: S3Settings): Promise<BlobStore> {
  const store = await import('./store.ts')
  return store.openS3Store(settings)
}
