/** Arranges the shares of versions as columns with a cell for each version. */
import { compareUtf8 } from '@ulmus/content'
import { giveWay } from '@ulmus/storage'
import { type ColumnShare, readShares } from './shares.ts'

/** Versions parsed between two yields to the event loop. */
const versionsAtOnce = 20

interface Arranged {
  /** By type, then as the newest version has them. */
  readonly columns: { type: string; column: string }[]
  /** By version, then in the order of `columns`. */
  readonly changed: (number | null)[][]
  /** Number of columns, with those left out. */
  readonly columnCount: number
}

type Cells = Map<string, ColumnShare>

/**
 * @param stored shares of versions, newest first. Null: not computed; empty: nothing changed
 * @param most columns that are kept, those that changed most
 * @param ofNewest leaves out columns that the newest version lacks, such as those that are private since
 */
export async function arrange(
  stored: readonly (string | null)[],
  { most, ofNewest }: { most: number; ofNewest: boolean },
): Promise<Arranged> {
  const versions: (Cells | 'same' | null)[] = []
  for (const [index, text] of stored.entries()) {
    if (index % versionsAtOnce === 0) await giveWay()
    versions.push(text === null ? null : text === '' ? 'same' : cellsIn(readShares(text)))
  }
  const cells = filled(versions)
  const columns = new Map<string, { type: string; column: string; sum: number }>()
  const isThere = (key: string) => cells[0]?.has(key) === true && cells[0].get(key)!.only !== 'before'
  for (const one of cells)
    for (const [key, { type, column, share }] of one ?? []) {
      if (ofNewest && !isThere(key)) continue
      const known = columns.get(key) ?? { type, column, sum: 0 }
      known.sum += share ?? 0
      columns.set(key, known)
    }
  const changedMost = new Set(
    [...columns]
      .sort(([, a], [, b]) => b.sum - a.sum)
      .slice(0, most)
      .map(([key]) => key),
  )
  const kept = [...columns]
    .filter(([key]) => changedMost.has(key))
    .sort(([, a], [, b]) => compareUtf8(a.type, b.type))
  return {
    columns: kept.map(([, { type, column }]) => ({ type, column })),
    changed: cells.map((one) => kept.map(([key]) => one?.get(key)?.share ?? null)),
    columnCount: columns.size,
  }
}

const cellsIn = (shares: readonly ColumnShare[]): Cells =>
  new Map(shares.map((one) => [JSON.stringify([one.type, one.column]), one]))

/** Versions in which nothing changed have the columns of the version before, or else of the one after. */
function filled(versions: readonly (Cells | 'same' | null)[]): (Cells | undefined)[] {
  const cells = versions.map((one) => (one instanceof Map ? one : undefined))
  for (let index = versions.length - 1; index >= 0; index--)
    if (versions[index] === 'same') cells[index] = unchanged(cells[index + 1], 'after')
  for (let index = 0; index < versions.length; index++)
    if (versions[index] === 'same' && cells[index] === undefined)
      cells[index] = unchanged(cells[index - 1], 'before')
  return cells
}

/** @param side the side of the comparison whose columns are there */
const unchanged = (cells: Cells | undefined, side: 'before' | 'after'): Cells | undefined =>
  cells &&
  new Map(
    [...cells]
      .filter(([, { only }]) => only === undefined || only === side)
      .map(([key, one]) => [key, { ...one, share: 0, only: undefined }]),
  )
