/**
 * Changes of a push, one per (type, id), in batches or as a merged stream by type: the form in which spills are read and commits
 * use them.
 */
import { compareUtf8, type Hash } from '@ulmus/content'
import type { FrameBuffer } from './frame-buffer.ts'

/** A change of one record. */
export interface PushEntry {
  readonly type: string
  readonly id: string
  /** Present: the new content of the record. Absent: the record is deleted. */
  readonly put?: PushedRecord
}

export interface PushedRecord {
  readonly hash: Hash
  /** Canonical form, UTF-8. Empty in a manifest, which names records only. */
  readonly canonical: Uint8Array
  /** The buffer of the spill that contains `canonical` among others; its last user releases it. */
  readonly buffer?: FrameBuffer | undefined
  /** False: the record is known to refer to no file. */
  readonly refers: boolean
  /** Pushed as `private: true`. */
  readonly private: boolean
  /** For a manifest entry: the base version lacks the record, so the client must send it. */
  readonly needed?: boolean
  /** The record is the base's own, listed only for its privacy: no batch has checked it. */
  readonly carried?: boolean
}

/** Starts a new merged stream of a push; `passed` receives the number of records done. */
export type EntriesSource = (passed?: (records: number) => void) => AsyncGenerator<PushEntry[]>

/** Order of pushed entries: type, then id, both by UTF-8 bytes. */
export const compareEntries = (a: { type: string; id: string }, b: { type: string; id: string }): number =>
  a.type === b.type ? compareUtf8(a.id, b.id) : compareUtf8(a.type, b.type)

/** A batch is full with this many entries. */
const batchEntries = 128
/** A batch is full with this many bytes of canonical forms. Its last entry may exceed them. */
const batchBytes = 4_194_304

/** Collects entries into batches. */
export class EntryBatch {
  #entries: PushEntry[] = []
  #bytes = 0

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** True: call `take` before adding more. */
  get isFull(): boolean {
    return this.#entries.length >= batchEntries || this.#bytes >= batchBytes
  }

  add(entry: PushEntry): void {
    this.#entries.push(entry)
    this.#bytes += entry.put?.canonical.length ?? 0
  }

  /** Returns and removes all entries. */
  take(): PushEntry[] {
    const entries = this.#entries
    this.#entries = []
    this.#bytes = 0
    return entries
  }
}

/** Splits a merged stream of entries by type. */
export class EntriesByType {
  readonly #batches: AsyncGenerator<PushEntry[]>
  #pending: PushEntry[] | undefined

  /** @param batches in the form of `mergeSpills`: of one type each, ascending */
  constructor(batches: AsyncGenerator<PushEntry[]>) {
    this.#batches = batches
  }

  /** The entries of a type. Types must be requested in ascending order; skips entries of earlier types. */
  async *of(type: string): AsyncGenerator<PushEntry[]> {
    for (;;) {
      if (this.#pending === undefined) {
        const next = await this.#batches.next()
        if (next.done) return
        this.#pending = next.value
      }
      const order = compareUtf8(this.#pending[0]!.type, type)
      if (order > 0) return
      const batch = this.#pending
      this.#pending = undefined
      if (order === 0) yield batch
    }
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined)
  }
}
