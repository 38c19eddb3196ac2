/**
 * Notes that keys of a reference tree come or go, taken in any order and read in the order of the keys. Memory does not grow with
 * them: what is beyond a bound waits in spills, as entries that have a file for a type and the rest of the key for an id. So those
 * of one file are distinguished quickly, without comparing the 65 characters that their keys share.
 */
import { fileOfKey, type Hash, referencePrefix } from '@ulmus/content'
import { giveWay } from '@ulmus/storage'
import { compareEntries, type PushEntry } from '../spills/entries.ts'
import { groupsToMerge, mergeSpills, spillsAtOnceMax } from '../spills/merge.ts'
import type { TemporarySpills } from '../spills/temporary-spills.ts'

export interface ReferenceNote {
  readonly key: string
  readonly file: Hash
  /** False: it goes. */
  readonly comes: boolean
}

/** Notes that are sorted at once: a millisecond or two. */
const pieceNotesMax = 1_024
/** Notes read at once, at least, but for the last. */
const batchNotes = 512
/** Memory limit of all notes. UTF-16 units of keys; some 80,000 keys of references. */
const unitsMax = 8 * 1024 ** 2
/** A note that a key comes is a put; a spill wants a hash for it, which says nothing. */
const coming = Object.freeze({
  hash: '0'.repeat(64) as Hash,
  canonical: new Uint8Array(),
  private: false,
  refers: false,
})

/** Calls come one after the other, never at once. */
export class ReferenceNotes {
  readonly #passing: TemporarySpills
  readonly #bounds: { pieceNotesMax: number; unitsMax: number }
  /** Names of spills; what they hold was noted before what the pieces hold, and that before the newest. */
  #spills: string[] = []
  #pieces: PushEntry[][] = []
  #newest = new Map<string, boolean>()
  #units = 0

  /** @param bounds Smaller in tests. */
  constructor(passing: TemporarySpills, bounds = { pieceNotesMax, unitsMax }) {
    this.#passing = passing
    this.#bounds = bounds
  }

  get isEmpty(): boolean {
    return this.#newest.size + this.#pieces.length + this.#spills.length === 0
  }

  /** Of several notes on one key the last counts. Returns a promise only when there is one to await. */
  note(key: string, comes: boolean): Promise<void> | undefined {
    const { size } = this.#newest
    this.#newest.set(key, comes)
    if (this.#newest.size > size) this.#units += key.length
    if (this.#newest.size < this.#bounds.pieceNotesMax && !this.#isOver) return undefined
    return this.#close()
  }

  /** Adds the notes of another, as later ones. The other takes no more notes from now on. */
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

  /** Every key that was noted, ascending, with the last note on it. May be read as often as wanted. */
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

  /** Merges some neighbours into longer spills, which take their place here; another that shares them still reads them. */
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
