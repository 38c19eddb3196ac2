/** Columns in which the data of two records differ. */

/** A column whose values differ. */
export interface ColumnChange {
  /** Names of the value in the data, from the outside in: `['name', 'common']`. Empty: one side is no object. */
  readonly names: readonly string[]
  /** Undefined: absent. */
  readonly was: unknown
  readonly is: unknown
}

/** Kind of a change of a cell. Null and absent values are empty. */
export type CellChange = 'filled' | 'changed' | 'emptied'

export const cellChangeOf = ({ was, is }: ColumnChange): CellChange =>
  isEmpty(was) === isEmpty(is) ? 'changed' : isEmpty(was) ? 'filled' : 'emptied'

const isEmpty = (value: unknown): boolean => value === undefined || value === null

/** Members of deeper objects are no columns of their own. */
const depthMax = 3

/** Columns that differ, by name. Members of objects are columns of their own, except beside a file. */
export function columnChanges(was: unknown, is: unknown, names: readonly string[] = []): ColumnChange[] {
  if (JSON.stringify(was) === JSON.stringify(is)) return []
  const [before, after] = [membersOf(was, names), membersOf(is, names)]
  if (before === undefined || after === undefined || names.length === depthMax) return [{ names, was, is }]
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  // An empty object that comes or goes has no members to name.
  if (members.length === 0) return [{ names, was, is }]
  return members.flatMap((name) =>
    columnChanges(memberOf(before, name), memberOf(after, name), [...names, name]),
  )
}

type Members = Readonly<Record<string, unknown>>

/** Members of an object, also of an absent one below the root; undefined: the value is whole. */
function membersOf(value: unknown, names: readonly string[]): Members | undefined {
  if (value === undefined && names.length > 0) return {}
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && !Object.hasOwn(value, '$file') ? (value as Members) : undefined
}

const memberOf = (members: Members, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined
