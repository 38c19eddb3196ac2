/** One change in a push: what is said of one (type, id). */
import { compareUtf8, type Hash } from '@ulmus/content'
import type { FrameBuffer } from './frame-buffer.ts'

export interface PushEntry {
  readonly type: string
  readonly id: string
  /** Present: the record is to be so. Absent: it is to go. */
  readonly put?: PushedRecord
}

export interface PushedRecord {
  readonly hash: Hash
  /** Canonical form, UTF-8. Empty in a manifest, which names records only. */
  readonly canonical: Uint8Array
  /** Where `canonical` lies with others of a spill, for whoever is the last to need it. */
  readonly buffer?: FrameBuffer | undefined
  /** False: the record is known to refer to no file. */
  readonly refers: boolean
  /** Pushed as `private: true`. */
  readonly private: boolean
  /** Of a manifest's entry: the base version lacks the record, so that it must be sent. */
  readonly needed?: boolean
  /** The record is the base's own, named for its privacy alone: no batch has checked it. */
  readonly carried?: boolean
}

/** Starts the merged stream of a push, as often as it is read; `passed` learns how many of its records are done. */
export type EntriesSource = (passed?: (records: number) => void) => AsyncGenerator<PushEntry[]>

/** The order of everything pushed: type, then id, both by UTF-8 bytes. */
export const compareEntries = (a: { type: string; id: string }, b: { type: string; id: string }): number =>
  a.type === b.type ? compareUtf8(a.id, b.id) : compareUtf8(a.type, b.type)
