/**
 * The last signed checkpoint of a log, in the object store too. A database that went back to an earlier state, by a restored dump or a
 * failover, would sign other entries under the same numbers: readers must take two such logs for fraud.
 */
import { hash } from 'node:crypto'
import { type Checkpoint, equalBytes, parseCheckpoint, rootOf, splitNote } from '@ulmus/content/log'
import { BlobMissingError, type BlobStore, checkpointName, type Queries } from '@ulmus/storage'
import { storedHashes } from './stored-hashes.ts'

/** The database lacks entries that were signed. */
export class LogBehindError extends Error {
  override name = 'LogBehindError'
}

/** One blob per name of the log, so that a name that was given up stays known. */
const nameOf = (origin: string): string => checkpointName(hash('sha256', origin).slice(0, 32))

/** Stores a checkpoint. Call it before the checkpoint is published. */
export async function keepOutside(blobs: BlobStore, origin: string, note: string): Promise<void> {
  await blobs.put(nameOf(origin), Buffer.from(note))
}

/** @returns undefined if none was kept under this name. @throws Error for a damaged one */
export async function keptOutside(blobs: BlobStore, origin: string): Promise<Checkpoint | undefined> {
  const name = nameOf(origin)
  try {
    return parseCheckpoint(splitNote(Buffer.from(await blobs.read(name)).toString()).text)
  } catch (error) {
    if (error instanceof BlobMissingError) return undefined
    if ((error as Error).name !== 'LogError') throw error
    const remedy = 'The log is not signed until it is right: restore it, or run `ulmus-server log restart`.'
    throw new Error(`The checkpoint ${name} in the object store is damaged. ${remedy}`, { cause: error })
  }
}

/** @throws LogBehindError unless the log of this size has the entries of the checkpoint */
export async function demandContinues(at: Queries, signed: Checkpoint, size: number): Promise<void> {
  if (
    signed.size <= size &&
    equalBytes(await rootOf(signed.size, storedHashes(at, signed.size)), signed.root)
  )
    return
  throw new LogBehindError(
    `The log has ${size} entries and does not continue the signed checkpoint of size ${signed.size}: the database went back to an earlier state. It is not signed until you run \`ulmus-server log restart\`, which gives it another name, or bring back the later database.`,
  )
}
