/** Finds columns of numbers, dates or the like with a few other values, which often mean a missing one, such as `n/a`. */
import type { Column, Tally } from './column.ts'
import { type Kind, kindOfAll } from './kinds.ts'

export interface Misfits {
  readonly column: string
  /** Kind of the other values. */
  readonly kind: Kind
  readonly count: number
  /** Line of the first misfit. */
  readonly line: number
  readonly value: unknown
  /** All misfits, if each is a mark for a missing value. */
  readonly marks?: readonly string[] | undefined
}

/** Percentage of values. With more misfits, the column counts as one of texts. */
const misfitsMax = 10

const isNumeric = ({ kind }: Tally): boolean => kind === 'integer' || kind === 'number'

/** Undefined if all values have a common kind, or the column is one of texts. Numbers that must remain texts are not misfits. */
export function misfitsOf(column: Column): Misfits | undefined {
  const { name, kind, tallies, codes } = column
  const [most] = tallies
  const marked = markedOnly(column)
  if (marked !== undefined) return marked
  if (codes !== undefined || (kind !== 'string' && kind !== 'any')) return undefined
  if (most === undefined || most.kind === 'string') return undefined
  const numeric = isNumeric(most)
  const others = tallies.filter((tally) => (numeric ? !isNumeric(tally) : tally.kind !== most.kind))
  const count = others.reduce((sum, tally) => sum + tally.count, 0)
  const all = tallies.reduce((sum, tally) => sum + tally.count, 0)
  if (count * 100 > all * misfitsMax || most.kind === 'numeral' || others.some(isNumeral)) return undefined
  const first = others.reduce((a, b) => (a.line < b.line ? a : b))
  const isFraction = numeric && tallies.some((tally) => tally.kind === 'number')
  return {
    column: name,
    kind: isFraction ? 'number' : most.kind,
    count,
    line: first.line,
    value: first.value,
  }
}

/** Misfits that are all marks, such as `NA`, in any number, if the other values have a common kind. */
function markedOnly({ name, kind, tallies, codes, marks }: Column): Misfits | undefined {
  if (codes !== undefined || (kind !== 'string' && kind !== 'any')) return undefined
  const [first] = [...marks].sort((a, b) => a.line - b.line)
  const countOf = (one: Tally) =>
    marks.filter((mark) => mark.kind === one.kind).reduce((sum, { count }) => sum + count, 0)
  const rest = tallies.filter((tally) => tally.count > countOf(tally))
  const common = kindOfAll(new Set(rest.map((tally) => tally.kind)), false)
  if (first === undefined || rest.length === 0 || common === 'string' || common === 'any') return undefined
  const count = marks.reduce((sum, mark) => sum + mark.count, 0)
  return {
    column: name,
    kind: common,
    count,
    line: first.line,
    value: first.mark,
    marks: marks.map(({ mark }) => mark),
  }
}

/** True if a text would be a number but for its number of digits or leading zeros. */
const isNumeral = ({ kind, value }: Tally): boolean =>
  kind === 'numeral' || (kind === 'string' && typeof value === 'string' && /^[-+]?\d[\d.eE+-]*$/.test(value))
