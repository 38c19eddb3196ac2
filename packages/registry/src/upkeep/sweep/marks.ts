/**
 * Marks every object that versions need, from their sidecars, which have the roots of their documents. What one version marked is
 * not walked again for the next, so marking costs as much as the versions differ. Takes some 150 bytes of memory an object; 10
 * million records have some 20,000 objects.
 */
import {
  type Hash,
  type InteriorNode,
  recordInlineBytesMax,
  type Tree,
  type TreeKind,
  type ViewRoots,
} from '@ulmus/content'
import {
  findVersionById,
  ObjectCorruptError,
  ObjectMissingError,
  type ObjectName,
  type ObjectReader,
  objectKey,
  type Queries,
  type VersionRoots,
} from '@ulmus/storage'
import { readSidecar } from '../../versions/sidecar.ts'

/** Children of a node that are read concurrently. */
const atOnce = 8

/** Living objects of the versions marked so far. */
export class Marks {
  readonly #objects: ObjectReader
  readonly #database: Queries
  readonly #mayLack: boolean
  readonly #versions = new Set<string>()
  #hasGaps = false
  /** `objectKey`s of needed objects. Each is added after all objects that it names, so one that is here is not walked again. */
  readonly #needed = new Set<string>()
  /**
   * Living objects that do not keep anything below them alive: documents, bases, schemas, large records. A schema can have the
   * bytes, and so the hash, of a node or a document: it is JSON that its pusher chose.
   */
  readonly #alone = new Set<string>()

  /** @param mayLack true: objects may be missing, with everything below them, because an earlier erasure removed them in part */
  constructor(database: Queries, objects: ObjectReader, { mayLack = false }: { mayLack?: boolean } = {}) {
    this.#mayLack = mayLack
    this.#database = database
    this.#objects = objects
  }

  /**
   * True if a version to erase could not be read completely. The objects below the damage are unknown and must keep their rows:
   * without them, the erasure could not find the bytes any more.
   */
  get hasGaps(): boolean {
    return this.#hasGaps
  }

  get versions(): number {
    return this.#versions.size
  }

  /** Number of living objects. */
  get living(): number {
    let alone = 0
    for (const key of this.#alone) if (!this.#needed.has(key)) alone++
    return this.#needed.size + alone
  }

  lives(name: ObjectName): boolean {
    const key = objectKey(name)
    return this.#needed.has(key) || this.#alone.has(key)
  }

  /** Names of all living objects. Each follows the objects that it needs, except for documents. */
  *names(): Generator<ObjectName> {
    for (const key of new Set([...this.#alone, ...this.#needed]))
      yield key.startsWith('=')
        ? { kind: 'body', hash: key.slice(1) as Hash }
        : { kind: 'plain', hash: key as Hash }
  }

  /** Marks an object without the objects below it, such as a base, which lives with its deltas. */
  markAlone(name: ObjectName): void {
    this.#alone.add(objectKey(name))
  }

  /** @throws if an object of an existing version is unreadable: the living objects are then unknown. */
  async mark(versions: readonly VersionRoots[]): Promise<void> {
    for (const version of versions) {
      if (this.#versions.has(version.id)) continue
      try {
        await this.#version(version)
      } catch (error) {
        // A version that was deleted with its collection, or erased and swept by another process, needs nothing.
        const erasure = (await findVersionById(this.#database, version.id))?.erasure
        if (this.#mayLack || erasure === null) throw error
        if (erasure === 'asked' && error instanceof ObjectCorruptError) this.#hasGaps = true
      }
      this.#versions.add(version.id)
    }
  }

  async #version({ fullDigest, publicDigest, sidecar }: VersionRoots): Promise<void> {
    for (const digest of [fullDigest, publicDigest]) this.#alone.add(digest)
    if (this.#needed.has(sidecar)) return
    const read = await this.#unlessLacking(() => readSidecar(this.#objects, sidecar))
    if (read === undefined) return
    const { roots, references, hiddenTrees } = read
    for (const view of new Set([roots.full, roots.public])) await this.#view(view)
    for (const tree of [references.full, references.public]) await this.#tree(tree, 'set')
    for (const tree of Object.values(hiddenTrees)) await this.#tree(tree, 'records')
    this.#needed.add(sidecar)
  }

  async #view({ files, types }: ViewRoots): Promise<void> {
    await this.#tree(files, 'set')
    for (const type of Object.values(types)) {
      this.#alone.add(type.schema)
      await this.#tree(type, 'records')
    }
  }

  async #tree({ root }: Tree, kind: TreeKind): Promise<void> {
    if (root !== null) await this.#node(root, kind)
  }

  async #node(hash: Hash, kind: TreeKind): Promise<void> {
    if (this.#needed.has(hash)) return
    const node = await this.#unlessLacking(() => this.#objects.node(hash))
    if (node === undefined) return
    if (node.kind === 'node') await this.#children(node, kind)
    else if (kind === 'records') {
      this.#needed.add(objectKey({ kind: 'body', hash }))
      for (const [i, size] of node.sizes.entries()) {
        if (size > recordInlineBytesMax) this.#alone.add(node.hashes[i]!)
      }
    }
    this.#needed.add(hash)
  }

  async #unlessLacking<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read()
    } catch (error) {
      if (this.#mayLack && error instanceof ObjectMissingError) return undefined
      throw error
    }
  }

  async #children({ children, level }: InteriorNode, kind: TreeKind): Promise<void> {
    // A leaf of a set refers to no other object.
    if (kind === 'set' && level === 1) for (const child of children) this.#needed.add(child)
    else
      for (let i = 0; i < children.length; i += atOnce) {
        await Promise.all(children.slice(i, i + atOnce).map((child) => this.#node(child, kind)))
      }
  }
}
