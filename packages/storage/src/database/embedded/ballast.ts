/**
 * The ballast of an embedded database: a file that takes up room for nothing, and is removed when PostgreSQL has to start on a full
 * disk. Starting after a crash writes: what the log has is applied, and ends with a checkpoint, mostly in a new segment of the log.
 */
import { randomFillSync } from 'node:crypto'
import { existsSync, rmSync, statfsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freeBytes } from '../../disk-space.ts'

/** Four segments of the log, each 16 MiB. Bytes. */
export const ballastBytes = 67_108_864
const pieceBytes = 1_048_576

const ballastOf = (folder: string): string => join(folder, 'ballast')

/** Whether the free space may be too small for PostgreSQL to start or continue. */
export function lacksRoom(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < ballastBytes
}

/** Makes room for a start. The caller must hold the folder's lock. */
export function releaseBallast(folder: string): void {
  if (lacksRoom(folder)) rmSync(ballastOf(folder), { force: true })
}

/** Makes the ballast if there is none and room for it beside the reserve. */
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

/** File systems that compress take random bytes as they are. */
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
