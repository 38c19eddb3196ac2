/** Makes a bucket on a given S3 server. Test suites use buckets.ts, which knows the server of the run. */
import { randomUUID } from 'node:crypto'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import type { S3Settings } from '../blobs/s3/bucket.ts'
import type { S3Server } from './ceph.ts'

/** Creates an empty bucket. `dispose` removes it with its content. */
export async function makeBucketOn(
  server: Pick<S3Server, 'endpoint' | 'keys'>,
): Promise<{ settings: S3Settings; dispose(): Promise<void> }> {
  const region = 'us-east-1'
  const Bucket = `ulmus-${randomUUID()}`
  const client = new S3Client({
    region,
    endpoint: server.endpoint,
    credentials: server.keys,
    forcePathStyle: true,
  })
  await client.send(new CreateBucketCommand({ Bucket }))
  const { endpoint, keys } = server
  const settings = { endpoint, keys, bucket: Bucket, prefix: 'kept/here/', region }
  return {
    settings,
    async dispose() {
      for await (const page of paginateListObjectsV2({ client }, { Bucket })) {
        for (const { Key } of page.Contents ?? []) await client.send(new DeleteObjectCommand({ Bucket, Key }))
      }
      await client.send(new DeleteBucketCommand({ Bucket }))
      client.destroy()
    },
  }
}
