/** Copies blobs between stores, for backups, restores and moves. Verifies each on the way, so that no damage is copied. */
import { createHash } from 'node:crypto'
import { type BlobStore, checkedPack, PackCorruptError, type PackEntry, packsPrefix } from '@ulmus/storage'
import { objectsIn } from './contents.ts'

/** A blob as a backup lists it. */
export interface CopiedBlob {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** A blob to copy; `sha256` if known. */
export interface BlobToCopy {
  readonly name: string
  readonly bytes: number
  readonly sha256?: string | undefined
}

/** A blob differs from its record. The message names it. */
export class BlobDamagedError extends Error {
  override name = 'BlobDamagedError'
}

/** Blobs copied at the same time. */
const atOnce = 4

/**
 * Copies a blob completely or not at all.
 * @throws BlobMissingError, BlobDamagedError; `to` then has no part of it
 */
export async function copyBlob(
  from: Pick<BlobStore, 'stream'>,
  to: Pick<BlobStore, 'put'>,
  blob: BlobToCopy,
): Promise<CopiedBlob> {
  let sha256 = ''
  await to.put(
    blob.name,
    checked(from.stream(blob.name), blob, (found) => {
      sha256 = found
    }),
  )
  return { name: blob.name, bytes: blob.bytes, sha256 }
}

/**
 * Copies a blob of a registry. Its packs are compared with their own checksums, as no other record of their bytes exists yet.
 * @param dump path of a dump of its database
 * @throws BlobMissingError, BlobDamagedError; `to` then has no part of it
 */
export async function copyOwnBlob(
  from: BlobStore,
  to: Pick<BlobStore, 'put'>,
  blob: BlobToCopy,
  dump: string,
): Promise<CopiedBlob> {
  let needed: Promise<Set<string>> | undefined
  const isNeeded = async ({ kind, hash }: PackEntry) => {
    needed ??= objectsIn(dump, blob.name)
    return (await needed).has(`${kind} ${hash}`)
  }
  const stream = (name: string) =>
    name.startsWith(packsPrefix) ? checkedPack(from, name, isNeeded) : from.stream(name)
  try {
    return await copyBlob({ stream }, to, blob)
  } catch (error) {
    if (!(error instanceof BlobDamagedError || error instanceof PackCorruptError)) throw error
    throw new BlobDamagedError(
      `${error.message} It is damaged in the registry itself, and nothing is copied from it until it is repaired: \`ulmus-server fsck --files\` lists all damage; see /docs/maintenance, "The check".`,
      { cause: error },
    )
  }
}

/** Returns the SHA-256 of a blob. @throws BlobMissingError, BlobDamagedError */
export async function hashBlob(at: Pick<BlobStore, 'stream'>, blob: BlobToCopy): Promise<string> {
  let sha256 = ''
  const pieces = checked(at.stream(blob.name), blob, (found) => {
    sha256 = found
  })
  for await (const _ of pieces);
  return sha256
}

/** Passes the pieces on and ends in BlobDamagedError if they are not the blob. @param tell receives the SHA-256 at the end */
export async function* checked(
  pieces: AsyncIterable<Uint8Array>,
  { name, bytes, sha256 }: BlobToCopy,
  tell: (sha256: string) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let length = 0
  for await (const piece of pieces) {
    hash.update(piece)
    length += piece.length
    // The stream may be endless.
    if (length > bytes)
      throw new BlobDamagedError(`${name} has more than the ${bytes} bytes that it should have.`)
    yield piece
  }
  if (length !== bytes) throw new BlobDamagedError(`${name} has ${length} bytes, and should have ${bytes}.`)
  const found = hash.digest('hex')
  if (sha256 !== undefined && found !== sha256)
    throw new BlobDamagedError(`${name} is damaged: its SHA-256 is ${found}, and should be ${sha256}.`)
  tell(found)
}

/** Runs `work` for each blob, several at a time. After a failure it starts no more, waits for those running, and rejects. */
export async function forEachBlob<T>(blobs: readonly T[], work: (blob: T) => Promise<void>): Promise<void> {
  const waiting = blobs.values()
  let isFailed = false
  const one = async () => {
    for (const blob of waiting) {
      if (isFailed) return
      try {
        await work(blob)
      } catch (error) {
        isFailed = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, one))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
}

/** Sizes of all blobs under the prefixes, by name. */
export async function listed(
  at: Pick<BlobStore, 'list'>,
  prefixes: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const prefix of prefixes) for await (const { name, bytes } of at.list(prefix)) found.set(name, bytes)
  return found
}
