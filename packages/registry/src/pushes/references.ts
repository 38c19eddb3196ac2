/**
 * Which files a view holds, kept up to date at the cost of what a push changes (content-model §6): a reference tree has one key
 * for every (file, type, id), and a file is in the view while some key of it is.
 */
import {
  compareUtf8,
  type Edit,
  editTree,
  fileReferences,
  findEntry,
  type Hash,
  noHash,
  parseCanonical,
  type Tree,
  walkLeaves,
} from '@ulmus/content'
import type { ObjectReader, ObjectWriter } from '@ulmus/storage'
import { declaredKey, referenceKey, referencePrefix } from '../aside.ts'
import { canonicalOf, isReference, linesOf } from '../bodies.ts'
import { canonicalOfLine, type Line, type RecordChange, setPort } from './tree-ports.ts'

const fileMark = Buffer.from('"$file"')
const decoder = new TextDecoder()

/** JCS escapes nothing in `"$file"`: a form without these bytes refers to no file. */
const holdsMark = (canonical: Uint8Array): boolean =>
  Buffer.from(canonical.buffer, canonical.byteOffset, canonical.byteLength).includes(fileMark)

/** Files that a canonical form refers to. */
const filesIn = (canonical: Uint8Array): Hash[] =>
  holdsMark(canonical) ? fileReferences(parseCanonical(decoder.decode(canonical)).data) : []

const mayRefer = (line: Line | undefined): boolean =>
  line !== undefined && (line.refers ?? (isReference(line.bytes) || holdsMark(line.bytes)))

/** Keys that come into one view's reference tree and keys that leave it. */
export class ReferenceChanges {
  /** Key → does it come (true) or leave (false). */
  readonly #keys = new Map<string, boolean>()
  readonly #files = new Set<Hash>()

  get size(): number {
    return this.#keys.size
  }

  /** Every file of which a key comes or leaves. */
  get files(): ReadonlySet<Hash> {
    return this.#files
  }

  /** Files of which a key comes, when all is noted: one that was noted to come and then to leave does not. */
  arriving(): Set<Hash> {
    const files = new Set<Hash>()
    for (const [key, comes] of this.#keys) if (comes) files.add(key.slice(0, 64) as Hash)
    return files
  }

  /** Whether a key leaves. */
  leaves(key: string): boolean {
    return this.#keys.get(key) === false
  }

  /** Of several notes on one key the last counts. */
  note(file: Hash, type: string, id: string, comes: boolean): void {
    this.#set(file, referenceKey(file, type, id), comes)
  }

  declare(file: Hash): void {
    this.#set(file, declaredKey(file), true)
  }

  /** Notes that no file of a view is declared any more. */
  async undeclareAll(objects: ObjectReader, references: Tree, files: Tree): Promise<void> {
    for await (const { leaf } of walkLeaves(files, objects)) {
      for (const file of leaf.keys as Hash[]) {
        const isDeclared = (await findEntry(references, declaredKey(file), objects)) !== undefined
        if (isDeclared) this.#set(file, declaredKey(file), false)
      }
    }
  }

  /** Adds the notes of another, as later ones. */
  add(other: ReferenceChanges): void {
    for (const [key, comes] of other.#keys) this.#set(key.slice(0, 64) as Hash, key, comes)
  }

  #set(file: Hash, key: string, comes: boolean): void {
    this.#files.add(file)
    this.#keys.set(key, comes)
  }

  /** Notes what a record referred to before and refers to now. Nothing to wait for where it is no file, as in most. */
  noteChange(objects: ObjectReader, type: string, change: RecordChange): Promise<void> | undefined {
    const [before, after] = [change.before?.payload, change.after?.payload]
    const [left, came] = [mayRefer(before), mayRefer(after)]
    if (!left && !came) return undefined
    const note = async (line: Line, comes: boolean) => {
      for (const file of filesIn(await canonicalOfLine(objects, line)))
        this.note(file, type, change.key, comes)
    }
    return (left ? note(before!, false) : Promise.resolve()).then(() =>
      came ? note(after!, true) : undefined,
    )
  }

  /** Notes every reference of a whole record tree, as coming or leaving. The tree's objects must be readable. */
  async noteTree(objects: ObjectReader, type: string, tree: Tree, comes: boolean): Promise<void> {
    for await (const { hash, leaf } of walkLeaves(tree, objects)) {
      for (const [index, line] of linesOf(await objects.body(hash)).entries()) {
        for (const file of filesIn(await canonicalOf(objects, line)))
          this.note(file, type, leaf.keys[index]!, comes)
      }
    }
  }

  /** Sorted edits of the reference tree. `sizes`: bytes of every arriving file. */
  edits(sizes: ReadonlyMap<Hash, number>): Edit<null>[] {
    const sorted = [...this.#keys].sort(([a], [b]) => compareUtf8(a, b))
    return sorted.map(([key, comes]) =>
      comes
        ? { key, put: { hash: noHash, size: sizes.get(key.slice(0, 64) as Hash)!, payload: null } }
        : { key },
    )
  }
}

export interface FileView {
  references: Tree
  files: Tree
}

/** Applies changes to a view's reference tree and lets its file set follow. Reads the base only. */
export async function applyReferences(
  base: FileView,
  changes: ReferenceChanges,
  sizes: ReadonlyMap<Hash, number>,
  io: { objects: ObjectReader; writer: ObjectWriter },
): Promise<FileView> {
  if (changes.size === 0) return base
  const port = setPort(io.objects, io.writer)
  const edits: Edit<null>[] = []
  const arriving = changes.arriving()
  for (const file of [...changes.files].sort(compareUtf8)) {
    const size = sizes.get(file)
    if (size !== undefined && arriving.has(file))
      edits.push({ key: file, put: { hash: noHash, size, payload: null } })
    else if (!(await staysReferred(base.references, file, changes, io.objects))) edits.push({ key: file })
  }
  return {
    references: await editTree(base.references, [changes.edits(sizes)], port, { kind: 'set' }),
    files: await editTree(base.files, [edits], port, { kind: 'set' }),
  }
}

/** Whether a key of the file is there that does not leave. Reads on only past keys that do. */
async function staysReferred(
  references: Tree,
  file: Hash,
  changes: ReferenceChanges,
  objects: ObjectReader,
): Promise<boolean> {
  const prefix = referencePrefix(file)
  for await (const { leaf, start } of walkLeaves(references, objects, { after: prefix })) {
    for (let index = start; index < leaf.keys.length; index++) {
      const key = leaf.keys[index]!
      if (!key.startsWith(prefix)) return false
      if (!changes.leaves(key)) return true
    }
  }
  return false
}

/** Sizes of those of `files` that a file tree holds. */
export async function sizesIn(
  tree: Tree,
  files: Iterable<Hash>,
  objects: ObjectReader,
): Promise<Map<Hash, number>> {
  const sizes = new Map<Hash, number>()
  for (const file of files) {
    const found = await findEntry(tree, file, objects)
    if (found !== undefined) sizes.set(file, found.size)
  }
  return sizes
}
