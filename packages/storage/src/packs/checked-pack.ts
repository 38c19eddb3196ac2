/** Compares a pack with its own footer while it is read, for checks and for copies that must not carry damage on. */
import { crc32 } from 'node:zlib'
import type { BlobStore } from '../blobs/blob-store.ts'
import { PackCorruptError } from '../errors/stores.ts'
import { type PackEntry, readFooter } from './pack.ts'

/**
 * Passes on the pieces of a pack, from its first byte, and compares each object with its CRC-32.
 * @param entries disjoint, ascending by offset
 * @param onDamage receives each object whose bytes are not the written ones, before the piece with its last byte is passed on;
 * at the end those that the pack is too short for
 */
export async function* checkedObjects(
  pieces: AsyncIterable<Uint8Array>,
  entries: readonly PackEntry[],
  onDamage: (entry: PackEntry, isCutOff: boolean) => void | Promise<void>,
): AsyncGenerator<Uint8Array> {
  let [at, next, crc] = [0, 0, 0]
  for await (const piece of pieces) {
    const end = at + piece.length
    for (; next < entries.length && entries[next]!.offset < end; next++) {
      const entry = entries[next]!
      const last = entry.offset + entry.length
      crc = crc32(piece.subarray(Math.max(entry.offset - at, 0), last - at), crc)
      if (last > end) break
      if (crc !== entry.crc) await onDamage(entry, false)
      crc = 0
    }
    at = end
    yield piece
  }
  for (const entry of entries.slice(next)) await onDamage(entry, true)
}

/**
 * Streams a pack with the bytes that were written.
 * @param isNeeded of a damaged object: false if the index has another copy of it
 * @throws PackCorruptError before the end of the stream if an object that is needed is damaged, or the footer; BlobMissingError
 */
export async function* checkedPack(
  blobs: BlobStore,
  name: string,
  isNeeded: (entry: PackEntry) => Promise<boolean>,
): AsyncGenerator<Uint8Array> {
  const { entries } = await readFooter(blobs, name)
  yield* checkedObjects(blobs.stream(name), entries, async (entry) => {
    if (!(await isNeeded(entry))) return
    const { kind, hash } = entry
    throw new PackCorruptError(name, `its bytes of the ${kind} object ${hash} are not the written ones`)
  })
}
