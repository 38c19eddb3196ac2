/**
 * Updates the file set of a view after a push; the cost depends on the changes, not on the size of the view (content-model §6). The
 * reference tree has one key per (file, type, id). A file belongs to the view while at least one key refers to it.
 */

import {
  type Edit,
  editTree,
  findEntry,
  type Hash,
  noHash,
  referencePrefix,
  type Tree,
  walkLeaves,
} from '@ulmus/content'
import { LeafCursor } from '@ulmus/content/stored'
import { giveWay, type ObjectReader, type ObjectWriter } from '@ulmus/storage'
import { setPort } from '../leaves/tree-ports.ts'
import type { ReferenceChanges } from './reference-changes.ts'

/** Trees of a view about files: the references to them, and the set of files itself. */
export interface FileView {
  references: Tree
  files: Tree
}

/**
 * Applies changes to a view's reference tree and updates its file set. Reads only the base.
 * @param sizes in bytes, of every newly referenced file
 */
export async function applyReferences(
  base: FileView,
  changes: ReferenceChanges,
  sizes: ReadonlyMap<Hash, number>,
  io: { objects: ObjectReader; writer: ObjectWriter },
): Promise<FileView> {
  if (changes.isEmpty) return base
  const port = setPort(io.objects, io.writer)
  return {
    references: await editTree(base.references, referenceEdits(changes, sizes), port, { kind: 'set' }),
    files: await editTree(base.files, fileEdits(base.references, changes, sizes, io.objects), port, {
      kind: 'set',
    }),
  }
}

const put = (key: string, size: number): Edit<null> => ({ key, put: { hash: noHash, size, payload: null } })

async function* referenceEdits(
  changes: ReferenceChanges,
  sizes: ReadonlyMap<Hash, number>,
): AsyncGenerator<Edit<null>[]> {
  for await (const notes of changes.sorted())
    yield notes.map(({ key, file, comes }) => (comes ? put(key, sizes.get(file)!) : { key }))
}

/** A file is present if a key of it is added; a file with removed keys is gone unless another key remains. */
async function* fileEdits(
  references: Tree,
  changes: ReferenceChanges,
  sizes: ReadonlyMap<Hash, number>,
  objects: ObjectReader,
): AsyncGenerator<Edit<null>[]> {
  const base = new LeafCursor(objects, references)
  let file: Hash | undefined
  let comes = false
  let leaving = 0
  const editsOf = async (one: Hash): Promise<Edit<null>[]> => {
    if (comes) return [put(one, sizes.get(one)!)]
    return (await hasMoreKeys(references, one, leaving, objects)) ? [] : [{ key: one }]
  }
  for await (const notes of changes.sorted()) {
    const edits: Edit<null>[] = []
    for (const note of notes) {
      if (note.file !== file) {
        if (file !== undefined) edits.push(...(await editsOf(file)))
        file = note.file
        comes = false
        leaving = 0
      }
      comes ||= note.comes
      if (!comes && (await base.find(note.key)) !== undefined) leaving++
    }
    yield edits
  }
  if (file !== undefined) yield await editsOf(file)
}

/** True if the tree has more than `count` keys of a file. Stops reading at the first one beyond. */
async function hasMoreKeys(
  references: Tree,
  file: Hash,
  count: number,
  objects: ObjectReader,
): Promise<boolean> {
  const prefix = referencePrefix(file)
  let left = count
  for await (const { leaf, start } of walkLeaves(references, objects, { after: prefix })) {
    for (let index = start; index < leaf.keys.length; index++) {
      if (!leaf.keys[index]!.startsWith(prefix)) return false
      if (left-- === 0) return true
    }
    await giveWay()
  }
  return false
}

/** Sizes of those `files` that a file tree has. */
export async function sizesIn(
  tree: Tree,
  files: Iterable<Hash>,
  objects: ObjectReader,
): Promise<Map<Hash, number>> {
  const sizes = new Map<Hash, number>()
  for (const file of files) {
    const found = await findEntry(tree, file, objects)
    if (found !== undefined) sizes.set(file, found.size)
    await giveWay()
  }
  return sizes
}

/** Sizes of all newly referenced files of either view: from the base, else from `fileSizes`. */
export async function arrivingSizes(
  changes: { full: ReferenceChanges; public: ReferenceChanges },
  base: Tree,
  objects: ObjectReader,
  fileSizes: (files: readonly Hash[]) => Promise<ReadonlyMap<Hash, number>>,
): Promise<ReadonlyMap<Hash, number>> {
  const sizes = new Map<Hash, number>()
  const unknown = new Set<Hash>()
  for (const view of [changes.full, changes.public]) {
    for await (const files of view.arriving()) {
      const others = files.filter((file) => !sizes.has(file) && !unknown.has(file))
      const had = await sizesIn(base, others, objects)
      for (const [file, size] of had) sizes.set(file, size)
      for (const file of others) if (!had.has(file)) unknown.add(file)
    }
  }
  if (unknown.size > 0) for (const [file, size] of await fileSizes([...unknown])) sizes.set(file, size)
  return sizes
}

/** Newly referenced files that the view lacked before. */
export async function enteredFiles(
  changes: ReferenceChanges,
  before: Tree,
  objects: ObjectReader,
): Promise<Hash[]> {
  const entered: Hash[] = []
  for await (const files of changes.arriving()) {
    const had = await sizesIn(before, files, objects)
    for (const file of files) if (!had.has(file)) entered.push(file)
  }
  return entered
}
