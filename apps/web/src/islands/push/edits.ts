/** Applies the user's edits to a plan. */
import type { Kind, Plan, PlannedColumn } from '@ulmus/tabular'
import type { Edits, OfferedReading } from './shapes.ts'

/** A plan with the user's edits. */
export const withEdits = (plan: Plan, edits: Edits): Plan => ({
  ...plan,
  columns: plan.columns.map((column) => ({ ...column, ...edits[column.name] })),
})

const isKept = (kind: Kind, made: Kind): boolean => made === kind || (made === 'integer' && kind === 'number')

/** Keeps the kind of a field in the schema if the values, as read, match it: a reading does not change the schema. */
export const readingOf = (set: OfferedReading['set'], { kind, isKnown }: PlannedColumn): Edits[string] =>
  isKnown === true && isKept(kind, set.kind) ? { ...set, kind } : set
