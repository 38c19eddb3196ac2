/** Proposes the columns that make the id of a record. */
import type { Column } from './column.ts'

/** A proposed id, with the reason for it. */
export interface IdProposal {
  /** One column, or several whose values are joined. */
  readonly columns: readonly string[]
  /** `declared`: the file's key; `named`: the name is that of an id; `unique`: only the values differ, so ask the user for confirmation. */
  readonly why: 'declared' | 'named' | 'unique'
}

/** Last words in names of id columns. */
const idWords = /^(?:ids?|uuid|guid|identifier|key|code|slug|no|nr)$/
/** Likewise without a separator before it, as in `stationid`. */
const idEnding = /(?:code|uuid|guid|identifier|..[^aeiou]id)$/
/** Words with the same ending by chance. */
const otherWords = /(?:grid|hybrid|orchid|valid|solid|humid|rapid|acid|covid|pyramid|encode|decode)$/
const bareId = /^_?(?:id|uuid|guid)$/i
/** Column of record ids in the CSV that a registry serves. */
export const registryId = '_id'
/** Names of positions in an order, which the next file may give to other records. */
const rankWords = /^(?:rank|ranking|position|pos|place|order|row|index|idx|sort|n|number|line)$/
const yearName = /^(?:year|jahr|année|annee|año|ano)$/i
/** Names that `openTable` gives to unnamed columns. */
const unnamed = /^column_\d+_*$/

/** `StationID` → station, id; `country-code` → country, code. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Weight of a column's name as the name of an id: 2 for `id`, 1 for `country-code`, else 0. */
function nameWeight(name: string): number {
  if (bareId.test(name)) return 2
  const last = wordsOf(name).at(-1) ?? ''
  return idWords.test(last) || (idEnding.test(last) && !otherWords.test(last)) ? 1 : 0
}

export const isNamedLikeId = (name: string): boolean => nameWeight(name) > 0

/** True if a column may be the id despite its name: texts, days or years. Other numbers are counts or measurements. */
function isPlausible({ name, kind }: Column): boolean {
  const words = wordsOf(name)
  if (unnamed.test(name) || words.length === 0 || rankWords.test(words.at(-1)!)) return false
  return kind === 'string' || kind === 'date' || (kind === 'integer' && yearName.test(name))
}

/** True if a column may be part of a joined id: a count such as a stop's position in its trip may, a measurement may not. */
export const canBePart = ({ name, kind, isFull }: Column): boolean =>
  isFull && !unnamed.test(name) && (kind === 'string' || kind === 'integer' || kind === 'date')

/** Columns whose values can be ids, likeliest first: those with the name of an id, then the others in the order of the file. */
export function idCandidates(columns: readonly Column[]): Column[] {
  const can = columns.filter(
    ({ name, isUnique, kind }) =>
      isUnique && !unnamed.test(name) && (kind === 'string' || kind === 'integer' || kind === 'date'),
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
