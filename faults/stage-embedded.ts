/** Stage with one server, its embedded database and its folder, on a small disk of its own if one can be mounted. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { mountSmallDisk, smallDisksPossible } from '@ulmus/storage/testing/small-disk'
import { FaultyServer } from './server.ts'
import { dataFolderOf, runFsck, type Stage, startSweep } from './stage.ts'

/** Size of the disk, which uses memory only as it fills. */
const diskBytes = 2 * 2 ** 30
/** More than the ballast of the embedded database, so that the database starts on the full disk. */
export const reserveBytes = 96 * 2 ** 20

/** Time until a process stops after the signal. */
const stoppedMilliseconds = 200

export async function openEmbeddedStage(folder: string): Promise<Stage> {
  const ending = new AsyncDisposableStack()
  const disk = smallDisksPossible() ? mountSmallDisk(diskBytes) : undefined
  if (disk !== undefined) ending.defer(async () => disk.dispose())
  const data = dataFolderOf(disk?.folder ?? folder)
  mkdirSync(data, { recursive: true })
  const environment = { DATA_DIR: data, DISK_RESERVE_BYTES: String(reserveBytes) }
  const server = await FaultyServer.make({ name: 'server', folder, environment })
  ending.defer(() => server.close())
  server.start()
  return {
    name: 'one server, embedded database and folder',
    servers: [server],
    lines: [],
    ...(disk && { disk }),
    objects: join(data, 'objects'),
    async fsck() {
      // Copy the state that a power loss at this instant would leave if all writes had been synced.
      const copy = join(folder, 'copy')
      server.freeze()
      try {
        // The signal reaches each thread with a delay. A file removed meanwhile would make the copy fail.
        await sleep(stoppedMilliseconds)
        await promisify(execFile)('cp', ['-a', data, copy])
        for (const name of ['lock', 'ballast', 'control']) removeNamed(copy, name)
      } finally {
        server.thaw()
      }
      try {
        return await runFsck({ DATA_DIR: copy, DISK_RESERVE_BYTES: '0' })
      } finally {
        rmSync(copy, { recursive: true, force: true })
      }
    },
    sweepsAlone: true,
    sweep: () => startSweep(environment),
    close: () => ending.disposeAsync(),
  }
}

/** Removes files with this name anywhere in the folder. */
function removeNamed(folder: string, name: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.name === name) rmSync(join(entry.parentPath, name), { force: true })
}
