/** Some lines of a leaf's body, for worker threads that want no more of it. */

import { isLeafLineOf, type Located, leafLineLength } from '@ulmus/content'
import type { LeafRows } from '@ulmus/content/stored'
import type { EncodedObject } from '@ulmus/storage'
import { ObjectCorrupt } from '@ulmus/storage/decoding'

/**
 * Takes lines out of a leaf's body, each where the leaf says that it lies and checked against the record's hash: some of a body are
 * hashed in a fraction of the time that the whole takes. @throws ObjectCorrupt.
 */
export function linesIn(body: EncodedObject, raw: Uint8Array, rows: LeafRows) {
  const starts = rows.lineStarts()
  return (entry: Located | undefined): Uint8Array | undefined => {
    if (entry === undefined) return undefined
    const start = starts[entry.index]!
    // A view would take along the whole body.
    const line = new Uint8Array(raw.subarray(start, start + leafLineLength(entry.size)))
    if (!isLeafLineOf(line, entry)) throw new ObjectCorrupt('body', body.hash, body.chain[0]!.pack)
    return line
  }
}
