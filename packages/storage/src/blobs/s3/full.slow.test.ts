/** A bucket with an exhausted quota, on a separate server: quotas belong to users, and other tests share the user of the common server. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { describe, expect, inject, it } from 'vitest'
import { isStorageFull } from '../../errors/storage-full.ts'
import { cephInstalled, startCeph } from '../../testing/ceph.ts'
import { openS3Store } from './open.ts'

describe.skipIf(!cephInstalled())('a bucket that is full', () => {
  it('says so, can be read, and is no reason not to start', async () => {
    const folder = join(inject('testFolder'), `ceph-full-${crypto.randomUUID()}`)
    const server = await startCeph(folder)
    try {
      const where = { endpoint: server.endpoint, region: 'us-east-1' }
      const client = new S3Client({ ...where, credentials: { ...server.keys }, forcePathStyle: true })
      await client.send(new CreateBucketCommand({ Bucket: 'small' }))
      client.destroy()
      const settings = { ...where, keys: { ...server.keys }, bucket: 'small', prefix: '' }
      const store = await openS3Store(settings)
      await store.put('files/aa/one', new Uint8Array(100))
      const env = { ...process.env, CEPH_CONF: join(folder, 'ceph.conf') }
      const user = ['--quota-scope=user', '--uid=ulmus']
      execFileSync('radosgw-admin', ['quota', 'set', ...user, '--max-size=4096'], { env, stdio: 'pipe' })
      execFileSync('radosgw-admin', ['quota', 'enable', ...user], { env, stdio: 'pipe' })
      for (const bytes of [8_192, 20 * 2 ** 20]) {
        const put = store.put('files/aa/two', new Uint8Array(bytes))
        expect(await put.catch((error: unknown) => isStorageFull(error))).toBe(true)
      }
      await store.close()
      const again = await openS3Store(settings)
      expect(await again.read('files/aa/one')).toHaveLength(100)
      await again.close()
    } finally {
      await server.stop()
    }
  })
})
