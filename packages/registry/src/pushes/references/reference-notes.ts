/**
 * Notes on keys added to or removed from a reference tree, taken in any order and read in the order of the keys. Memory is
 * bounded: beyond the limit, notes go to spills, as entries with a file for the type and the rest of the key for the id.
 * Comparing two notes of one file then skips the 65 characters that their keys share.
 */
import { fileOfKey, type Hash, referencePrefix } from '@ulmus/content'
import { giveWay } from '@ulmus/storage'
import { compareEntries, type PushEntry } from '../spills/entries.ts'
import { groupsToMerge, mergeSpills, spillsAtOnceMax } from '../spills/merge.ts'
import type { TemporarySpills } from '../spills/temporary-spills.ts'

/** A key of a reference tree that a push adds or removes. */
export interface ReferenceNote {
  readonly key: string
  readonly file: Hash
  /** False: the key is removed. */
  readonly comes: boolean
}

/** Notes sorted in one piece, which takes a millisecond or two. */
const pieceNotesMax = 1_024
/** Minimum size of a batch when reading, except for the last. */
const batchNotes = 512
/** Memory limit of all notes. UTF-16 units of keys; some 80,000 keys of references. */
const unitsMax = 8 * 1024 ** 2
/** A put entry that notes an added key. Spills require a hash; its value has no meaning. */
const coming = Object.freeze({
  hash: '0'.repeat(64) as Hash,
  canonical: new Uint8Array(),
  private: false,
  refers: false,
})

/** Calls must not overlap. */
export class ReferenceNotes {
  readonly #passing: TemporarySpills
  readonly #bounds: { pieceNotesMax: number; unitsMax: number }
  /** Names of spills, the oldest notes. Pieces are newer, and `#newest` has the latest. */
  #spills: string[] = []
  #pieces: PushEntry[][] = []
  #newest = new Map<string, boolean>()
  #units = 0

  /** @param bounds lower in tests */
  constructor(passing: TemporarySpills, bounds = { pieceNotesMax, unitsMax }) {
    this.#passing = passing
    this.#bounds = bounds
  }

  get isEmpty(): boolean {
    return this.#newest.size + this.#pieces.length + this.#spills.length === 0
  }

  /** The last note on a key counts. Returns a promise only if there is something to await. */
  note(key: string, comes: boolean): Promise<void> | undefined {
    const { size } = this.#newest
    this.#newest.set(key, comes)
    if (this.#newest.size > size) this.#units += key.length
    if (this.#newest.size < this.#bounds.pieceNotesMax && !this.#isOver) return undefined
    return this.#close()
  }

  /** Adds the notes of `other` as later ones. `other` takes no more notes afterwards. */
  async add(other: ReferenceNotes): Promise<void> {
    if (other.#spills.length + other.#pieces.length > 0) {
      this.#sortNewest()
      if (other.#spills.length > 0) await this.#setAside()
      this.#spills.push(...other.#spills)
      this.#pieces.push(...other.#pieces)
      for (const piece of other.#pieces) this.#units += unitsOf(piece)
    }
    for (const [key, comes] of other.#newest) await this.note(key, comes)
    await this.#close()
  }

  /** All noted keys, ascending, each with its last note. May be read repeatedly. */
  async *sorted(): AsyncGenerator<ReferenceNote[]> {
    this.#sortNewest()
    while (this.#spills.length > spillsAtOnceMax) await this.#mergeSpills()
    const spills = this.#spills.map((name) => this.#passing.read(name))
    let notes: ReferenceNote[] = []
    for await (const entries of mergeSpills([...spills, ...this.#pieces.map(alone)])) {
      notes.push(...entries.map(noteOf))
      if (notes.length < batchNotes) continue
      yield notes
      notes = []
    }
    if (notes.length > 0) yield notes
  }

  get #isOver(): boolean {
    return this.#units >= this.#bounds.unitsMax
  }

  async #close(): Promise<void> {
    if (this.#newest.size >= this.#bounds.pieceNotesMax || this.#isOver) this.#sortNewest()
    if (this.#isOver) await this.#setAside()
    else await giveWay()
  }

  #sortNewest(): void {
    if (this.#newest.size === 0) return
    this.#pieces.push(Array.from(this.#newest, ([key, comes]) => entryOf(key, comes)).sort(compareEntries))
    this.#newest = new Map()
  }

  /** Moves the pieces into a spill. */
  async #setAside(): Promise<void> {
    if (this.#pieces.length === 0) return
    this.#spills.push(await this.#passing.keep(mergeSpills(this.#pieces.map(alone))))
    this.#pieces = []
    this.#units = 0
  }

  /** Merges some adjacent spills into longer ones, which replace them here. The files stay: other notes may share them. */
  async #mergeSpills(): Promise<void> {
    const groups = groupsToMerge(this.#spills)
    const longer: string[] = []
    for (const group of groups)
      longer.push(await this.#passing.keep(mergeSpills(group.map((name) => this.#passing.read(name)))))
    this.#spills = [...longer, ...this.#spills.slice(groups.flat().length)]
  }
}

async function* alone(piece: PushEntry[]): AsyncGenerator<PushEntry[]> {
  yield piece
}

function entryOf(key: string, comes: boolean): PushEntry {
  const file = fileOfKey(key)
  const id = key.slice(referencePrefix(file).length)
  return comes ? { type: file, id, put: coming } : { type: file, id }
}

function noteOf({ type, id, put }: PushEntry): ReferenceNote {
  const file = type as Hash
  return { key: referencePrefix(file) + id, file, comes: put !== undefined }
}

const unitsOf = (piece: readonly PushEntry[]): number =>
  piece.reduce((sum, { type, id }) => sum + type.length + id.length, 0)
