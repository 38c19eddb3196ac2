/** One server with its embedded database and its folder, on a small disk of its own where one can be mounted. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { mountSmallDisk, smallDisksPossible } from '@ulmus/storage/testing/small-disk'
import { FaultyServer } from './server.ts'
import { dataFolderOf, runFsck, type Stage, startSweep } from './stage.ts'

/** Of memory, as far as it is used. */
const diskBytes = 2 * 2 ** 30
/** More than the ballast of the embedded database, so that it starts on the full disk. */
export const reserveBytes = 96 * 2 ** 20

/** Until a process that was told to stand still does. */
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
      // What a power loss would leave at this instant, had all been synced that was written.
      const copy = join(folder, 'copy')
      server.freeze()
      try {
        // The signal reaches each thread a moment later: a file that goes meanwhile would break off the copy.
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

/** Removes files of this name, wherever in the folder. */
function removeNamed(folder: string, name: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.name === name) rmSync(join(entry.parentPath, name), { force: true })
}
