/**
 * Second implementation of the text rules of content-model §2, for tests: slow, without regular expressions, one character at a time, so
 * that its correctness is easy to see. It continues after every violation except one of syntax, and reports all.
 */

/** A violation, for comparison with what the real implementation reports. */
export interface Violation {
  readonly code:
    | 'syntax'
    | 'duplicate_key'
    | 'unsafe_integer'
    | 'too_many_digits'
    | 'number_out_of_range'
    | 'lone_surrogate'
    | 'too_deep'
  /** Start of the name, number, character or bracket. UTF-16 code units from 0. */
  readonly at: number
}

/** Violations in the order in which a scan from the start can detect them. Nests as deep as the stack allows. */
export function violationsOf(text: string, depthMax: number): Violation[] {
  const found: Violation[] = []
  try {
    const end = blanks(text, value(text, blanks(text, 0), { found, depthMax, depth: 0 }))
    if (end < text.length) throw new SyntaxAtError(end)
  } catch (fault) {
    if (!(fault instanceof SyntaxAtError)) throw fault
    found.push({ code: 'syntax', at: fault.at })
  }
  return found
}

class SyntaxAtError extends Error {
  readonly at: number
  constructor(at: number) {
    super()
    this.at = at
  }
}

interface State {
  readonly found: Violation[]
  readonly depthMax: number
  /** Nesting of the value being read: 0 is the whole text. */
  readonly depth: number
}

/** End of the blanks that begin at `at`. */
function blanks(text: string, at: number): number {
  let end = at
  while (end < text.length && [' ', '\t', '\n', '\r'].includes(text[end]!)) end++
  return end
}

/** Reads a value and returns its end. */
function value(text: string, at: number, state: State): number {
  for (const word of ['true', 'false', 'null'])
    if (text.slice(at, at + word.length) === word) return at + word.length
  if (text[at] === '"') return string(text, at, state).end
  if (text[at] === '{' || text[at] === '[') {
    const inner = { ...state, depth: state.depth + 1 }
    if (inner.depth > state.depthMax) state.found.push({ code: 'too_deep', at })
    return text[at] === '{' ? object(text, at, inner) : array(text, at, inner)
  }
  return number(text, at, state)
}

function array(text: string, at: number, state: State): number {
  let next = blanks(text, at + 1)
  if (text[next] === ']') return next + 1
  for (;;) {
    next = blanks(text, value(text, next, state))
    if (text[next] === ']') return next + 1
    if (text[next] !== ',') throw new SyntaxAtError(next)
    next = blanks(text, next + 1)
  }
}

function object(text: string, at: number, state: State): number {
  const names: string[] = []
  let next = blanks(text, at + 1)
  if (text[next] === '}') return next + 1
  for (;;) {
    if (text[next] !== '"') throw new SyntaxAtError(next)
    const name = string(text, next, state)
    if (names.includes(name.said)) state.found.push({ code: 'duplicate_key', at: next })
    names.push(name.said)
    next = blanks(text, name.end)
    if (text[next] !== ':') throw new SyntaxAtError(next)
    next = blanks(text, value(text, blanks(text, next + 1), state))
    if (text[next] === '}') return next + 1
    if (text[next] !== ',') throw new SyntaxAtError(next)
    next = blanks(text, next + 1)
  }
}

/** Reads a string and returns its value and its end. */
function string(text: string, at: number, state: State): { said: string; end: number } {
  let said = ''
  let next = at + 1
  /** Position of a leading surrogate that still lacks its trailing one. */
  let waiting = -1
  const lone = (where: number) => state.found.push({ code: 'lone_surrogate', at: where })
  for (;;) {
    const unit = text[next] === '"' ? undefined : character(text, next, waiting, lone)
    if (waiting >= 0 && !(unit !== undefined && isTrailing(unit.said))) lone(waiting)
    else if (waiting < 0 && unit !== undefined && isTrailing(unit.said)) lone(next)
    if (unit === undefined) return { said, end: next + 1 }
    waiting = isLeading(unit.said) ? next : -1
    said += unit.said
    next = unit.end
  }
}

/**
 * Reads one UTF-16 code unit of a string, which may be escaped.
 * @param waiting start of a leading surrogate that remains incomplete if this is an error; −1 if there is none
 */
function character(
  text: string,
  at: number,
  waiting: number,
  lone: (where: number) => void,
): { said: string; end: number } {
  const fail = (where: number): never => {
    if (waiting >= 0) lone(waiting)
    throw new SyntaxAtError(where)
  }
  if (at >= text.length || text.charCodeAt(at) < 0x20) return fail(at)
  if (text[at] !== '\\') return { said: text[at]!, end: at + 1 }
  const letter = text[at + 1]
  const simple = 'bfnrt"\\/'.indexOf(letter ?? '?')
  if (simple >= 0) return { said: '\b\f\n\r\t"\\/'[simple]!, end: at + 2 }
  if (letter !== 'u') return fail(at + 1)
  const digits = text.slice(at + 2, at + 6)
  if (digits.length < 4 || [...digits].some((digit) => !'0123456789abcdefABCDEF'.includes(digit)))
    return fail(at + 2)
  return { said: String.fromCharCode(Number.parseInt(digits, 16)), end: at + 6 }
}

const isLeading = (unit: string) => unit >= '\ud800' && unit <= '\udbff'
const isTrailing = (unit: string) => unit >= '\udc00' && unit <= '\udfff'

const isDigit = (unit: string | undefined) => unit !== undefined && unit >= '0' && unit <= '9'

/** Reads the longest possible number and returns its end. */
function number(text: string, at: number, { found }: State): number {
  const digits = (from: number): number => {
    let end = from
    while (isDigit(text[end])) end++
    return end
  }
  const first = text[at] === '-' ? at + 1 : at
  if (!isDigit(text[first])) throw new SyntaxAtError(at)
  const whole = text[first] === '0' ? first + 1 : digits(first)
  const fraction = text[whole] === '.' && isDigit(text[whole + 1]) ? digits(whole + 1) : whole
  const sign = text[fraction + 1] === '+' || text[fraction + 1] === '-' ? 1 : 0
  const hasExponent = 'eE'.includes(text[fraction] ?? '?') && isDigit(text[fraction + 1 + sign])
  const end = hasExponent ? digits(fraction + 1 + sign) : fraction
  const code = numberViolation(text.slice(first, end))
  if (code !== undefined) found.push({ code, at })
  return end
}

/** Violation of a number without a sign, by exact arithmetic. */
function numberViolation(literal: string): Violation['code'] | undefined {
  const value = Number(literal)
  if (value === Infinity) return /^[0-9]+$/.test(literal) ? 'unsafe_integer' : 'number_out_of_range'
  if (!/[1-9]/.test(literal.split(/e/i)[0]!)) return undefined
  if (value === 0) return 'number_out_of_range'
  const written = ratioOf(literal)
  if (distance(written, ratioOf(`${value}`))[0] === 0n) return undefined
  if (written[0] % written[1] === 0n) return 'unsafe_integer'
  const digits = literal.split(/e/i)[0]!.replace('.', '').replace(/^0+/, '').replace(/0+$/, '')
  if (digits.length <= 17 && value < 2 ** 53) return undefined
  // Its digits are the decimal of that length closest to the float: at most half a unit of the last digit away.
  const [above, below] = distance(written, exactRatioOf(value))
  const [unitAbove, unitBelow] = [written[0] / BigInt(digits), written[1]]
  return above * 2n * unitBelow <= unitAbove * below && digits.length <= 100 ? undefined : 'too_many_digits'
}

type Ratio = readonly [above: bigint, below: bigint]

const distance = ([a, b]: Ratio, [c, d]: Ratio): Ratio => {
  const above = a * d - c * b
  return [above < 0n ? -above : above, b * d]
}

function ratioOf(literal: string): Ratio {
  const [mantissa, exponent = '0'] = literal.split(/e/i)
  const [whole, fraction = ''] = mantissa!.split('.')
  const power = Number(exponent) - fraction.length
  const digits = BigInt(whole! + fraction)
  return power < 0 ? [digits, 10n ** BigInt(-power)] : [digits * 10n ** BigInt(power), 1n]
}

/** A float as a ratio of whole numbers: the denominator is a power of two. */
function exactRatioOf(value: number): Ratio {
  let [above, below] = [value, 1n]
  while (!Number.isInteger(above)) {
    above *= 2
    below *= 2n
  }
  return [BigInt(above), below]
}
