/** Refusals as the page shows them: in words, with the places in the user's own file and the ways out. */
import type { Remedy } from './remedies.ts'

/** One place of the file that keeps it from being published. */
export interface FileFault {
  /** Of the file, from 1. Undefined: the record is not in the file, or the fault concerns all of it. */
  readonly line: number | undefined
  readonly id?: string | undefined
  readonly column: string | undefined
  readonly value: string | undefined
  readonly problem: string
}

export interface Refusal {
  readonly sentence: string
  /** The first of them. */
  readonly faults: readonly FileFault[]
  readonly total: number
  /** Remedies, the most useful first. */
  readonly ways: readonly Remedy[]
}

/** Faults that the page lists. */
export const shownFaults = 20

export const refusalOf = (sentence: string, more: Partial<Refusal> = {}): Refusal => ({
  ...{ sentence, faults: [], total: 0, ways: [] },
  ...more,
})
