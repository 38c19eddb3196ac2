/** Counts the cells that a push changes, by column, and keeps the first records of each count. */
import { type CellChange, cellChangeOf, columnChanges } from '@ulmus/content'
import type { ChangedCell, ColumnCounts } from '../../shapes.ts'
import type { FileRecord } from '../lines.ts'

/** Maximum number of records shown of each change. */
export const samplesMax = 10
/** Maximum number of columns. */
const columnsMax = 50

/** An updated record with the data of the latest version. */
export interface Update {
  readonly record: FileRecord
  readonly before: unknown
}

class ColumnCells {
  readonly counts: Record<CellChange, number> = { filled: 0, changed: 0, emptied: 0 }
  readonly first: Readonly<Record<CellChange, Update[]>> = { filled: [], changed: [], emptied: [] }
}

export class ChangedCells {
  /** The first updates, by id. */
  readonly first: Update[] = []
  readonly #columns = new Map<string, ColumnCells>()

  add(update: Update): void {
    if (this.first.length < samplesMax) this.first.push(update)
    for (const found of columnChanges(update.before, update.record.data)) {
      const label = found.names.join('.')
      const column = this.#columns.get(label) ?? new ColumnCells()
      if (!this.#columns.has(label) && this.#columns.size === columnsMax) continue
      this.#columns.set(label, column)
      const change = cellChangeOf(found)
      column.counts[change]++
      if (column.first[change].length < samplesMax) column.first[change].push(update)
    }
  }

  /** Columns with changes, by first occurrence. */
  get counts(): ColumnCounts[] {
    return Array.from(this.#columns, ([label, { counts }]) => ({ label, ...counts }))
  }

  /** The first records of a count. */
  updatesOf({ label, change }: ChangedCell): readonly Update[] {
    return this.#columns.get(label)?.first[change] ?? []
  }
}
