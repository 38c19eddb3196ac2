/** Extracts lines from a leaf's body, for worker threads that need only a few. */

import { isLeafLineOf, type Located, leafLineLength } from '@ulmus/content'
import type { LeafRows } from '@ulmus/content/stored'
import type { EncodedObject } from '@ulmus/storage'
import { ObjectCorrupt } from '@ulmus/storage/decoding'

/**
 * Takes a line out of a leaf's body, at the position that the leaf gives, and verifies it against the record's hash. Hashing a
 * few lines takes a fraction of the time for the whole body.
 * @throws ObjectCorrupt.
 */
export function linesIn(body: EncodedObject, raw: Uint8Array, rows: LeafRows) {
  const starts = rows.lineStarts()
  return (entry: Located | undefined): Uint8Array | undefined => {
    if (entry === undefined) return undefined
    const start = starts[entry.index]!
    // Copy the line: cloning a view for a message copies the whole body.
    const line = new Uint8Array(raw.subarray(start, start + leafLineLength(entry.size)))
    if (!isLeafLineOf(line, entry)) throw new ObjectCorrupt('body', body.hash, body.chain[0]!.pack)
    return line
  }
}
