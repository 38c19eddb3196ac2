/** Folders of a disk store: a file's name is durable once its folder is synced, and that folder's name once the one above is. */
import { mkdir, open, rename, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface DurableFolders {
  /** Renames a file into a folder, made when absent, so that a crash after this resolves cannot undo it. */
  move(from: string, to: string): Promise<void>
  /** Removes the folder if nothing is in it: else every push session would leave one behind. */
  removeEmptied(folder: string): Promise<void>
}

const triesMax = 5

/** @param root Folder of the store, which exists. The folders known to be durable are remembered per process. */
export function durableFolders(root: string): DurableFolders {
  const durable = new Set([root])

  /** The folder, and those above unless they are known to have its name. Side by side: all must be done, in whatever order. */
  async function syncNames(home: string): Promise<void> {
    const folders = [home]
    while (!durable.has(home) && folders.at(-1) !== root) folders.push(dirname(folders.at(-1)!))
    await Promise.all(folders.map(syncFolder))
    durable.add(home)
  }

  return {
    async move(from, to) {
      const home = dirname(to)
      for (let tries = 1; ; tries++) {
        if (!durable.has(home)) await mkdir(home, { recursive: true })
        try {
          await rename(from, to)
          break
        } catch (error) {
          // The last blob beside this one was removed in between, and the emptied folder with it.
          if (tries === triesMax || !isAbsence(error)) throw error
          durable.delete(home)
        }
      }
      await syncNames(home)
    },
    async removeEmptied(folder) {
      durable.delete(folder)
      await rmdir(folder).catch(() => undefined)
    },
  }
}

/** Windows cannot open a folder to sync it; its file systems journal names themselves. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Whether a file or a folder on the way to it does not exist. */
export function isAbsence(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Turns the error of absence into undefined, and passes on every other. */
export function unlessAbsent(error: unknown): undefined {
  if (!isAbsence(error)) throw error
}
