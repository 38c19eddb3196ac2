/** Remedies of a refusal, each with a button. The worker proposes them, and `Publishing` carries out every kind of `Change`. */
import type { PlannedColumn, ReadOptions } from '@ulmus/tabular'

export interface Remedy {
  /** Label of the button: imperative and short. */
  readonly label: string
  /** The problem, and the number of rows concerned. */
  readonly sentence: string
  readonly change: Change
}

/** Change of the state that a remedy makes. */
export type Change =
  | { readonly kind: 'column'; readonly column: string; readonly set: Partial<PlannedColumn> }
  | { readonly kind: 'read'; readonly options: ReadOptions }
  /** The column has another name in the schema. */
  | { readonly kind: 'rename'; readonly column: string; readonly field: string }
  /** Make a missing field optional. */
  | { readonly kind: 'absent'; readonly field: string }
  | { readonly kind: 'id'; readonly id: readonly string[] }
  /** Another version was published in the meantime: compare with that one. */
  | { readonly kind: 'head'; readonly head: string | null }
