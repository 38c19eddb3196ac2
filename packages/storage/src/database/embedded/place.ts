/**
 * Checks the folder of an embedded database without opening it: whether it has a database, and of which version of PostgreSQL. Loads no
 * PostgreSQL, so that commands may call it.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseUnfitError } from '../sql-errors.ts'

/** Version of PostgreSQL in this release of PGlite, which cannot open files of another version: change it together with PGlite. */
const majorVersion = '18'

/** PostgreSQL's own files. They appear in the folder complete (see files.ts). */
export const filesIn = (folder: string): string => join(folder, 'pg')

/** True if the folder contains a database. @throws EACCES for a folder that this account may not enter: it is not without one */
export const hasEmbedded = (folder: string): boolean =>
  statSync(filesIn(folder), { throwIfNoEntry: false }) !== undefined

/** @throws DatabaseUnfitError for incomplete files or files of another version: PGlite would create a new database over them. */
export function demandVersion(files: string): void {
  const version = versionOf(files)
  if (version === majorVersion) return
  const cure =
    version === undefined
      ? 'Restore the whole folder from a backup.'
      : 'Back up with the release that made it, and restore that backup with this one into an empty folder.'
  const fault =
    version === undefined
      ? 'lacks the file PG_VERSION, so it is damaged or restored in part'
      : `is of PostgreSQL ${JSON.stringify(version)}, and this release of Ulmus opens ${majorVersion} alone`
  throw new DatabaseUnfitError(`The embedded database in ${files} ${fault}. It is left as it is. ${cure}`)
}

function versionOf(files: string): string | undefined {
  try {
    return readFileSync(join(files, 'PG_VERSION'), 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
