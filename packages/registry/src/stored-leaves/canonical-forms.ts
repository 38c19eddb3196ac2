import { isReferenceLine, referencedHash } from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'

/** Returns the canonical form of a record: its line in a leaf's body or, for a large record, the object that the line names. */
export async function canonicalOf(objects: ObjectReader, line: Uint8Array): Promise<Uint8Array> {
  return isReferenceLine(line) ? objects.plain(referencedHash(line)) : line
}
