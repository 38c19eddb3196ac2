/** Messages between the opener of a workbook and the process or worker that reads it. All of it can be cloned. */

export type WorkbookFormat = 'xlsx' | 'ods'

export interface SheetName {
  readonly name: string
  readonly isHidden: boolean
}

/** Sent one at a time. Sheets are numbered from 0. */
export type WorkbookRequest =
  /** `SheetName[]` */
  | { readonly do: 'sheets'; readonly format: WorkbookFormat }
  /** `SheetFacts`, from reading the whole sheet. */
  | { readonly do: 'scan'; readonly sheet: number }
  /** Starts reading the scanned sheet from its first row. */
  | { readonly do: 'read' }
  /** The next `SheetRow[]`; empty at the end. */
  | { readonly do: 'next' }

/** Answer to a request. A fault's sentence is for the person who chose the file. */
export type WorkbookAnswer = { readonly result: unknown } | { readonly error: string }

/** A row with a value, by its number in the sheet, from 1. */
export interface SheetRow {
  readonly line: number
  /** By column, from 0. Moments are texts; a merged cell has its value in each row of its first column. */
  readonly values: readonly SheetValue[]
}
export type SheetValue = string | number | boolean | undefined

/** Rows and columns of a merged cell, both included. Rows from 1, columns from 0. */
export interface MergedCell {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** Cells of one kind of trouble. */
export interface CellTrouble {
  readonly count: number
  /** Addresses of the first ones: `B7`. */
  readonly first: readonly string[]
}

export interface SheetFacts {
  /** The first rows. */
  readonly head: readonly SheetRow[]
  /** Merged cells that begin in them. */
  readonly merged: readonly MergedCell[]
  readonly columns: readonly ColumnFacts[]
  /** Number of hidden rows with values. */
  readonly hiddenRows: number
}

/** A column of the sheet, from A on. */
export interface ColumnFacts {
  /** Its letters. */
  readonly letters: string
  readonly isHidden: boolean
  readonly isEmpty: boolean
  /** By text of the error: `#N/A`. */
  readonly errors: Readonly<Record<string, CellTrouble>>
  /** Formulas whose value is not in the file. */
  readonly unvalued: CellTrouble
}

/** A process or worker with one open workbook. */
export interface WorkbookProcess {
  /** One at a time. @throws TableError for a file that cannot be read, and if reading takes too much time or memory */
  ask<Result>(request: WorkbookRequest): Promise<Result>
  close(): void
}

export type StartWorkbook = () => WorkbookProcess

/** Maximum time of an answer. Milliseconds. */
export const answerMillisecondsMax = 120_000
