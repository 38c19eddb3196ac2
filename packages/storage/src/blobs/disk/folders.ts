/** Folders of a disk store: a file's name is durable once its folder is synced, and a folder's name once its parent is. */
import { type FileHandle, mkdir, open, rename, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The folders of one store. The order is: sync the file, rename it into its folder, sync the folder and its new parents. */
export interface DurableFolders {
  /** Opens the folder, creating it if absent, for a file that is still being written. Must be closed. */
  open(folder: string): Promise<DurableFolder>
  /** Removes the folder if it is empty: otherwise every push session would leave one behind. */
  removeEmptied(folder: string): Promise<void>
}

export interface DurableFolder {
  /** Renames a file into the folder. Once this resolves, a crash cannot undo the rename. */
  receive(from: string, to: string): Promise<void>
  close(): void
}

/** Tries to create or sync a folder that other calls keep removing. */
const triesMax = 5

/** @param root Existing folder of the store. Each process remembers which folders are durable. */
export function durableFolders(root: string): DurableFolders {
  const durable = new Set([root])

  async function opened(folder: string): Promise<FileHandle | undefined> {
    for (let tries = 1; ; tries++) {
      if (!durable.has(folder)) await mkdir(folder, { recursive: true })
      try {
        return await openFolder(folder)
      } catch (error) {
        notThere(folder, tries, error)
      }
    }
  }

  /** Allows a retry if another call removed the folder's last file, and the empty folder with it. */
  function notThere(folder: string, tries: number, error: unknown): void {
    if (tries === triesMax || !isAbsence(error)) throw error
    durable.delete(folder)
  }

  /** Makes the names of the folder and its parents durable, unless they are known to be. */
  async function syncAbove(home: string): Promise<void> {
    const above: string[] = []
    while (!durable.has(home) && (above.at(-1) ?? home) !== root) above.push(dirname(above.at(-1) ?? home))
    await Promise.all(above.map(syncFolder))
  }

  return {
    async open(home) {
      let handle = await opened(home)
      const again = async () => {
        close()
        handle = await opened(home)
      }
      const close = () => void handle?.close().catch(() => undefined)
      // Runs all three concurrently. Returns false if the open folder was removed and another has taken its place.
      const isSynced = async (): Promise<boolean> => {
        const [found] = await Promise.all([handle?.stat(), handle?.sync(), syncAbove(home)])
        return found?.nlink !== 0
      }
      return {
        async receive(from, to) {
          for (let tries = 1; ; tries++) {
            try {
              await rename(from, to)
              break
            } catch (error) {
              notThere(home, tries, error)
              await again()
            }
          }
          // Bound the tries: some file systems report no links for any folder.
          for (let tries = 1; !(await isSynced()) && tries < triesMax; tries++) {
            durable.delete(home)
            await again()
          }
          durable.add(home)
        },
        close,
      }
    },
    async removeEmptied(folder) {
      durable.delete(folder)
      await rmdir(folder).catch(() => undefined)
    },
  }
}

/** Returns undefined on Windows, which cannot open a folder to sync it; its file systems journal names themselves. */
async function openFolder(folder: string): Promise<FileHandle | undefined> {
  return process.platform === 'win32' ? undefined : open(folder, 'r')
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await openFolder(folder)
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}

/** True if the file or one of its parent folders does not exist. */
export function isAbsence(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Returns undefined if the error means absence, and rethrows any other. */
export function unlessAbsent(error: unknown): undefined {
  if (!isAbsence(error)) throw error
}
