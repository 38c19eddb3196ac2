/** The canonical forms of records, wherever they lie. */
import { isReferenceLine, referencedHash } from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'

/** The canonical form of a line of a leaf's body. */
export async function canonicalOf(objects: ObjectReader, line: Uint8Array): Promise<Uint8Array> {
  return isReferenceLine(line) ? objects.plain(referencedHash(line)) : line
}
