/** Compares the row type that a statement declares with the columns that it returns. */
import type { DeclaredRow } from './declared.ts'
import type { DescribedRow } from './described.ts'

/**
 * Empty if they agree. Columns that the type lacks are allowed.
 * @param text a column with `name is not null` in it is not null
 */
export function rowFaults(declared: DeclaredRow, described: DescribedRow, text: string): string[] {
  return [...declared].flatMap(([name, { kind, isNullable }]) => {
    const column = described.get(name)
    if (column === undefined) return [`no column ${name}; there are ${[...described.keys()].join(', ')}`]
    if (kind !== 'other' && column.kind !== 'other' && kind !== column.kind)
      return [`${name} is declared as ${kind} and returned as ${column.kind}`]
    if (!isNullable && column.mayBeNull && !isFiltered(name, text)) return [`${name} may be null`]
    return []
  })
}

/** By its name in the table, which is in snake case. */
const isFiltered = (name: string, text: string): boolean =>
  new RegExp(`\\b${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} is not null\\b`).test(text)
