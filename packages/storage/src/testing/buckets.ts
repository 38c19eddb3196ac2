/**
 * Buckets for test suites, on a real S3 server that is started once per run:
 *
 *     describe.skipIf(s3Server() === null)('packs in a bucket', () => {
 *       const { settings, dispose } = await makeBucket()
 *
 * Without Debian's Ceph, and without a server in `ULMUS_TEST_S3`, there is none, and the run reports it.
 */
import { inject } from 'vitest'
import type { S3Server } from './ceph.ts'
import { makeBucketOn } from './make-bucket.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Null if there is none. */
    s3Server: Pick<S3Server, 'endpoint' | 'keys' | 'role'> | null
  }
}

export const s3Server = () => inject('s3Server')

/** Creates an empty bucket. `dispose` removes it with its content. */
export async function makeBucket(): ReturnType<typeof makeBucketOn> {
  const server = s3Server()
  if (server === null) throw new Error('There is no S3 server: skip the suite.')
  return makeBucketOn(server)
}
