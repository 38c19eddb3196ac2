/** Records of a file that update those of the latest version. Loaded when a file is compared. */
import { recordOf } from '@ulmus/content'
import type { Plan, Table } from '@ulmus/tabular'
import { keeperOf } from '@ulmus/tabular/kept-values'
import type { FileRecord } from '../lines.ts'
import { ChangedCells } from './changed-cells.ts'

export interface UpdateSides {
  readonly table: Table
  readonly plan: Plan
  readonly held: ReadonlyMap<string, { readonly hash: string; readonly isPrivate: boolean }>
  /** Data of records of the latest version, in any order. */
  readonly dataOf: (ids: readonly string[]) => AsyncIterable<{ readonly id: string; readonly data: unknown }>
}

/**
 * Keeps the values that a downloaded table cannot tell, and leaves out the records that then equal those of the latest version.
 * @param different records by id, whose hashes differ
 */
export async function updatesOf(
  different: ReadonlyMap<string, FileRecord>,
  { table, plan, held, dataOf }: UpdateSides,
): Promise<{ updated: FileRecord[]; cells: ChangedCells }> {
  const [records, cells] = [new Map(different), new ChangedCells()]
  const keepValues = keeperOf(table, plan)
  let left = records.size
  if (left > 0)
    for await (const { id, data } of dataOf([...records.keys()])) {
      const record = records.get(id)
      if (record === undefined) continue
      const kept = keepValues === undefined ? record : { ...record, data: keepValues(data, record.data) }
      if (recordOf(id, kept.type, kept.data as never).hash === held.get(id)!.hash) records.delete(id)
      else {
        records.set(id, kept)
        cells.add({ record: kept, before: data })
      }
      if (--left === 0) break
    }
  // Repeat the mark: without it the push would make the record public.
  const updated = Array.from(
    records.values(),
    (record): FileRecord => (held.get(record.id)!.isPrivate ? { ...record, private: true } : record),
  )
  return { updated, cells }
}
