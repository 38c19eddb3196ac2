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

/** Keys that come into one view's reference tree and keys that leave it. Calls come one after the other, never at once. */
export class ReferenceChanges {
  readonly #notes: ReferenceNotes

  /** @param passing Takes what memory should not hold. */
  constructor(passing: TemporarySpills, notes = new ReferenceNotes(passing)) {
    this.#notes = notes
  }

  get isEmpty(): boolean {
    return this.#notes.isEmpty
  }

  /** Every key that comes or leaves, ascending. */
  sorted(): AsyncGenerator<ReferenceNote[]> {
    return this.#notes.sorted()
  }

  /** Files of which a key comes, when all is noted, ascending: one that was noted to come and then to leave does not. */
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

  /** Of several notes on one key the last counts. Returns a promise only when there is one to await. */
  note(file: Hash, type: string, id: string, comes: boolean): Promise<void> | undefined {
    return this.#notes.note(referenceKey(file, type, id), comes)
  }

  async declare(file: Hash): Promise<void> {
    await this.#notes.note(declaredKey(file), true)
  }

  /** Notes that no file of a view is declared any more. */
  async undeclareAll(objects: ObjectReader, references: Tree, files: Tree): Promise<void> {
    for await (const { leaf } of walkLeaves(files, objects)) {
      for (const file of leaf.keys as Hash[]) {
        const isDeclared = (await findEntry(references, declaredKey(file), objects)) !== undefined
        if (isDeclared) await this.#notes.note(declaredKey(file), false)
      }
    }
  }

  /** Adds the notes of another, as later ones. The other takes no more notes from now on. */
  add(other: ReferenceChanges): Promise<void> {
    return this.#notes.add(other.#notes)
  }

  /** Notes what a record referred to before and refers to now. */
  async noteChange(objects: ObjectReader, type: string, change: ReferringChange): Promise<void> {
    for (const [line, comes] of [
      [change.before, false],
      [change.after, true],
    ] as const) {
      if (!mayRefer(line)) continue
      for (const file of await filesOf(objects, line)) await this.note(file, type, change.key, comes)
    }
  }

  /** Notes every reference of a whole record tree, as coming or leaving. The tree's objects must be readable. */
  async noteTree(objects: ObjectReader, type: string, tree: Tree, comes: boolean): Promise<void> {
    for await (const { hash, leaf } of walkLeaves(tree, objects)) {
      for (const [index, line] of leafLines(await objects.body(hash)).entries()) {
        for (const file of filesIn(await canonicalOf(objects, line)))
          await this.note(file, type, leaf.keys[index]!, comes)
      }
    }
  }
}
