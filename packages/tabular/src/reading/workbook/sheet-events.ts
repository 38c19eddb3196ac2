/** Events of a sheet as its XML has them, the same for both formats. */
import type { MergedCell } from './requests.ts'

/** A day, a time of day, or both, without a time zone. */
export interface Moment {
  /** `2026-01-31` */
  readonly day?: string | undefined
  /** `10:30:00`; hours may be over 23 if there is no day. */
  readonly time?: string | undefined
}

/** An error such as `#N/A`, or a formula whose value is not in the file. */
export type CellFault = { readonly error: string } | 'no value'

export type CellContent = string | number | boolean | Moment | CellFault

export interface RowEvent {
  /** From 1. */
  readonly line: number
  /** Number of equal rows from here on. */
  readonly repeats: number
  readonly isHidden: boolean
  /** In order; columns from 0. */
  readonly cells: readonly {
    readonly column: number
    readonly repeats: number
    readonly content: CellContent
  }[]
}

export type SheetEvent =
  | { readonly row: RowEvent }
  | { readonly merged: MergedCell }
  /** Both included, from 0. */
  | { readonly hidden: { readonly first: number; readonly last: number } }

/** `AB` is 27. @returns -1 for no letters */
export function columnOf(letters: string): number {
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

export function lettersOf(column: number): string {
  const before = Math.floor(column / 26) - 1
  return (before < 0 ? '' : lettersOf(before)) + String.fromCharCode(65 + (column % 26))
}
