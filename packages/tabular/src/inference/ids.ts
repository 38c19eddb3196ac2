/** Columns that make the id of a record. */
import type { Column } from './column.ts'

export interface IdProposal {
  /** One column, or several whose values are joined. */
  readonly columns: readonly string[]
  /** `declared` by the file as its key; `named` like an id; `unique`: no more is known than that its values differ. Ask about the last one. */
  readonly why: 'declared' | 'named' | 'unique'
}

/** Words that a column of ids ends in. */
const idWords = /^(?:ids?|uuid|guid|identifier|key|code|slug|no|nr)$/
/** The same without a space before it, as in `stationid`. */
const idEnding = /(?:code|uuid|guid|identifier|..[^aeiou]id)$/
/** Words that end so by chance. */
const otherWords = /(?:grid|hybrid|orchid|valid|solid|humid|rapid|acid|covid|pyramid|encode|decode)$/
const bareId = /^_?(?:id|uuid|guid)$/i
/** Places in an order, which the next file gives to other records. */
const rankWords = /^(?:rank|ranking|position|pos|place|order|row|index|idx|sort|n|number|line)$/
const yearName = /^(?:year|jahr|année|annee|año|ano)$/i
/** Columns without a name, as `openTable` calls them. */
const unnamed = /^column_\d+_*$/

/** `StationID` → station, id; `country-code` → country, code. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Returns the weight of a column's name as a name of ids: 2 `id`, 1 `country-code`, 0 nothing. */
function nameWeight(name: string): number {
  if (bareId.test(name)) return 2
  const last = wordsOf(name).at(-1) ?? ''
  return idWords.test(last) || (idEnding.test(last) && !otherWords.test(last)) ? 1 : 0
}

export const isNamedLikeId = (name: string): boolean => nameWeight(name) > 0

/** A column that may be the id although its name does not say so: of texts, of days or of years. Other numbers are counted or measured. */
function isPlausible({ name, kind }: Column): boolean {
  const words = wordsOf(name)
  if (unnamed.test(name) || words.length === 0 || rankWords.test(words.at(-1)!)) return false
  return kind === 'string' || kind === 'date' || (kind === 'integer' && yearName.test(name))
}

/** True if a column may be part of an id of several: counts such as a stop's place in its trip are, measurements are not. */
export const canBePart = ({ name, kind, isFull }: Column): boolean =>
  isFull && !unnamed.test(name) && (kind === 'string' || kind === 'integer' || kind === 'date')

/** Columns whose values can be ids, the likeliest first: those with such a name, then the others in the order of the file. */
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

/** @param key of the file, where it declares one. Undefined: no column can be the id */
export function proposeId({
  columns,
  key,
}: {
  readonly columns: readonly Column[]
  readonly key?: readonly string[] | undefined
}): IdProposal | undefined {
  if (key?.every((name) => columns.some((column) => column.name === name && column.isFull)))
    return { columns: key, why: 'declared' }
  const [first] = idCandidates(columns)
  if (first === undefined) return undefined
  return { columns: [first.name], why: isNamedLikeId(first.name) ? 'named' : 'unique' }
}

/**
 * The id of several values: `T1~3`. A `~` in a value is written `%7E` and a `%` is written `%25`, so that no two rows of different values
 * get one id. An id of one column is its value as it is.
 */
export const joinIds = (parts: readonly string[]): string =>
  parts.length === 1
    ? parts[0]!
    : parts.map((part) => part.replaceAll('%', '%25').replaceAll('~', '%7E')).join('~')
