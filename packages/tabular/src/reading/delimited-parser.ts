/**
 * Parses CSV (RFC 4180) and its dialects, piece by piece. A quote is special only at the beginning of a value; elsewhere it is a character.
 *
 * No library is used: the parser must distinguish an empty value from a quoted empty text, and other parsers do so with a callback
 * and an object per value, eight times as slow.
 */
import type { Quotes } from './options.ts'

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

const space = 0x20
const backslash = 0x5c

const textAfterQuote =
  'Text follows the quote that ends a value. Write "" for a quote inside of a quoted value.'

/** Defaults: a comma, doubled quotes, no comments and no skipped lines. */
export interface Dialect {
  /** One character. */
  readonly delimiter?: string | undefined
  readonly quotes?: Quotes | undefined
  /** One character that begins lines to skip. Empty: none. */
  readonly comment?: string | undefined
  /** Number of lines to skip at the top. */
  readonly skip?: number | undefined
}

const pastSpaces = (text: string, from: number): number => {
  let at = from
  while (text.charCodeAt(at) === space) at++
  return at
}

export interface Line {
  /** Number of its first line in the file, from 1. */
  readonly line: number
  /** Undefined is an empty cell; `""` in quotes is the empty text. */
  readonly values: readonly (string | undefined)[]
}

/** Unreadable part of a file, with its line. */
export interface ParserFault {
  readonly line: number
  readonly sentence: string
}

/** Call `push` for each piece and `end` once; both return completed rows. */
export class DelimitedParser {
  readonly #delimiter: number
  readonly #quotes: Quotes
  readonly #comment: number
  readonly #charactersMax: number
  /** Number of lines still to be skipped. */
  #skip: number
  /** True if the current position is within a skipped line. */
  #isPassing = false
  #lineEnd: number | undefined
  /** Input that is not yet part of a completed line. */
  #text = ''
  /** Start of the current value. */
  #start = 0
  /** Position of the next character to read. */
  #at = 0
  #isQuoted = false
  #hasQuotes = false
  /** True if the value was quoted and has been added already. */
  #isAfterQuotes = false
  #values: (string | undefined)[] = []
  #line = 1
  /** First line of the row being read. */
  #firstLine = 1
  #quoteLine = 1
  #characters = 0
  fault: ParserFault | undefined

  /** @param charactersMax of one row with all its values */
  constructor(
    { delimiter = ',', quotes = 'doubled', comment = '', skip = 0 }: Dialect,
    charactersMax: number,
  ) {
    this.#delimiter = delimiter.charCodeAt(0)
    this.#quotes = quotes
    this.#comment = comment === '' ? -1 : comment.charCodeAt(0)
    this.#skip = skip
    this.#charactersMax = charactersMax
  }

  /** Returns the rows that end in `piece`, without empty ones. Stops at unreadable input: see `fault`. */
  push(piece: string): Line[] {
    this.#text = this.#text.slice(this.#start) + piece
    this.#at -= this.#start
    this.#start = 0
    const lines = this.#read(false)
    const pending = this.#characters + this.#text.length - this.#start
    if (this.fault === undefined && pending > this.#charactersMax) this.#refuseLength()
    return lines
  }

  /** Returns the last row, which may lack a line end. */
  end(): Line[] {
    const lines = this.#read(true)
    if (this.fault !== undefined) return lines
    if (this.#isQuoted) {
      const sentence =
        'A value begins with a quote, and no quote ends it. Write "" for a quote inside of a quoted value.'
      this.fault = { line: this.#quoteLine, sentence }
    } else {
      if (this.#isPassing) this.#start = this.#text.length
      this.#endValue(this.#text.length, true)
      this.#endLine(lines)
    }
    return lines
  }

  #read(isLast: boolean): Line[] {
    const lines: Line[] = []
    const text = this.#text
    while (this.#at < text.length && this.fault === undefined) {
      if (this.#isQuoted) {
        if (!this.#readQuoted(isLast)) return lines
        continue
      }
      if (this.#isAtLineStart()) this.#beginLine(text.charCodeAt(this.#at))
      const at = this.#isPassing ? this.#nextLineEnd(text) : this.#nextSign(text)
      this.#at = at
      if (at === text.length) return lines
      const unit = text.charCodeAt(at)
      if (unit === this.#delimiter) this.#endValue(at, false)
      else if (unit === quote) {
        this.#start = at
        this.#isQuoted = true
        this.#quoteLine = this.#line
        this.#at++
      } else {
        // A piece may end between the two characters of a line end.
        if (unit === carriageReturn && at + 1 === text.length && !isLast) return lines
        this.#readLineEnd(unit === carriageReturn, text.charCodeAt(at + 1) === lineFeed, lines)
      }
    }
    return lines
  }

  #isAtLineStart(): boolean {
    return this.#at === this.#start && this.#values.length === 0 && !this.#isPassing
  }

  #beginLine(unit: number): void {
    if (this.#skip > 0) this.#skip--
    else if (unit !== this.#comment) return
    this.#isPassing = true
  }

  /** End of the current line, whose text is dropped. */
  #nextLineEnd(text: string): number {
    let at = this.#at
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit === lineFeed || unit === carriageReturn) break
    }
    this.#start = at
    return at
  }

  /** Position of the next special character. */
  #nextSign(text: string): number {
    const delimiter = this.#delimiter
    let at = this.#at
    if (this.#quotes !== 'none' && !this.#isAfterQuotes) {
      const first = this.#quotes === 'spaced' ? pastSpaces(text, this.#start) : this.#start
      if (first >= at && text.charCodeAt(first) === quote) return first
    }
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit === delimiter || unit === lineFeed || unit === carriageReturn) return at
    }
    return at
  }

  #readLineEnd(isReturn: boolean, isBeforeLineFeed: boolean, lines: Line[]): void {
    if (isReturn && !this.#isEnd(isBeforeLineFeed)) {
      if (this.#isAfterQuotes) this.fault = { line: this.#line, sentence: textAfterQuote }
      this.#at++
      return
    }
    if (!isReturn) this.#lineEnd ??= lineFeed
    this.#endValue(this.#at, true)
    this.#endLine(lines)
    this.#isPassing = false
    this.#line++
    if (isReturn && isBeforeLineFeed) this.#start = ++this.#at
  }

  /** True if a carriage return ends a line: always before a line feed; alone only in files whose first line ends that way. */
  #isEnd(isBeforeLineFeed: boolean): boolean {
    this.#lineEnd ??= isBeforeLineFeed ? lineFeed : carriageReturn
    return isBeforeLineFeed || this.#lineEnd === carriageReturn
  }

  /** Reads up to the quote that ends the value. @returns false if more text is needed */
  #readQuoted(isLast: boolean): boolean {
    const text = this.#text
    for (;;) {
      const close = text.indexOf('"', this.#at)
      const end = close < 0 ? text.length : close
      for (let at = this.#at; at < end; at++) if (text.charCodeAt(at) === lineFeed) this.#line++
      this.#at = end
      if (close < 0 || (close + 1 === text.length && !isLast)) return false
      const isEscaped = this.#quotes === 'backslash' && this.#isAfterBackslash(close)
      if (isEscaped) {
        this.#hasQuotes = true
        this.#at = close + 1
        continue
      }
      if (text.charCodeAt(close + 1) !== quote) break
      this.#hasQuotes = true
      this.#at = close + 2
    }
    const inside = text.slice(this.#start + 1, this.#at)
    const after = this.#quotes === 'spaced' ? pastSpaces(text, this.#at + 1) : this.#at + 1
    if (after === text.length && !isLast) return false
    const next = text.charCodeAt(after)
    if (after < text.length && next !== this.#delimiter && next !== lineFeed && next !== carriageReturn) {
      this.fault = { line: this.#line, sentence: textAfterQuote }
      return false
    }
    this.#add(this.#hasQuotes || this.#quotes === 'backslash' ? this.#unescaped(inside) : inside)
    this.#isQuoted = false
    this.#hasQuotes = false
    this.#start = this.#at = after
    this.#isAfterQuotes = true
    return true
  }

  /** True if an odd number of backslashes precedes: pairs of them are literal. */
  #isAfterBackslash(at: number): boolean {
    let first = at
    while (first - 1 > this.#start && this.#text.charCodeAt(first - 1) === backslash) first--
    return (at - first) % 2 === 1
  }

  #unescaped(inside: string): string {
    if (this.#quotes !== 'backslash') return inside.replaceAll('""', '"')
    return inside.replace(/\\(["\\])|""/g, (_, escaped?: string) => escaped ?? '"')
  }

  #endValue(end: number, isLineEnd: boolean): void {
    if (this.#isAfterQuotes) this.#isAfterQuotes = false
    else if (end > this.#start) {
      const value = this.#text.slice(this.#start, end)
      this.#add(this.#quotes === 'spaced' ? value.trim() || undefined : value)
    } else if (!isLineEnd || this.#values.length > 0) this.#add(undefined)
    this.#start = this.#at = end + 1
  }

  #add(value: string | undefined): void {
    this.#values.push(value)
    this.#characters += (value?.length ?? 0) + 1
    if (this.#characters > this.#charactersMax) this.#refuseLength()
  }

  #endLine(lines: Line[]): void {
    if (this.#values.length > 0) lines.push({ line: this.#firstLine, values: this.#values })
    this.#values = []
    this.#characters = 0
    this.#firstLine = this.#line + 1
  }

  #refuseLength(): void {
    const sentence = this.#isQuoted
      ? `A value in quotes begins here and does not end within ${this.#charactersMax} characters. A quote is missing, or the value is too long for a record.`
      : `The line is longer than ${this.#charactersMax} characters. No record may be that long; is the file what its name says?`
    this.fault ??= { line: this.#isQuoted ? this.#quoteLine : this.#firstLine, sentence }
  }
}
