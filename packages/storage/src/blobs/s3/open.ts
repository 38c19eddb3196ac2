/** The door to the S3 store: its client library is loaded where a bucket is used and nowhere else, for it delays every start. */
import type { BlobStore } from '../blob-store.ts'
import type { S3Settings } from './bucket.ts'

/**
 * Opens the store, having checked that the bucket can be listed, written and read, and removed what crashes left of uploads more
 * than a day ago.
 * @throws BucketUnusable when it is missing, forbidden or out of reach.
 */
export async function openS3Store(settings: S3Settings): Promise<BlobStore> {
  const store = await import('./store.ts')
  return store.openS3Store(settings)
}
