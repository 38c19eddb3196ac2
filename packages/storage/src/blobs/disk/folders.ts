/** Folders of a disk store: a file's name is durable once its folder is synced, and that folder's name once the one above is. */
import { type FileHandle, mkdir, open, rename, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface DurableFolders {
  /** Opens a folder, made when absent, for a file that is still being written. Must be closed. */
  open(folder: string): Promise<DurableFolder>
  /** Removes the folder if nothing is in it: else every push session would leave one behind. */
  removeEmptied(folder: string): Promise<void>
}

export interface DurableFolder {
  /** Renames a file into the folder, so that a crash after this resolves cannot undo it. */
  receive(from: string, to: string): Promise<void>
  close(): void
}

const triesMax = 5

/** @param root Folder of the store, which exists. The folders known to be durable are remembered per process. */
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

  /** Retries if the last file of a folder was removed in between, and the emptied folder with it. */
  function notThere(folder: string, tries: number, error: unknown): void {
    if (tries === triesMax || !isAbsence(error)) throw error
    durable.delete(folder)
  }

  /** The names of a folder and of those above it, unless they are known to be durable. */
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
      /** All side by side, since all must be done, in whatever order. False: the folder that is open is no more, there is another in its place. */
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
          // Not for ever: there are file systems that count no links of any folder.
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

/** Undefined on Windows, which cannot open a folder to sync it; its file systems journal names themselves. */
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

/** Whether a file or a folder on the way to it does not exist. */
export function isAbsence(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Turns the error of absence into undefined, and passes on every other. */
export function unlessAbsent(error: unknown): undefined {
  if (!isAbsence(error)) throw error
}
