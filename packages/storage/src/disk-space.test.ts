import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { demandReserveFits, watchSpace } from './disk-space.ts'
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

test('a reserve larger than a whole disk is refused, also for a folder that is still to make', async () => {
  const folders = [tmpdir(), join(tmpdir(), 'none', 'objects')]
  for (const folder of folders)
    await expect(demandReserveFits({ folders: [folder], reserveBytes: 1e18 })).rejects.toThrow(
      new RegExp(
        `^The disk of ${folder} has [\\d.]+ [kMGTP]?B in all, and DISK_RESERVE_BYTES keeps 1000 PB free: .* Lower DISK_RESERVE_BYTES`,
      ),
    )
  await demandReserveFits({ folders, reserveBytes: 1 })
  await demandReserveFits({ folders: [], reserveBytes: 1e18 })
})
