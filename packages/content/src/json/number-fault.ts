/** Numbers that a 64-bit float does not keep: one rule, by the value of the literal and not by its form. */

export type NumberFault = 'unsafe_integer' | 'too_many_digits' | 'number_out_of_range'

/** Significant digits that identify any 64-bit float. Programs that write floats write no more. */
const digitsMax = 17
/** `toPrecision` takes no more. */
const precisionMax = 100

/**
 * What is wrong with a JSON number; undefined when nothing is. A whole number must be the number that its canonical form says. A fraction
 * of at most 17 significant digits is rounded to the nearest float; with more digits it must be that float, written out.
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

/** 0.`digits` × 10^`exponent`, without zeros at either end of the digits. */
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

/** A loop: `/0+$/` takes quadratic time with zeros inside. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
