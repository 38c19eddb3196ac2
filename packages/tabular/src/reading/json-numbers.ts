/** Parses JSON with numbers that `JSON.parse` would alter: it rounds long ones and turns `21.0` into an integer. */
import { type Json, parseJson, refuseRepeatedMembers } from '@ulmus/content'
import { Numeral, Real } from './table.ts'

/** Digits that any double keeps. */
const keptDigits = 15
/** Significant digits that identify any double. */
const digitsMax = 17
/** Maximum argument of `toPrecision`. */
const precisionMax = 100
/** Maximum of levels searched for numbers; no record has as many. */
const depthMax = 64

/** Matches texts that may have such a number: 16 digits, possibly with a point among them, or an exponent of three digits. */
const suspicious = /\d[\d.]{15}|[eE][+-]?\d{3}/
/** Matches texts that may have a whole number written as a double. */
const wholes = /\d(?:\.0+|(?:\.\d+)?[eE]\+?\d+)\s*(?:[,\]}]|$)/
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|-?(?:NaN|Infinity)\b/gs

/**
 * Parses a text, with `Numeral` for each number that would be rounded and `Real` for whole doubles.
 * @param missing values that mean missing: if `NaN`, `Infinity` or `-Infinity` is among them, it is read as a `Numeral`, or as null inside
 * lists and objects
 * @throws SyntaxError; InputError `duplicate_key` for a repeated member
 */
export function parseExactly(text: string, missing: readonly string[] = []): unknown {
  const notNumbers = missing.filter((one) => one === 'NaN' || one.endsWith('Infinity'))
  const isSuspicious =
    suspicious.test(text) || wholes.test(text) || notNumbers.some((one) => text.includes(one))
  const value: unknown = isSuspicious && notNumbers.length > 0 ? undefined : parseUnique(text)
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
  return isExact ? value : withNumerals(parseUnique(marked), mark)
}

function parseUnique(text: string): unknown {
  const value = parseJson(text)
  refuseRepeatedMembers(text, value as Json)
  return value
}

const isWholeDouble = (numeral: string): boolean =>
  /[.eE]/.test(numeral) && Number.isSafeInteger(Number(numeral))

/** True if a number loses information as a double. */
export const isRounded = (numeral: string): boolean => lossOf(numeral) !== undefined

/** True if the double has another value, as opposed to the same fraction with fewer digits. */
export const isAnother = (numeral: string): boolean => lossOf(numeral) === 'value'

/**
 * Loss of a number as a double. Same rule as the registry's (`number-fault.ts` of packages/content), for forms of tables too (`+1`, `.5`):
 * a whole number must equal the double's decimal form; a fraction may have 17 digits, or more if they are exactly the double.
 */
function lossOf(numeral: string): 'value' | 'digits' | undefined {
  const value = Number(numeral)
  if (!Number.isFinite(value)) return 'value'
  if (numeral.length <= keptDigits && !/e/i.test(numeral)) return undefined
  const written = decimalOf(numeral)
  if (written.digits === '') return undefined
  if (value === 0) return 'value'
  if (isSame(written, decimalOf(String(value)))) return undefined
  const { length } = written.digits
  if (length <= written.exponent) return 'value'
  const isSmall = Math.abs(value) < 2 ** 53
  if (length <= digitsMax && isSmall) return undefined
  if (length <= precisionMax && isSame(written, decimalOf(value.toPrecision(length)))) return undefined
  return isSmall ? 'digits' : 'value'
}

/** 0.`digits` × 10^`exponent`, with neither leading nor trailing zeros in the digits. */
interface Decimal {
  readonly digits: string
  readonly exponent: number
}

const isSame = (a: Decimal, b: Decimal): boolean => a.digits === b.digits && a.exponent === b.exponent

function decimalOf(numeral: string): Decimal {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^[+-]?(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(numeral) ?? []
  const all = whole + fraction
  const digits = all.replace(/^0+/, '')
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return {
    digits: digits.slice(0, end),
    exponent: Number(exponent) + whole.length - (all.length - digits.length),
  }
}

const isNotNumber = (text: string): boolean => text === 'NaN' || text.endsWith('Infinity')

function withNumerals(value: unknown, mark: string, depth = 1): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith(mark)) return value
    const text = value.slice(mark.length)
    // A member of the row itself is omitted by its text; deeper ones can only become null.
    if (isNotNumber(text) && depth > 2) return null
    return isRounded(text) ? new Numeral(text) : new Real(Number(text))
  }
  if (typeof value !== 'object' || value === null || depth > depthMax) return value
  const inner = (member: unknown) => withNumerals(member, mark, depth + 1)
  if (Array.isArray(value)) return value.map(inner)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]))
}
