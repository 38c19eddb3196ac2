/**
 * fsck (content-model §8): checks all stored data against everything recorded about it.
 *
 * - every pack: its magic, footer and trailer, every object's encoded bytes, every index row against the footer;
 * - every object in the index: its whole chain decoded, its hash;
 * - every version: its documents, sidecar and schemas, the totals in its row; every tree's shape, order, boundaries and totals;
 *   every body's lines against its leaf; every file of a file set against the recorded files;
 * - on demand every file's bytes against its hash.
 *
 * Reads only, and may run beside servers: data removed by a sweep or a deletion meanwhile does not count as missing.
 */
import { createHash } from 'node:crypto'
import {
  documentDigest,
  type Hash,
  type LeafNode,
  type Sidecar,
  type ViewDocument,
  type ViewRoots,
} from '@ulmus/content'
import {
  allFiles,
  allVersionRoots,
  BlobMissingError,
  fileName,
  fileSizes,
  findVersionById,
  ObjectCorruptError,
  ObjectMissingError,
  type ObjectReader,
  openObjectReader,
  type PackEntry,
  type VersionRoots,
  type VersionRow,
} from '@ulmus/storage'
import { semverOf, totalsOf } from '../versions/content.ts'
import { readSidecar } from '../versions/sidecar.ts'
import { type Damage, Damages } from './fsck/damage.ts'
import { checkPacks, objectName } from './fsck/packs.ts'
import { TreeCheck } from './fsck/trees.ts'
import type { SweepContext } from './sweep.ts'

export interface FsckOptions {
  /** True: also reads every file and checks its hash. */
  files?: boolean
  onDamage: (damage: Damage) => void
}

/** Outcome of a check; the damage itself is reported at once with `onDamage`. */
export interface FsckReport {
  packs: number
  objects: number
  versions: number
  /** Records in distinct bodies. */
  records: number
  /** Files read. */
  files: number
  /** Number of damaged things. */
  damages: number
}

/** Cache of decoded objects during a check. Bytes. */
const cacheBytes = 67_108_864

export async function fsck(context: SweepContext, options: FsckOptions): Promise<FsckReport> {
  return new Fsck(context, options).run()
}

class Fsck {
  readonly #context: SweepContext
  readonly #options: FsckOptions
  readonly #damages: Damages
  readonly #objects: ObjectReader

  constructor(context: SweepContext, options: FsckOptions) {
    const { database, blobs } = context
    this.#context = context
    this.#options = options
    this.#damages = new Damages(options.onDamage)
    this.#objects = openObjectReader({ database, blobs, cacheBytesMax: cacheBytes })
  }

  async run(): Promise<FsckReport> {
    let objects = 0
    const packs = await checkPacks(this.#context, this.#damages, async (row) => {
      objects++
      await this.#object(row)
    })
    const { versions, records } = await this.#versions()
    const files = this.#options.files ? await this.#files() : 0
    return { packs, objects, versions, records, files, damages: this.#damages.count }
  }

  async #object({ kind, hash }: PackEntry): Promise<void> {
    try {
      await (kind === 'plain' ? this.#objects.plain(hash) : this.#objects.body(hash))
    } catch (error) {
      // The object was swept since its row was read.
      if (error instanceof ObjectMissingError) return
      if (!(error instanceof ObjectCorruptError)) throw error
      this.#damages.add(objectName({ kind, hash }), error)
    }
  }

  async #versions(): Promise<{ versions: number; records: number }> {
    let found: Damage[] = []
    const gathered = new Damages((damage) => found.push(damage))
    const trees = new TreeCheck(this.#objects, gathered, (leaf) => this.#fileLeaf(leaf, gathered))
    const roots = await allVersionRoots(this.#context.database)
    for (const root of roots) {
      const before = trees.learned()
      await this.#version(root, trees, gathered)
      if (found.length === 0) continue
      if ((await findVersionById(this.#context.database, root.id)) !== undefined) {
        for (const { what, why } of found) this.#damages.add(what, why)
      } else {
        // The version was deleted, so nothing is missing. Damage to shared nodes is reported when other versions are checked.
        trees.forgetSince(before)
        gathered.forget(found)
      }
      found = []
    }
    return { versions: roots.length, records: trees.records }
  }

  async #version(roots: VersionRoots, trees: TreeCheck, damages: Damages): Promise<void> {
    const row = await findVersionById(this.#context.database, roots.id)
    if (row === undefined) return
    const name = `version ${semverOf(row)} of collection ${row.collectionId}`
    const full = await this.#document(roots.fullDigest, name, trees, damages)
    const publicDocument = await this.#document(roots.publicDigest, name, trees, damages)
    if (full !== undefined && publicDocument !== undefined && !hasTotals(row, full, publicDocument))
      damages.add(name, 'Its row and its documents do not agree on how many records, files and bytes it has.')
    const sidecar = await this.#sidecar(roots.sidecar, name, trees, damages)
    if (full === undefined || publicDocument === undefined || sidecar === undefined) return
    if (!isAlike(full, sidecar.roots.full) || !isAlike(publicDocument, sidecar.roots.public))
      damages.add(name, 'Its documents and its sidecar do not agree on the roots of its trees.')
  }

  async #document(
    digest: Hash,
    version: string,
    trees: TreeCheck,
    damages: Damages,
  ): Promise<ViewDocument | undefined> {
    const document = await this.#read(digest, damages, () => this.#objects.document(digest))
    if (document === undefined) return undefined
    await trees.check(document.files, 'files', version)
    for (const [type, entry] of Object.entries(document.types)) {
      await this.#read(entry.schema, damages, () => this.#objects.plain(entry.schema))
      await trees.check(entry, { type }, version)
    }
    return document
  }

  async #sidecar(
    hash: Hash,
    version: string,
    trees: TreeCheck,
    damages: Damages,
  ): Promise<Sidecar | undefined> {
    const sidecar = await this.#read(hash, damages, () => readSidecar(this.#objects, hash))
    if (sidecar === undefined) return undefined
    for (const tree of [sidecar.references.full, sidecar.references.public])
      await trees.check(tree, 'references', version)
    for (const [type, tree] of Object.entries(sidecar.hiddenTrees)) await trees.check(tree, { type }, version)
    return sidecar
  }

  async #read<T>(hash: Hash, damages: Damages, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ObjectCorruptError || error instanceof ObjectMissingError)) throw error
      damages.add(objectName({ kind: 'plain', hash }), error)
      return undefined
    }
  }

  async #fileLeaf(leaf: LeafNode, damages: Damages): Promise<void> {
    const sizes = await fileSizes(this.#context.database, leaf.keys)
    for (const [i, hash] of leaf.keys.entries()) {
      const size = sizes.get(hash)
      if (size === undefined) damages.add(`file sha256:${hash}`, 'No file is recorded under that hash.')
      else if (size !== leaf.sizes[i])
        damages.add(`file sha256:${hash}`, `A file set says ${leaf.sizes[i]} bytes, its record ${size}.`)
    }
  }

  /** Reads every file. Returns their number. */
  async #files(): Promise<number> {
    let files = 0
    for await (const page of allFiles(this.#context.database)) {
      for (const { hash, size } of page) await this.#file(hash, size)
      files += page.length
    }
    return files
  }

  async #file(hash: Hash, size: number): Promise<void> {
    const hasher = createHash('sha256')
    let bytes = 0
    try {
      for await (const chunk of this.#context.blobs.stream(fileName(hash))) {
        hasher.update(chunk)
        bytes += chunk.length
      }
    } catch (error) {
      if (!(error instanceof BlobMissingError)) throw error
      this.#damages.add(`file sha256:${hash}`, error)
      return
    }
    if (bytes !== size) this.#damages.add(`file sha256:${hash}`, `It has ${bytes} bytes, not ${size}.`)
    else if (hasher.digest('hex') !== hash)
      this.#damages.add(`file sha256:${hash}`, 'Its bytes are not the ones that were uploaded.')
  }
}

const isAlike = (document: ViewDocument, { files, types }: ViewRoots): boolean =>
  documentDigest({ ...document, metadata: {} }) === documentDigest({ files, metadata: {}, types })

function hasTotals(row: VersionRow, full: ViewDocument, publicDocument: ViewDocument): boolean {
  const [inFull, inPublic] = [totalsOf(full), totalsOf(publicDocument)]
  return (
    row.fullRecords === inFull.records &&
    row.fullBytes === inFull.bytes &&
    row.fullFiles === full.files.count &&
    row.publicRecords === inPublic.records &&
    row.publicBytes === inPublic.bytes &&
    row.publicFiles === publicDocument.files.count
  )
}
