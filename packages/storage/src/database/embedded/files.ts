/**
 * PostgreSQL's own files, in `pg` of the embedded database's folder.
 *
 * New files are created in `pg.new-…` and renamed once they are complete and synced, so a crash in between leaves nothing to
 * repair. A separate process creates them: this takes 550 MiB, most of which a long-lived process would keep.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { freeBytes } from '../../disk-space.ts'
import { DatabaseUnfitError } from '../sql-errors.ts'
import { syncPath } from './folder.ts'
import { demandVersion, filesIn, hasEmbedded } from './place.ts'

/**
 * Returns the folder of PostgreSQL's files; creates them if there are none. This process must hold the lock.
 * @throws DatabaseUnfitError for incomplete files or files of another version: PGlite would create a new database in their place.
 */
export async function filesOf(folder: string): Promise<string> {
  const files = filesIn(folder)
  if (hasEmbedded(folder)) demandVersion(files)
  else await makeFiles(folder, files)
  return files
}

/** Free space for new files, their log and its first checkpoint. The message names it too. Bytes. */
const roomBytes = 100_000_000

/** @throws DatabaseUnfitError if the files are absent and do not fit: half made, they would fill the disk first. */
export async function demandRoomForFiles(folder: string): Promise<void> {
  if (hasEmbedded(folder)) return
  const free = await freeBytes(dirname(folder))
  if (free >= roomBytes) return
  throw new DatabaseUnfitError(
    `The first start makes a database in ${folder}, which needs 100 MB of free disk and 600 MB of free memory; ${Math.floor(free / 1e6)} MB of disk are free. Free some, set DATA_DIR to a folder of a larger disk, or set DATABASE_URL.`,
  )
}

async function makeFiles(folder: string, files: string): Promise<void> {
  for (const entry of readdirSync(folder))
    if (entry.startsWith('pg.new'))
      rmSync(join(folder, entry), { recursive: true, force: true, maxRetries: 3 })
  // If the starter of an earlier process was killed, that process may still be writing to its folder.
  const unfinished = mkdtempSync(`${files}.new-`)
  await makeIn(unfinished)
  for (const entry of readdirSync(unfinished, { recursive: true, encoding: 'utf8' }))
    syncPath(join(unfinished, entry))
  syncPath(unfinished)
  renameSync(unfinished, files)
  syncPath(folder)
}

/** @throws DatabaseUnfitError with the process's error output if it failed. */
async function makeIn(folder: string): Promise<void> {
  const program = fileURLToPath(new URL('./files-making.ts', import.meta.url))
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [said, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'close')])
  if (code === 0) return
  const cause = new Error(said)
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  const why = /No space left|ENOSPC|errno: 51/.test(said)
    ? 'the disk is full'
    : `its making ended with ${signal ?? code}`
  throw new DatabaseUnfitError(
    `The embedded database could not be made in ${dirname(folder)}: ${why}. It needs 100 MB of free disk and 600 MB of free memory; or set DATABASE_URL.`,
    { cause },
  )
}
