/** JSON texts whose numbers say more than `JSON.parse` keeps: it rounds long ones, and takes `21.0` for an integer. */
import { Numeral, Real } from './table.ts'

/** Digits that a double keeps, whatever they are. */
const digitsMax = 17
/** Levels that are looked through for numbers; no record has as many. */
const depthMax = 64

/** Whether a text may have such a number: 16 digits in a row, 18 with a point among them, or an exponent of three. */
const suspicious = /\d{16}|\d[\d.]{18}|[eE][+-]?\d{3}/
/** Whether a text may have a whole number that is written as a double. */
const wholes = /\d(?:\.0+|(?:\.\d+)?[eE]\+?\d+)\s*(?:[,\]}]|$)/
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|-?(?:NaN|Infinity)\b/gs

/**
 * The value of a text, with `Numeral` for each number that would be rounded and `Real` for whole doubles.
 * @param missing values that mean missing: if `NaN`, `Infinity` or `-Infinity` is among them, it is read as a `Numeral`, or as null inside lists and objects
 * @throws SyntaxError
 */
export function parseJson(text: string, missing: readonly string[] = []): unknown {
  const notNumbers = missing.filter((one) => one === 'NaN' || one.endsWith('Infinity'))
  const isSuspicious =
    suspicious.test(text) || wholes.test(text) || notNumbers.some((one) => text.includes(one))
  const value: unknown = isSuspicious && notNumbers.length > 0 ? undefined : JSON.parse(text)
  if (!isSuspicious) return value
  let mark = '\u0000numeral:'
  while (text.includes(mark.slice(1))) mark += ':'
  let isExact = value !== undefined
  const marked = text.replace(token, (found) => {
    const isKept = !notNumbers.includes(found) && !isRounded(found) && !isWholeDouble(found)
    if (found[0] === '"' || isKept) return found
    isExact = false
    return JSON.stringify(mark + found)
  })
  return isExact ? value : withNumerals(JSON.parse(marked), mark)
}

const isWholeDouble = (numeral: string): boolean =>
  /[.eE]/.test(numeral) && Number.isSafeInteger(Number(numeral))

/** Whether a number loses something as a double: more than its last bit. */
export function isRounded(numeral: string): boolean {
  const digits = numeral
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '')
  return digits.length > digitsMax || isAnother(numeral)
}

/** Whether the double is another number: of an integer beyond 2^53, and of a magnitude that no double has. */
export function isAnother(numeral: string): boolean {
  const value = Number(numeral)
  if (!Number.isFinite(value)) return true
  if (/^-?\d+$/.test(numeral)) return !Number.isSafeInteger(value)
  return value === 0 && /^-?[\d.]*[1-9]/.test(numeral)
}

const isNotNumber = (text: string): boolean => text === 'NaN' || text.endsWith('Infinity')

function withNumerals(value: unknown, mark: string, depth = 1): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith(mark)) return value
    const text = value.slice(mark.length)
    // A member of the row itself is left out by its text; deeper ones can only be null.
    if (isNotNumber(text) && depth > 2) return null
    return isRounded(text) ? new Numeral(text) : new Real(Number(text))
  }
  if (typeof value !== 'object' || value === null || depth > depthMax) return value
  const inner = (member: unknown) => withNumerals(member, mark, depth + 1)
  if (Array.isArray(value)) return value.map(inner)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]))
}
