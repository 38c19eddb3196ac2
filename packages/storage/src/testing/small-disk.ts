/**
 * A small file system for tests that fill it: a tmpfs, which root can mount on Linux.
 *
 *     describe.skipIf(!smallDisksPossible())('a full disk', () => {
 *       const disk = mountSmallDisk(64 * 2 ** 20)
 */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  readonly folder: string
  free(): number
  /** Fills the disk with a file until this many bytes are free. */
  fill(bytesLeft: number): void
  /** Makes the disk read-only, like a file system that found damage, or writable again. No file on it may be open for writing. */
  setReadOnly(isReadOnly: boolean): void
  /** Removes the filling file. */
  clear(): void
  dispose(): void
}

let possible: boolean | undefined

/** True if a file system can be mounted here; prints the reason once if not. */
export function smallDisksPossible(): boolean {
  if (possible !== undefined) return possible
  try {
    mountSmallDisk(1_048_576).dispose()
    possible = true
  } catch (error) {
    process.stderr.write(`No small disk can be mounted, so full disks are not tested: ${String(error)}\n`)
    possible = false
  }
  return possible
}

/** Mounts a file system of this size. `dispose` unmounts it. Call it where `smallDisksPossible`. */
export function mountSmallDisk(bytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'ulmus-test', folder], { stdio: 'pipe' })
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
  const filler = join(folder, 'filler')
  const free = () => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  }
  return {
    folder,
    free,
    fill(bytesLeft) {
      const file = openSync(filler, 'a')
      const page = new Uint8Array(4_096)
      try {
        for (let left = free() - bytesLeft; left >= page.length; left -= page.length) writeSync(file, page)
      } catch (error) {
        // Other processes may write to the disk meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
    },
    setReadOnly: (isReadOnly) =>
      void execFileSync('mount', ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder], { stdio: 'pipe' }),
    clear: () => rmSync(filler, { force: true }),
    dispose() {
      execFileSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true })
    },
  }
}
