/**
 * Buckets on a real S3 server, one a run:
 *
 *     describe.skipIf(s3Server() === null)('packs in a bucket', () => {
 *       const { settings, dispose } = await makeBucket()
 *
 * Where Debian's Ceph is not installed and `ULMUS_TEST_S3` names no other server there is none, and the run says so.
 */
import { randomUUID } from 'node:crypto'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { inject } from 'vitest'
import type { S3Settings } from '../blobs/s3/bucket.ts'
import type { S3Server } from './ceph.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Null: there is none. */
    s3Server: Pick<S3Server, 'endpoint' | 'keys' | 'role'> | null
  }
}

export const s3Server = () => inject('s3Server')

/** An empty bucket. `dispose` removes it and all that is in it. */
export async function makeBucket(): Promise<{ settings: S3Settings; dispose(): Promise<void> }> {
  const server = s3Server()
  if (server === null) throw new Error('There is no S3 server: skip the suite.')
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
