/** Faults of a file's rows, collected while it is compared. */
import type { Plan, TableError } from '@ulmus/tabular'
import { shownFaults } from '../refusal.ts'

/** The first faults of a file, and the total number. */
export class FaultList {
  readonly first: TableError[] = []
  total = 0

  readonly add = (fault: TableError): void => {
    this.total++
    if (this.first.length < shownFaults) this.first.push(fault)
  }
}

/** Private columns, which cannot be part of an id unless the whole type is private. */
export const privateColumnsOf = ({ columns, isPrivate }: Plan): string[] =>
  isPrivate === true ? [] : columns.flatMap((column) => (column.isPrivate ? [column.name] : []))
