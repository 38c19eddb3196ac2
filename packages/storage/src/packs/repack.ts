/**
 * Copies objects of existing packs into a new pack, byte for byte: live objects of sparse packs for a sweep, small packs for the
 * compaction. The caller then redirects the rows of the index (`moveRows`).
 */
import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { BlobStore } from '../blobs/blob-store.ts'
import { packName } from '../blobs/names.ts'
import { ObjectCorruptError } from '../errors/stores.ts'
import { type PackEntry, type PackSource, type StoredPack, writePack } from './pack.ts'

/**
 * Writes a pack with the given objects of other packs; it is durable when this resolves. If this rejects, nothing is left in the store.
 * @throws ObjectCorruptError if the bytes are damaged, because a copy would hide that. BlobMissingError.
 */
export async function copyObjects(
  blobs: BlobStore,
  packs: Pick<PackSource, 'read'>,
  from: readonly { name: string; entries: readonly PackEntry[] }[],
): Promise<StoredPack> {
  const copy = writePack(blobs, packName(randomUUID()))
  try {
    for (const { name, entries } of from) {
      for (const { hash, kind, offset, length, crc, checksum, bases } of entries) {
        const encoded = await packs.read(name, { start: offset, length })
        if (crc32(encoded) !== crc) throw new ObjectCorruptError(kind, hash, name)
        await copy.add({ hash, kind, checksum, bases }, encoded)
      }
    }
    return await copy.finish()
  } catch (error) {
    await copy.abort()
    throw error
  }
}
