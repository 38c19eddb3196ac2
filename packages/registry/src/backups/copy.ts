/** Copying blobs from store to store, each checked on the way. */
import { createHash } from 'node:crypto'
import type { BlobStore } from '@ulmus/storage'

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

/** A blob is not what it should be. The sentence names it. */
export class BlobDamaged extends Error {
  override name = 'BlobDamaged'
}

/** Blobs on their way at the same time. */
const atOnce = 4

/**
 * Copies a blob, whole or not at all.
 * @throws BlobMissing, BlobDamaged: then nothing of it is in `to`
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

/** Reads a blob and tells its SHA-256. @throws BlobMissing, BlobDamaged */
export async function hashBlob(at: Pick<BlobStore, 'stream'>, blob: BlobToCopy): Promise<string> {
  let sha256 = ''
  const pieces = checked(at.stream(blob.name), blob, (found) => {
    sha256 = found
  })
  for await (const _ of pieces);
  return sha256
}

/** The same pieces; ends in BlobDamaged where they are not the blob. */
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
    // It may have no end.
    if (length > bytes) throw new BlobDamaged(`${name} has more than the ${bytes} bytes that it should have.`)
    yield piece
  }
  if (length !== bytes) throw new BlobDamaged(`${name} has ${length} bytes, and should have ${bytes}.`)
  const found = hash.digest('hex')
  if (sha256 !== undefined && found !== sha256)
    throw new BlobDamaged(`${name} is damaged: its SHA-256 is ${found}, and should be ${sha256}.`)
  tell(found)
}

/** Does `work` for each, some at a time. Rejects with what the first rejects with, when those under way have ended. */
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

/** Names and sizes of the blobs that lie under any of the prefixes. */
export async function listed(
  at: Pick<BlobStore, 'list'>,
  prefixes: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const prefix of prefixes) for await (const { name, bytes } of at.list(prefix)) found.set(name, bytes)
  return found
}
