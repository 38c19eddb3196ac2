/**
 * New leaves of a type's public tree, while its full tree is edited: a new full leaf is stored as what it adds to the public leaf with the
 * same records. Never the other way: then public reads would need private objects.
 */
import { type Child, compareUtf8 } from '@ulmus/content'
import type { EncodedLeaf, ObjectReader, ObjectWriter } from '@ulmus/storage'

/** A smaller tree does not save enough for a pack of its own, which is a file or a request to the bucket. Bytes of records. */
const bytesMin = 65_536

/** A larger leaf would take too much memory beside the full one. Bytes. */
const leafBytesMax = 33_554_432
/**
 * Largest public leaf, as a multiple of the full one. Private keys may end many small full leaves within one large public leaf, which must
 * not be decoded for each of them.
 */
const timesMax = 4

type Leaf = Pick<Child, 'hash' | 'lastKey' | 'bytes'>

export class PublicLeaves {
  readonly #objects: ObjectReader
  readonly #written: () => ReturnType<ObjectWriter['closePack']>
  readonly #leaves: Leaf[] = []
  #bytes = 0
  #at = 0

  /** @param written locations of the written leaves */
  constructor(objects: ObjectReader, written: () => ReturnType<ObjectWriter['closePack']>) {
    this.#objects = objects
    this.#written = written
  }

  /** Adds a leaf that was passed to the writer. Leaves come in key order. */
  add({ hash, lastKey, bytes }: Leaf): void {
    this.#leaves.push({ hash, lastKey, bytes })
    this.#bytes += bytes
  }

  /**
   * The leaf with the public records around a key, as stored. Boundaries depend on keys alone, so the full leaf with this key usually lies
   * within it. A wrong leaf costs only space. Call it in key order, when all leaves are added.
   * @param bytes approximate size of the full leaf
   */
  async around(key: string, bytes: number): Promise<EncodedLeaf | undefined> {
    if (this.#bytes < bytesMin) return undefined
    while (this.#at < this.#leaves.length - 1 && compareUtf8(this.#leaves[this.#at]!.lastKey, key) < 0)
      this.#at++
    const leaf = this.#leaves[this.#at]!
    if (leaf.bytes > Math.min(leafBytesMax, bytes * timesMax)) return undefined
    return this.#objects.encodedLeaf(leaf.hash, await this.#written())
  }
}
