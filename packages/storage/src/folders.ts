/** Making folders. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

const ownerOnly = 0o700

/**
 * Makes a folder and those above it that are absent, for this account alone. Synchronous.
 * One by one, because Node's recursive `mkdir` never returns on a file system that takes no folders, such as `/proc`.
 * @throws what the file system answers, such as EACCES, ENOSPC and ENOENT
 */
export function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolders(parent)
  try {
    mkdirSync(folder, { mode: ownerOnly })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error
  }
}
