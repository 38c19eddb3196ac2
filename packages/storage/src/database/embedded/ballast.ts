/**
 * Ballast of the embedded database: a file that reserves space, removed if PostgreSQL must start on a full disk. A start after a crash
 * writes: PostgreSQL replays its log and makes a checkpoint, usually in a new segment of the log.
 */
import { randomFillSync } from 'node:crypto'
import { existsSync, rmSync, statfsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freeBytes } from '../../disk-space.ts'

/** Four segments of the log, each 16 MiB. Bytes. */
export const ballastBytes = 67_108_864
/** The ballast is written in pieces of this size. Bytes. */
const pieceBytes = 1_048_576

/** Beside PostgreSQL's own files, so on the same file system. */
const ballastOf = (folder: string): string => join(folder, 'ballast')

/** True if the free space may be too small for PostgreSQL to start or continue. */
export function lacksRoom(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < ballastBytes
}

/** Makes room for a start. The caller must hold the folder's lock. */
export function releaseBallast(folder: string): void {
  if (lacksRoom(folder)) rmSync(ballastOf(folder), { force: true })
}

/** Creates the ballast if it is absent and fits beside the reserve. */
export async function keepBallast(folder: string, reserveBytes: number): Promise<void> {
  const ballast = ballastOf(folder)
  if (existsSync(ballast) || (await freeBytes(folder)) < reserveBytes + ballastBytes) return
  const unfinished = `${ballast}.new`
  try {
    await fill(unfinished)
    await rename(unfinished, ballast)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/** Random bytes, because a file system with compression would shrink any others. */
async function fill(path: string): Promise<void> {
  const piece = randomFillSync(new Uint8Array(pieceBytes))
  const file = await open(path, 'w', 0o600)
  try {
    for (let written = 0; written < ballastBytes; written += pieceBytes) await file.writeFile(piece)
    await file.sync()
  } finally {
    await file.close()
  }
}
