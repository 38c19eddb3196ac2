/** Some lines of a leaf's body, for worker threads that want no more of it. */
import type { LeafNode } from '@ulmus/content'
import type { EncodedObject } from '@ulmus/storage'
import { ObjectCorrupt } from '@ulmus/storage/decoding'
import { isLineOf, lineLength } from '../bodies.ts'

/**
 * Takes lines out of a leaf's body, each where the leaf says that it lies and checked against the record's hash: some of a body are
 * hashed in a fraction of the time that the whole takes. @throws ObjectCorrupt.
 */
export function linesIn(body: EncodedObject, raw: Uint8Array, { sizes, hashes }: LeafNode) {
  const starts: number[] = []
  let next = 0
  for (const size of sizes) {
    starts.push(next)
    next += lineLength(size) + 1
  }
  return (at: { index: number } | undefined): Uint8Array | undefined => {
    if (at === undefined) return undefined
    const [start, size, hash] = [starts[at.index]!, sizes[at.index]!, hashes[at.index]!]
    // A view would take along the whole body.
    const line = new Uint8Array(raw.subarray(start, start + lineLength(size)))
    if (!isLineOf(line, { hash, size })) throw new ObjectCorrupt('body', body.hash, body.chain[0]!.pack)
    return line
  }
}
