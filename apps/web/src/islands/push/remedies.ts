/** Ways out of a refusal that the page carries out itself, each by a button. */
import type { PlannedColumn, ReadOptions } from '@ulmus/tabular'

export interface Remedy {
  /** Of the button: imperative and short. */
  readonly label: string
  /** The problem, and how many rows it concerns. */
  readonly sentence: string
  readonly change: Change
}

export type Change =
  | { readonly kind: 'column'; readonly column: string; readonly set: Partial<PlannedColumn> }
  | { readonly kind: 'read'; readonly options: ReadOptions }
  /** The column is a field under another name. */
  | { readonly kind: 'rename'; readonly column: string; readonly field: string }
  /** The file may lack a field. */
  | { readonly kind: 'absent'; readonly field: string }
  | { readonly kind: 'id'; readonly id: readonly string[] }
  /** Another version was published meanwhile: compare with that one. */
  | { readonly kind: 'head'; readonly head: string | null }
