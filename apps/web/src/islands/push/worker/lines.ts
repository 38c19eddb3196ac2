/** Converts rows to records and keeps the line of each, so that a refusal of the registry can name the line of the user's file. */
import { type Plan, recordsOf, type Table, type TableError, type TableRecord } from '@ulmus/tabular'

export type LinedRecord = TableRecord & { readonly line: number }

/** A record to push. */
export interface FileRecord extends LinedRecord {
  /** The record was pushed as private and remains private. */
  readonly private?: true
}

/** @param onFault called for each row that fits no record; such rows are skipped */
export async function* recordsWithLines(
  table: Table,
  plan: Plan,
  onFault: (fault: TableError) => void,
): AsyncGenerator<LinedRecord, void> {
  // Each row becomes a record or a fault, in order.
  const lines: number[] = []
  let next = 0
  const noted: Table = {
    ...table,
    async *batches() {
      for await (const rows of table.batches()) {
        lines.splice(0, next)
        next = 0
        for (const { line } of rows) lines.push(line)
        yield rows
      }
    },
  }
  const passOver = (fault: TableError) => {
    next++
    onFault(fault)
  }
  for await (const record of recordsOf(noted, plan, { onFault: passOver }))
    yield { ...record, line: lines[next++]! }
}
