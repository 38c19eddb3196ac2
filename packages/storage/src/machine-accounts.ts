/** Accounts of this machine, and files that one of them cannot use. */
import { execFileSync } from 'node:child_process'
import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'

/** Name of an account, by default the one of this process; its number if it has no name, as in many containers. */
export function accountName(uid: number | undefined = process.geteuid?.()): string {
  try {
    if (uid === undefined || uid === userInfo().uid) return userInfo().username
    return execFileSync('id', ['-nu', String(uid)], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return String(uid)
  }
}

/** The topmost folder above an absolute path that this process may not enter; undefined: there is none. */
export function findClosedAbove(path: string): string | undefined {
  const above = dirname(path)
  if (above === path) return undefined
  const closed = findClosedAbove(above)
  if (closed !== undefined) return closed
  try {
    accessSync(above, constants.X_OK)
    return undefined
  } catch (error) {
    return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '') ? above : undefined
  }
}

/** A file or folder that an account cannot read and write. */
interface ClosedPath {
  readonly path: string
  readonly uid: number
  readonly mode: number
}

/**
 * Finds the first path in a folder that belongs to another account, or is closed to its own. Reads modes only: ACLs are unknown.
 * @param uid default: the account of this process. Root can use all.
 */
export function findClosedPath(
  folder: string,
  uid: number | undefined = process.geteuid?.(),
): ClosedPath | undefined {
  if (uid === undefined || uid === 0) return undefined
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  const needed = found.isDirectory() ? 0o700 : 0o600
  const mode = found.mode & 0o777
  if (found.uid !== uid || (mode & needed) !== needed) return { path: folder, uid: found.uid, mode }
  if (!found.isDirectory()) return undefined
  for (const entry of readdirSync(folder)) {
    const closed = findClosedPath(join(folder, entry), uid)
    if (closed !== undefined) return closed
  }
  return undefined
}
