import { describe } from 'vitest'
import { makeBucket, s3Server } from '../testing/buckets.ts'
import { blobStoreContract } from './blob-store.contract.ts'
import { openS3Store } from './s3.ts'

describe.skipIf(s3Server() === null)('on S3', () => {
  blobStoreContract('S3', async () => {
    const { settings, dispose } = await makeBucket()
    return { store: await openS3Store(settings), dispose }
  })
})
