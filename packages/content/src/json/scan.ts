/**
 * The text rules of content-model §2 as a scan from the start of the text, which throws at the first violation.
 *
 * A violation is reported at the first position where the scan can detect it: a repeated name at its closing quote, a number at its last
 * character, a leading surrogate at the character after it unless that is a trailing one, nesting at the bracket that exceeds the depth.
 * Syntax is RFC 8259. This scan is exact rather than fast; `input.ts` uses it only if a cheaper proof fails.
 */
import { InputError } from './input-error.ts'
import { type NumberFault, numberFault } from './number-fault.ts'

const quote = 0x22
const backslash = 0x5c
const whitespace = /[ \t\n\r]*/y
const numberLiteral = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const hexUnit = /[0-9a-fA-F]{4}/y
/** Characters that need no escape in a string; surrogates are checked one by one. */
const plainCharacters = /[^"\\\u0000-\u001f\ud800-\udfff]*/y
const simpleEscapes: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Throws InputError with the code of the first violation in `text`, if any. */
export function scanText(text: string, depthMax: number): void {
  const scan = new Scan(text, depthMax)
  scan.value(0)
  scan.end()
}

class Scan {
  readonly text: string
  readonly depthMax: number
  at = 0

  constructor(text: string, depthMax: number) {
    this.text = text
    this.depthMax = depthMax
  }

  /** One value and the whitespace around it. Recursion ends at `depthMax`. */
  value(depth: number): void {
    this.skip(whitespace)
    const first = this.text[this.at]
    if (first === '{') this.object(depth + 1)
    else if (first === '[') this.array(depth + 1)
    else if (first === '"') this.string()
    else if (first === 't') this.literal('true')
    else if (first === 'f') this.literal('false')
    else if (first === 'n') this.literal('null')
    else this.number()
    this.skip(whitespace)
  }

  end(): void {
    if (this.at < this.text.length) this.failSyntax()
  }

  private object(depth: number): void {
    this.enter(depth)
    if (this.accept('}')) return
    const names = new Set<string>()
    do {
      this.skip(whitespace)
      const start = this.at
      if (this.text[start] !== '"') this.failSyntax()
      const name = this.string()
      if (names.has(name)) {
        this.fail(
          'duplicate_key',
          start,
          `the member ${JSON.stringify(shortened(name))} occurs a second time`,
        )
      }
      names.add(name)
      this.skip(whitespace)
      this.expect(':')
      this.value(depth)
    } while (this.accept(','))
    this.expect('}')
  }

  private array(depth: number): void {
    this.enter(depth)
    if (this.accept(']')) return
    do this.value(depth)
    while (this.accept(','))
    this.expect(']')
  }

  private enter(depth: number): void {
    if (depth > this.depthMax) {
      this.fail('too_deep', this.at, `values nest more than ${this.depthMax} levels deep`)
    }
    this.at++
    this.skip(whitespace)
  }

  /** A string, unescaped. */
  private string(): string {
    this.at++
    let unescaped = ''
    for (;;) {
      const start = this.at
      this.skip(plainCharacters)
      unescaped += this.text.slice(start, this.at)
      const unit = this.text.charCodeAt(this.at)
      if (unit === quote) {
        this.at++
        return unescaped
      }
      unescaped += this.specialUnit()
    }
  }

  /** Handles the characters at which `plainCharacters` stops, except the closing quote: an escape, a surrogate or an error. */
  private specialUnit(): string {
    const start = this.at
    const leading = this.unit()
    if (!isSurrogate(leading)) return leading
    if (isLeading(leading)) {
      const trailing = this.trailing()
      if (trailing !== undefined) return leading + trailing
    }
    return this.fail('lone_surrogate', start, 'half of a surrogate pair stands alone')
  }

  /** Consumes the trailing surrogate at this position, literal or escaped. Returns undefined, consuming nothing, if there is none. */
  private trailing(): string | undefined {
    const here = this.text.slice(this.at, this.at + 6)
    if (isTrailing(here.charAt(0))) {
      this.at++
      return here.charAt(0)
    }
    return /^\\u[dD][c-fC-F][0-9a-fA-F]{2}$/.test(here) ? this.unit() : undefined
  }

  /** Consumes one UTF-16 code unit, literal or escaped. */
  private unit(): string {
    const unit = this.text.charCodeAt(this.at)
    if (Number.isNaN(unit) || unit < 0x20) return this.failSyntax()
    this.at++
    return unit === backslash ? this.escape() : String.fromCharCode(unit)
  }

  private escape(): string {
    const letter = this.text.charAt(this.at)
    const simple = Object.hasOwn(simpleEscapes, letter) ? simpleEscapes[letter] : undefined
    if (simple !== undefined) {
      this.at++
      return simple
    }
    if (letter !== 'u') return this.failSyntax()
    this.at++
    const start = this.at
    if (!this.skip(hexUnit)) this.failSyntax()
    return String.fromCharCode(Number.parseInt(this.text.slice(start, this.at), 16))
  }

  private number(): void {
    const start = this.at
    numberLiteral.lastIndex = start
    const match = numberLiteral.exec(this.text)
    const [literal] = match ?? this.failSyntax()
    this.at += literal.length
    const fault = numberFault(literal)
    if (fault !== undefined) this.fail(fault, start, numberReason(fault, literal))
  }

  private literal(word: string): void {
    if (!this.text.startsWith(word, this.at)) this.failSyntax()
    this.at += word.length
  }

  private accept(character: string): boolean {
    if (this.text[this.at] !== character) return false
    this.at++
    return true
  }

  private expect(character: string): void {
    if (!this.accept(character)) this.failSyntax()
  }

  /** Consumes the match of the sticky `pattern` at this position; returns false if there is none. */
  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return false
    this.at = pattern.lastIndex
    return true
  }

  private failSyntax(): never {
    const found = this.text.codePointAt(this.at)
    if (found === undefined) this.fail('syntax', this.at, 'the JSON text ends too early')
    this.fail(
      'syntax',
      this.at,
      `${JSON.stringify(String.fromCodePoint(found))} is not what JSON allows here`,
    )
  }

  private fail(code: ScanCode, at: number, reason: string): never {
    throw new InputError(code, `At character ${at + 1}: ${reason}.`, at)
  }
}

type ScanCode = 'syntax' | 'duplicate_key' | NumberFault | 'lone_surrogate' | 'too_deep'

function numberReason(fault: NumberFault, literal: string): string {
  const value = Number(literal)
  const kept = `a 64-bit float would make ${value} of it; write it as a string`
  if (fault === 'unsafe_integer' && Number.isFinite(value))
    return `the whole number ${shortened(literal)} would be changed: ${kept}`
  if (fault === 'too_many_digits')
    return `the number ${shortened(literal)} has more than 17 significant digits: ${kept}, or round it`
  return `the number ${shortened(literal)} is too ${value === 0 ? 'close to zero' : 'large'} for a 64-bit float; write it as a string`
}

/** Names and numbers can be megabytes long; messages must not be. */
function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`
}

function isSurrogate(unit: string): boolean {
  return unit >= '\ud800' && unit <= '\udfff'
}

function isLeading(unit: string): boolean {
  return unit >= '\ud800' && unit <= '\udbff'
}

function isTrailing(unit: string): boolean {
  return unit >= '\udc00' && unit <= '\udfff'
}
