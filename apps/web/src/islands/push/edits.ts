/** Applies the user's edits to a plan. */
import type { Kind, Plan, PlannedColumn, ReadOptions, Table } from '@ulmus/tabular'
import type { Edits, OfferedReading, PlanAsk } from './shapes.ts'

/** A plan with the user's edits. */
export const withEdits = (plan: Plan, edits: Edits): Plan => ({
  ...plan,
  columns: plan.columns.map((column) => ({ ...column, ...edits[column.name] })),
})

/** Values that mean missing in a column. */
export const marksFor = (column: string, missingIn: ReadOptions['missingIn'] = {}): readonly string[] =>
  Object.hasOwn(missingIn, column) ? missingIn[column]! : []

const isKept = (kind: Kind, made: Kind): boolean => made === kind || (made === 'integer' && kind === 'number')

/** Keeps the kind of a field in the schema if the values, as read, match it: a reading does not change the schema. */
export const readingOf = (set: OfferedReading['set'], { kind, isKnown }: PlannedColumn): Edits[string] =>
  isKnown === true && isKept(kind, set.kind) ? { ...set, kind } : set

/** Removes columns that the file no longer has after it was read with other options. */
export function askFor({ columns }: Pick<Table, 'columns'>, { id, rename = {}, ...ask }: PlanAsk): PlanAsk {
  const isThere = (name: string) => columns.includes(name)
  return {
    ...ask,
    id: id?.every(isThere) ? id : undefined,
    rename: Object.fromEntries(Object.entries(rename).filter(([name]) => isThere(name))),
  }
}
