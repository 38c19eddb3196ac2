/**
 * Marks of the manifest entries and records that a snapshot session has received, by hash. The serving process caches them and
 * rebuilds them from the session's spills. A record's hash covers its type and id, so each hash identifies one entry of the
 * manifest.
 */
import {
  BlobMissingError,
  findPush,
  listPushSpills,
  type PushSpillRow,
  type PushStanding,
} from '@ulmus/storage'
import { LRUCache } from 'lru-cache'
import type { Context } from '../../context.ts'
import { entriesOf } from '../spills/spills.ts'
import { isLive } from '../state/states.ts'

/** Bit of a mark: the manifest's entry is private. */
const isPrivate = 1
/** Bit of a mark: the base lacks the record, so the client must send it. */
const isNeeded = 2
/** Bit of a mark: the record has arrived. */
const isReceived = 4
/** Bit of a mark: the slot is in use. Without it, an entry without the other bits would look like a free slot. */
const isTaken = 8

/** Memory limit for the marks of all sessions: one of 12 million records takes 151 MB. Bytes. */
const marksBytesMax = 256 * 1024 ** 2

/**
 * A set of hashes with marks, keyed by the first 64 bits of each: open addressing, 9 bytes a slot, at most three of four
 * occupied. It does not distinguish hashes with the same 64 bits; the commit compares whole hashes.
 */
export class ManifestMarks {
  #high = new Uint32Array(1024)
  #low = new Uint32Array(1024)
  #marks = new Uint8Array(1024)
  size = 0
  needed = 0
  receivedNeeded = 0
  /** Spills up to this sequence are included. */
  sequence = 0

  get bytes(): number {
    return this.#marks.length * 9
  }

  /** Needed records that have not arrived yet. */
  get remaining(): number {
    return this.needed - this.receivedNeeded
  }

  add(hash: string, entry: { private: boolean; needed: boolean }): void {
    if (this.size * 4 >= this.#marks.length * 3) this.#grow()
    const place = this.#place(parseInt(hash.slice(0, 8), 16), parseInt(hash.slice(8, 16), 16))
    if (this.#marks[place] === 0) {
      this.size++
      if (entry.needed) this.needed++
    }
    const received = this.#marks[place]! & isReceived
    this.#marks[place] = isTaken | (entry.private ? isPrivate : 0) | (entry.needed ? isNeeded : 0) | received
  }

  /** The manifest's entry for a hash; undefined if there is none. */
  find(hash: string): { private: boolean } | undefined {
    const marks = this.#marks[this.#placeOf(hash)]!
    return marks === 0 ? undefined : { private: (marks & isPrivate) !== 0 }
  }

  receive(hash: string): void {
    const place = this.#placeOf(hash)
    const marks = this.#marks[place]!
    if (marks === 0 || (marks & isReceived) !== 0) return
    this.#marks[place] = marks | isReceived
    if ((marks & isNeeded) !== 0) this.receivedNeeded++
  }

  #placeOf(hash: string): number {
    return this.#place(parseInt(hash.slice(0, 8), 16), parseInt(hash.slice(8, 16), 16))
  }

  #place(high: number, low: number): number {
    const mask = this.#marks.length - 1
    for (let place = startOf(high, low) & mask; ; place = (place + 1) & mask) {
      if (this.#marks[place] === 0 || (this.#high[place] === high && this.#low[place] === low)) {
        this.#high[place] = high
        this.#low[place] = low
        return place
      }
    }
  }

  #grow(): void {
    const [high, low, marks] = [this.#high, this.#low, this.#marks]
    this.#high = new Uint32Array(marks.length * 2)
    this.#low = new Uint32Array(marks.length * 2)
    this.#marks = new Uint8Array(marks.length * 2)
    for (let place = 0; place < marks.length; place++) {
      if (marks[place] !== 0) this.#marks[this.#place(high[place]!, low[place]!)] = marks[place]!
    }
  }
}

/** Secret of this process: an attacker who chooses hashes must not predict their slots, or could fill one long run of them. */
const [secretHigh = 0, secretLow = 0] = crypto.getRandomValues(new Uint32Array(2))

const startOf = (high: number, low: number): number => mix(mix(high ^ secretHigh) ^ low ^ secretLow)

/** Finalizer of MurmurHash3: every input bit affects every output bit. */
function mix(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** Marks of sessions in this process. They may be evicted at any time: the spills contain all that they need. */
export class ManifestMarksCache {
  readonly #context: Context
  readonly #kept = new LRUCache<string, { marks: ManifestMarks; ready: Promise<void> }>({
    maxSize: marksBytesMax,
    max: 1_000,
    sizeCalculation: ({ marks }) => marks.bytes,
  })

  constructor(context: Context) {
    this.#context = context
  }

  /** Marks of a session with all spills that it has now; undefined if it has ended by then, as its spills are deleted. */
  async of(push: PushStanding): Promise<ManifestMarks | undefined> {
    const kept = this.#kept.get(push.id) ?? { marks: new ManifestMarks(), ready: Promise.resolve() }
    // One after the other: two requests of a session must not read the same spill at once.
    const ready = kept.ready.catch(() => undefined).then(() => this.#takeIn(push.id, kept.marks))
    // Set it again to update its size in the cache.
    this.#kept.set(push.id, { marks: kept.marks, ready })
    const damage = await ready.catch((error: unknown) => {
      if (error instanceof BlobMissingError) return error
      throw error
    })
    const now = await findPush(this.#context.database, push.collectionId, push.id)
    if (now === undefined || !isLive(now.status)) return undefined
    if (damage !== undefined) throw damage
    return kept.marks
  }

  /**
   * Reads new spills into the marks; reading one twice changes nothing. A missing spill of a live session was merged into a
   * longer one: the rows, read again, no longer name it.
   * @throws BlobMissingError if they still name it
   */
  async #takeIn(pushId: string, marks: ManifestMarks): Promise<void> {
    const taken = new Set<string>()
    const gone = new Set<string>()
    for (;;) {
      const spills = await listPushSpills(this.#context.database, pushId, marks.sequence)
      try {
        for (const spill of manifestFirst(spills)) {
          if (!taken.has(spill.name)) await this.#takeInSpill(spill, marks)
          taken.add(spill.name)
        }
        marks.sequence = spills.at(-1)?.sequence ?? marks.sequence
        return
      } catch (error) {
        if (!(error instanceof BlobMissingError) || gone.has(error.blob)) throw error
        gone.add(error.blob)
      }
    }
  }

  async #takeInSpill(spill: PushSpillRow, marks: ManifestMarks): Promise<void> {
    for await (const entries of entriesOf(this.#context, spill)) {
      for (const { put } of entries) {
        if (put === undefined) continue
        if (spill.role === 'records') marks.receive(put.hash)
        else marks.add(put.hash, { private: put.private, needed: put.needed === true })
      }
    }
  }
}

/**
 * Manifest spills first: received records count only if their entry is known, and a merged manifest spill may follow records sent
 * in between.
 */
function manifestFirst(spills: readonly PushSpillRow[]): PushSpillRow[] {
  const ofRole = (role: PushSpillRow['role']) => spills.filter((spill) => spill.role === role)
  return [...ofRole('manifest'), ...ofRole('records')]
}
