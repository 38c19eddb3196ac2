/**
 * New leaves of a type's public tree, while its full tree is edited: a new full leaf is stored as what it adds to the public leaf with the
 * same records. Never the other way: then public reads would need private objects.
 */
import { type Child, compareUtf8 } from '@ulmus/content'
import type { EncodedLeaf } from '@ulmus/storage'
import type { BuildIo } from './tree-ports.ts'

/** A smaller tree does not save enough for a pack of its own, which is a file or a request to the bucket. Bytes of records. */
const bytesMin = 65_536

type Leaf = Pick<Child, 'hash' | 'lastKey' | 'bytes'>

export class PublicLeaves {
  readonly #io: Pick<BuildIo, 'objects' | 'writer'>
  readonly #leaves: Leaf[] = []
  #bytes = 0
  #at = 0
  #written: ReturnType<BuildIo['writer']['closePack']> | undefined

  constructor(io: Pick<BuildIo, 'objects' | 'writer'>) {
    this.#io = io
  }

  /** Adds a leaf that was passed to the writer. Leaves come in key order. */
  add({ hash, lastKey, bytes }: Leaf): void {
    this.#leaves.push({ hash, lastKey, bytes })
    this.#bytes += bytes
  }

  /**
   * The leaf with the public records around a key, as stored. Boundaries depend on keys alone, so the full leaf with this key usually lies within it.
   * A wrong leaf costs only space. Call it in key order, when all leaves are added.
   */
  async around(key: string): Promise<EncodedLeaf | undefined> {
    if (this.#bytes < bytesMin) return undefined
    while (this.#at < this.#leaves.length - 1 && compareUtf8(this.#leaves[this.#at]!.lastKey, key) < 0)
      this.#at++
    const { hash } = this.#leaves[this.#at]!
    this.#written ??= this.#io.writer.closePack()
    return this.#io.objects.encodedLeaf(hash, await this.#written)
  }
}
