/** Kinds of values: the narrowest kind of a single one, and the common kind of a column. */
import { isRounded, parseExactly } from '../reading/json-numbers.ts'
import { Numeral, Real } from '../reading/table.ts'

export const kinds = [
  'string',
  'integer',
  'number',
  'boolean',
  'date',
  'date-time',
  'array',
  'object',
  'any',
] as const
/** `any`: values of several kinds. */
export type Kind = (typeof kinds)[number]

/** Kind of a single value. `numeral`: a number that a double would round, so it stays a text. */
export type CellKind = Exclude<Kind, 'any'> | 'numeral'

/** Excludes leading zeros, which are part of a code, and `-0`, which JSON readers do not distinguish from 0. */
const integer = /^(?:0|-?[1-9]\d{0,15})$/
const number = /^-?(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/
const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
/** RFC 3339: with a time zone. */
const dateTime =
  /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** True if a text is a number that a double represents without loss (see `isRounded`). */
function isNumber(text: string): boolean {
  return number.test(text) && /^-?\.?\d/.test(text) && text !== '-0' && !isRounded(text)
}

/** True for a number with more digits than a double keeps. */
export const isLongNumber = (text: string): boolean =>
  number.test(text) && /^-?\.?\d/.test(text) && text !== '-0' && isRounded(text)

/** True if the calendar has the day: there is no 30th of February. */
const isDay = (text: string): boolean => {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text.slice(0, 10)
}

const isTrue = /^(?:true|True|TRUE)$/
const isFalse = /^(?:false|False|FALSE)$/
/** Boolean of the usual texts for true and false. Undefined for others: `yes` and `1` may have another meaning. */
export const booleanOf = (text: string): boolean | undefined =>
  isTrue.test(text) ? true : isFalse.test(text) ? false : undefined

/** The list or object that a text contains as JSON. */
export function nestedOf(text: string): object | undefined {
  try {
    const value = parseExactly(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The narrowest kind of a text that is not empty; its first character excludes most kinds. */
export function kindOfText(text: string): CellKind {
  const first = text.charCodeAt(0)
  if ((first >= 0x30 && first <= 0x39) || first === 0x2d || first === 0x2e) {
    if (integer.test(text) && Number.isSafeInteger(Number(text))) return 'integer'
    if (isNumber(text)) return 'number'
    return kindOfString(text)
  }
  if (first === 0x74 || first === 0x66 || first === 0x54 || first === 0x46)
    return booleanOf(text) === undefined ? 'string' : 'boolean'
  if (first !== 0x5b && first !== 0x7b) return 'string'
  const nested = nestedOf(text)
  return nested === undefined ? 'string' : Array.isArray(nested) ? 'array' : 'object'
}

/** Kind of a text that is not to be read as a number: a day, a moment, or just a text. */
function kindOfString(text: string): CellKind {
  if (text.length < 10 || text.charCodeAt(4) !== 0x2d) return 'string'
  if (date.test(text)) return isDay(text) ? 'date' : 'string'
  return dateTime.test(text) && isDay(text) ? 'date-time' : 'string'
}

/** Kind of a value that has a type already. Not for null and undefined. */
export function kindOfValue(value: unknown): CellKind {
  if (typeof value === 'string') return kindOfString(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (value instanceof Numeral) return 'numeral'
  if (value instanceof Real) return 'number'
  return Array.isArray(value) ? 'array' : 'object'
}

/** The common kind of all values. @param isText whether the file stores numbers as texts, too */
export function kindOfAll(seen: ReadonlySet<CellKind>, isText: boolean): Kind {
  const [first, second] = seen
  if (first === undefined) return 'string'
  if (second === undefined) return first === 'numeral' ? 'string' : first
  const isOf = (...some: CellKind[]) => [...seen].every((kind) => some.includes(kind))
  if (isOf('integer', 'number')) return 'number'
  // A single number that must remain a text makes all of them texts.
  if (isText || isOf('integer', 'number', 'numeral') || isOf('string', 'date', 'date-time', 'numeral'))
    return 'string'
  return 'any'
}
