/** Refusals for the page: sentences, places in the user's file, and remedies. */
import type { Remedy } from './remedies.ts'

/** A place in the file with a fault. */
export interface FileFault {
  /** Line in the file, from 1. Undefined: the record is not in the file, or the fault concerns the whole file. */
  readonly line: number | undefined
  readonly id?: string | undefined
  readonly column: string | undefined
  readonly value: string | undefined
  readonly problem: string
}

/** A refusal as the page shows it beside the pressed button. */
export interface Refusal {
  readonly sentence: string
  /** The first faults. */
  readonly faults: readonly FileFault[]
  readonly total: number
  /** Remedies, the most useful first. */
  readonly ways: readonly Remedy[]
}

/** Maximum number of faults listed. */
export const shownFaults = 20

export const refusalOf = (sentence: string, more: Partial<Refusal> = {}): Refusal => ({
  ...{ sentence, faults: [], total: 0, ways: [] },
  ...more,
})
