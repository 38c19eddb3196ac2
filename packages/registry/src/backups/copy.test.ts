/** Copies of blobs from an untrusted place. */
import { openMemoryStore } from '@ulmus/storage'
import { expect, test } from 'vitest'
import { BlobDamagedError, copyBlob } from './copy.ts'

test('a blob without an end is broken off at the length that it should have', async () => {
  let given = 0
  const endless = {
    async *stream() {
      for (; given < 1_000; given++) yield new Uint8Array(1_000)
    },
  }
  const store = openMemoryStore()
  const name = 'packs/aa/endless'
  await expect(copyBlob(endless, store, { name, bytes: 2_500 })).rejects.toThrow(BlobDamagedError)
  expect(given).toBeLessThan(4)
  expect(await store.size(name)).toBeUndefined()
})
