/** Changes of a push to one view's reference tree: noted record by record, read in the order of the tree's keys. */

import {
  declaredKey,
  findEntry,
  type Hash,
  leafLines,
  referenceKey,
  type Tree,
  walkLeaves,
} from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import { canonicalOf } from '../../stored-leaves/canonical-forms.ts'
import type { ReferringChange } from '../leaves/edit-leaves.ts'
import { filesIn, filesOf, mayRefer } from '../leaves/line.ts'
import type { TemporarySpills } from '../spills/temporary-spills.ts'
import { type ReferenceNote, ReferenceNotes } from './reference-notes.ts'

/** Keys added to one view's reference tree, and keys removed from it. Calls must not overlap. */
export class ReferenceChanges {
  readonly #notes: ReferenceNotes

  /** @param passing spills for data that is too large for memory */
  constructor(passing: TemporarySpills, notes = new ReferenceNotes(passing)) {
    this.#notes = notes
  }

  get isEmpty(): boolean {
    return this.#notes.isEmpty
  }

  /** Every added or removed key, ascending. */
  sorted(): AsyncGenerator<ReferenceNote[]> {
    return this.#notes.sorted()
  }

  /** Files with an added key, ascending, after all notes. A key that was added and then removed does not count. */
  async *arriving(): AsyncGenerator<Hash[]> {
    let last: Hash | undefined
    for await (const notes of this.#notes.sorted()) {
      const files: Hash[] = []
      for (const { file, comes } of notes) {
        if (comes && file !== last) files.push(file)
        if (comes) last = file
      }
      yield files
    }
  }

  /** The last note on a key counts. Returns a promise only if there is something to await. */
  note(file: Hash, type: string, id: string, comes: boolean): Promise<void> | undefined {
    return this.#notes.note(referenceKey(file, type, id), comes)
  }

  async declare(file: Hash): Promise<void> {
    await this.#notes.note(declaredKey(file), true)
  }

  /** Removes the declaration of every file of a view. */
  async undeclareAll(objects: ObjectReader, references: Tree, files: Tree): Promise<void> {
    for await (const { leaf } of walkLeaves(files, objects)) {
      for (const file of leaf.keys as Hash[]) {
        const isDeclared = (await findEntry(references, declaredKey(file), objects)) !== undefined
        if (isDeclared) await this.#notes.note(declaredKey(file), false)
      }
    }
  }

  /** Adds the notes of `other` as later ones. `other` takes no more notes afterwards. */
  add(other: ReferenceChanges): Promise<void> {
    return this.#notes.add(other.#notes)
  }

  /** Notes the references that a record had before a change and has after it. */
  async noteChange(objects: ObjectReader, type: string, change: ReferringChange): Promise<void> {
    for (const [line, comes] of [
      [change.before, false],
      [change.after, true],
    ] as const) {
      if (!mayRefer(line)) continue
      for (const file of await filesOf(objects, line)) await this.note(file, type, change.key, comes)
    }
  }

  /** Notes every reference of a whole record tree as added or removed. The tree's objects must be readable. */
  async noteTree(objects: ObjectReader, type: string, tree: Tree, comes: boolean): Promise<void> {
    for await (const { hash, leaf } of walkLeaves(tree, objects)) {
      for (const [index, line] of leafLines(await objects.body(hash)).entries()) {
        for (const file of filesIn(await canonicalOf(objects, line)))
          await this.note(file, type, leaf.keys[index]!, comes)
      }
    }
  }
}
