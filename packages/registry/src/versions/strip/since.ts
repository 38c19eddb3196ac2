/** Since which version a column is in its schema, from the stored shares of versions. Nothing is said where these leave a doubt. */
import { formatSemver } from '@ulmus/content'
import { giveWay, type StripRow } from '@ulmus/storage'
import { type ColumnShare, readShares } from './shares.ts'

/** Versions that a column is looked for in: the newest ones. */
export const sinceVersionsMax = 200
/** Versions parsed between two yields to the event loop. */
const versionsAtOnce = 20

/** Versions by type and column, `name.common`, and by object, `name`, which exists as long as one of its columns. */
export type ColumnsSince = ReadonlyMap<string, ReadonlyMap<string, string>>

type Since = Map<string, Map<string, string>>

/** @param rows newest first; the columns are those of the first */
export async function sinceIn(
  rows: readonly Pick<StripRow, 'major' | 'minor' | 'patch' | 'shares'>[],
): Promise<ColumnsSince> {
  const since: Since = new Map()
  let sought: ReadonlySet<string> | undefined
  for (const [index, row] of rows.entries()) {
    // Not compared yet: a column may have come or gone in this version.
    if (row.shares === null || sought?.size === 0) break
    if (row.shares === '') continue
    if (index % versionsAtOnce === versionsAtOnce - 1) await giveWay()
    sought = older(withObjects(readShares(row.shares)), formatSemver(row), { sought, since })
  }
  return since
}

type Presence = Pick<ColumnShare, 'type' | 'column' | 'only'>

/** Adds the objects that columns belong to, unless a column has their name. */
function withObjects(shares: readonly ColumnShare[]): Presence[] {
  const keyOf = ({ type, column }: Presence) => JSON.stringify([type, column])
  const columns = new Set(shares.map(keyOf))
  const objects = new Map<string, Presence>()
  for (const { type, column, only } of shares)
    for (let dot = column.indexOf('.'); dot >= 0; dot = column.indexOf('.', dot + 1)) {
      const object = { type, column: column.slice(0, dot), only }
      const key = keyOf(object)
      if (columns.has(key)) continue
      const known = objects.get(key)
      objects.set(key, known === undefined || known.only === only ? object : { ...object, only: undefined })
    }
  return [...shares, ...objects.values()]
}

/** Notes the columns that a version added. Returns those that are older; a column that it leaves out is none of them. */
function older(
  shares: readonly Presence[],
  semver: string,
  { sought, since }: { sought: ReadonlySet<string> | undefined; since: Since },
): ReadonlySet<string> {
  const rest = new Set<string>()
  for (const { type, column, only } of shares) {
    const key = JSON.stringify([type, column])
    if (only === 'before' || sought?.has(key) === false) continue
    if (only === undefined) rest.add(key)
    else since.set(type, (since.get(type) ?? new Map<string, string>()).set(column, semver))
  }
  return rest
}
