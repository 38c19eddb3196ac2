import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { watchSpace } from './disk-space.ts'
import { StorageFullError } from './errors/storage-full.ts'

test('a reserve larger than the disk names the setting, sizes and the way out', async () => {
  const space = watchSpace({ folders: [tmpdir()], reserveBytes: 1e18 })
  expect(await space.isFull()).toBe(true)
  await expect(space.demand()).rejects.toThrow(StorageFullError)
  await expect(space.demand()).rejects.toThrow(
    /^The disk of \S+ has [\d.]+ [kMGTP]?B free, and DISK_RESERVE_BYTES keeps 1000 PB free\. .* lower DISK_RESERVE_BYTES/,
  )
  await expect(space.demand(5_000_000)).rejects.toThrow(' free, for a write of 5 MB, and')
})
