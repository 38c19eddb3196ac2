/**
 * Detects numbers whose value would be lost in a 64-bit float, as which JavaScript reads them. Judges the literal's value and not its form,
 * so `1.0` and `1e2` pass.
 */

/** Codes of the faults, which are input codes of content-model §2. */
export type NumberFault = 'unsafe_integer' | 'too_many_digits' | 'number_out_of_range'

/** Significant digits that identify any 64-bit float. Programs write floats with no more. */
const digitsMax = 17
/** Maximum argument of `toPrecision`. */
const precisionMax = 100

/**
 * Fault of a JSON number; undefined if there is none. A whole number must equal its canonical form. A fraction
 * of at most 17 significant digits is rounded to the nearest float; one with more digits must be exactly that float.
 */
export function numberFault(literal: string): NumberFault | undefined {
  const value = Number(literal)
  if (!Number.isFinite(value)) return /[.eE]/.test(literal) ? 'number_out_of_range' : 'unsafe_integer'
  if (`${value}` === literal) return undefined
  const written = decimalOf(literal)
  if (written.digits === '') return undefined
  if (value === 0) return 'number_out_of_range'
  if (isSame(written, decimalOf(`${value}`))) return undefined
  const { length } = written.digits
  if (length <= written.exponent) return 'unsafe_integer'
  if (length <= digitsMax && Math.abs(value) < 2 ** 53) return undefined
  const isWrittenOut = length <= precisionMax && isSame(written, decimalOf(value.toPrecision(length)))
  return isWrittenOut ? undefined : 'too_many_digits'
}

/** 0.`digits` × 10^`exponent`, with neither leading nor trailing zeros in the digits. */
interface Decimal {
  readonly digits: string
  readonly exponent: number
}

const isSame = (a: Decimal, b: Decimal): boolean => a.digits === b.digits && a.exponent === b.exponent

function decimalOf(literal: string): Decimal {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? []
  const all = whole + fraction
  const digits = all.replace(/^0+/, '')
  const leading = all.length - digits.length
  return {
    digits: withoutZerosAtEnd(digits),
    exponent: Number(exponent) + whole.length - leading,
  }
}

/** Removes trailing zeros. A loop, because `/0+$/` takes quadratic time if there are zeros inside. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
