/**
 * Buckets on a real S3 server, one a run:
 *
 *     describe.skipIf(s3Server() === null)('packs in a bucket', () => {
 *       const { settings, dispose } = await makeBucket()
 *
 * Where Debian's Ceph is not installed and `ULMUS_TEST_S3` names no other server there is none, and the run says so.
 */
import { inject } from 'vitest'
import type { S3Server } from './ceph.ts'
import { makeBucketOn } from './make-bucket.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Null: there is none. */
    s3Server: Pick<S3Server, 'endpoint' | 'keys' | 'role'> | null
  }
}

export const s3Server = () => inject('s3Server')

/** An empty bucket. `dispose` removes it and all that is in it. */
export async function makeBucket(): ReturnType<typeof makeBucketOn> {
  const server = s3Server()
  if (server === null) throw new Error('There is no S3 server: skip the suite.')
  return makeBucketOn(server)
}
