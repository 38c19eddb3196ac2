/** Proposes the columns that make the id of a record. */
import type { Column, RepeatedValue, Tally } from './column.ts'
import { isNamedLikeId, isPartName, isRankName, isYearName, nameWeight } from './id-names.ts'
import type { CellKind, Kind } from './kinds.ts'

/** A proposed id, with the reason for it. */
export interface IdProposal {
  /** One column, or several whose values are joined. */
  readonly columns: readonly string[]
  /** `declared`: the file's key; `named`: the name is that of an id; `unique`: only the values differ, so ask the user for confirmation. */
  readonly why: 'declared' | 'named' | 'unique'
  /** Values that several rows have: a mistake in the file, which the user must correct, or choose other columns. */
  readonly repeats?: readonly RepeatedValue[] | undefined
}

/** Column of record ids in the CSV that a registry serves. */
export const registryId = '_id'
/** Names that `openTable` gives to unnamed columns. */
const unnamed = /^column_\d+_*$/

/** True if a column may be the id despite its name: texts, days or years. Other numbers are counts or measurements. */
const isPlausible = (column: Column): boolean =>
  !unnamed.test(column.name) &&
  !isRankName(column.name) &&
  (column.kind === 'date' ||
    (column.kind === 'string' && !isMeasured(column)) ||
    (column.kind === 'integer' && isYearName(column.name)))

const isMeasure = (kind: CellKind | Kind): boolean =>
  ['integer', 'number', 'boolean', 'date-time'].includes(kind)

/** True for texts that are numbers or times but for marks, units or notation: `€ 5`, or `n/a` among numbers. Codes such as `007` are none. */
function isMeasured({ tallies, conversions, codes }: Column): boolean {
  if (codes !== undefined) return false
  if (conversions.some(({ kind }) => isMeasure(kind))) return true
  const of = (some: readonly Tally[]) => some.reduce((sum, { count }) => sum + count, 0)
  return of(tallies.filter(({ kind }) => isMeasure(kind))) * 2 > of(tallies)
}

/** True if a column may be part of a joined id: a stop's position in its trip may, a measurement may not. */
export const canBePart = (column: Column): boolean =>
  column.isFull &&
  !unnamed.test(column.name) &&
  (column.kind === 'date' ||
    (column.kind === 'string' && !isMeasured(column)) ||
    (column.kind === 'integer' && isPartName(column.name)))

/** Columns whose values can be ids, likeliest first: those with the name of an id, then the others in the order of the file. */
export function idCandidates(columns: readonly Column[]): Column[] {
  const can = columns.filter(
    ({ name, isUnique, hasControls, kind }) =>
      isUnique &&
      !hasControls &&
      !unnamed.test(name) &&
      (kind === 'string' || kind === 'integer' || kind === 'date'),
  )
  const named = can.filter(({ name }) => isNamedLikeId(name))
  named.sort((a, b) => nameWeight(b.name) - nameWeight(a.name))
  const others = can.filter((column) => !isNamedLikeId(column.name) && isPlausible(column))
  others.sort((a, b) => Number(b.kind === 'string') - Number(a.kind === 'string'))
  return [...named, ...others]
}

/**
 * @param key of the file, if it declares one. Undefined: no column can be the id
 * @param hidden private columns, which cannot be the id
 */
export function proposeId(
  {
    columns: all,
    key,
  }: {
    readonly columns: readonly Column[]
    readonly key?: readonly string[] | undefined
  },
  hidden: readonly string[] = [],
): IdProposal | undefined {
  const columns = all.filter(({ name }) => !hidden.includes(name))
  if (key?.every((name) => columns.some((column) => column.name === name && column.isFull)))
    return { columns: key, why: 'declared' }
  const candidates = idCandidates(columns)
  const first = candidates.find(({ name }) => name === registryId) ?? candidates[0]
  const almost = columns.find(({ repeats }) => repeats !== undefined)
  if (almost !== undefined && (first === undefined || !isNamedLikeId(first.name)))
    return { columns: [almost.name], why: 'named', repeats: almost.repeats }
  if (first === undefined) return undefined
  return { columns: [first.name], why: isNamedLikeId(first.name) ? 'named' : 'unique' }
}

/**
 * Joins several values to an id: `T1~3`. In the parts `~` is written `%7E` and `%` is written `%25`, so that rows with different values
 * get different ids. An id of one column is its value unchanged.
 */
export const joinIds = (parts: readonly string[]): string =>
  parts.length === 1
    ? parts[0]!
    : parts.map((part) => part.replaceAll('%', '%25').replaceAll('~', '%7E')).join('~')
