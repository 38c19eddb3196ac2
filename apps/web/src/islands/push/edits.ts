/** Plans as the user changes them on the page. */
import type { Kind, Plan, PlannedColumn } from '@ulmus/tabular'
import type { Edits, OfferedReading } from './shapes.ts'

/** A plan with the changes that the page shows. */
export const withEdits = (plan: Plan, edits: Edits): Plan => ({
  ...plan,
  columns: plan.columns.map((column) => ({ ...column, ...edits[column.name] })),
})

const isKept = (kind: Kind, made: Kind): boolean => made === kind || (made === 'integer' && kind === 'number')

/** A field of the schema keeps its kind where the values that are read fit it: reading is no change of the schema. */
export const readingOf = (set: OfferedReading['set'], { kind, isKnown }: PlannedColumn): Edits[string] =>
  isKnown === true && isKept(kind, set.kind) ? { ...set, kind } : set
