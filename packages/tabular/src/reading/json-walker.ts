/** Walks a JSON text piece by piece and extracts the texts of the values that a visitor selects. Keeps nothing else. */
import { parseJson } from '@ulmus/content'

export type ValueKind = 'object' | 'list' | 'text' | 'scalar'
/** `enter` an object or a list, `take` the text of a value, or `pass` to skip it. */
export type Step = 'enter' | 'take' | 'pass'

/** A value that the visitor took. */
export interface Taken {
  /** Name of the member; undefined for an item of a list. */
  readonly name: string | undefined
  /** Position in its list or object, from 1. */
  readonly number: number
  readonly text: string
}

export interface Visitor {
  /** @param path member names leading to the value, with `undefined` for items of lists; empty for the whole text */
  visit(path: readonly (string | undefined)[], kind: ValueKind): Step
  take(value: Taken): void
}

interface Container {
  readonly isList: boolean
  count: number
}

type State = 'value' | 'name' | 'in-name' | 'colon' | 'after' | 'passing' | 'done'

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
const opens = (unit: number): boolean => unit === 0x5b || unit === 0x7b
const closes = (unit: number): boolean => unit === 0x5d || unit === 0x7d

/** Walks one text. The visitor decides at each value whether to enter, take or skip it. */
export class JsonWalker {
  readonly #visitor: Visitor
  readonly #charactersMax: number
  #text = ''
  #at = 0
  /** Start of the name or of the current value. */
  #start = 0
  #state: State = 'value'
  readonly #containers: Container[] = []
  readonly #path: (string | undefined)[] = []
  /** Kind of the value being skipped or taken. */
  #kind: ValueKind = 'scalar'
  #isTaken = false
  #isInText = false
  #isEscaped = false
  #depth = 0
  /** Reason why the text is not JSON, as a sentence. */
  fault: string | undefined

  /** @param charactersMax of a taken value */
  constructor(visitor: Visitor, charactersMax: number) {
    this.#visitor = visitor
    this.#charactersMax = charactersMax
  }

  /** Number of items or members read so far in the current list or object. */
  get count(): number {
    return this.#containers.at(-1)?.count ?? 0
  }

  push(piece: string): void {
    const isKept = this.#state === 'in-name' || (this.#state === 'passing' && this.#isTaken)
    const kept = isKept ? this.#start : this.#at
    this.#text = this.#text.slice(kept) + piece
    this.#at -= kept
    this.#start = 0
    while (this.#at < this.#text.length && this.fault === undefined) this.#step()
    const isHeld = this.#state === 'in-name' || (this.#state === 'passing' && this.#isTaken)
    if (isHeld && this.#text.length - this.#start > this.#charactersMax)
      this.fault = `Item ${this.count} of the list is longer than ${this.#charactersMax} characters. No record may be that long.`
  }

  end(): void {
    if (this.#state === 'passing' && this.#kind === 'scalar' && this.#containers.length === 0)
      this.#endValue(this.#text.length)
    if (this.fault === undefined && this.#state !== 'done')
      this.fault =
        this.#containers.length === 0
          ? 'The file holds no value.'
          : `The file ends in the middle of the list, after item ${this.count}. Is it complete?`
  }

  #step(): void {
    const unit = this.#text.charCodeAt(this.#at)
    if (this.#state === 'passing') this.#pass()
    else if (this.#state === 'in-name') this.#passName()
    else if (isSpace(unit)) this.#at++
    else if (this.#state === 'value') this.#beginValue(unit)
    else if (this.#state === 'done')
      this.fault = 'Something follows the end of the list. For one object a line, call the file .ndjson.'
    else this.#between(unit)
  }

  /** Handles names, colons, commas, and the ends of lists and objects. */
  #between(unit: number): void {
    if (this.#state === 'name' && unit === quote) {
      this.#state = 'in-name'
      this.#start = this.#at
      this.#at++
    } else if (this.#state === 'colon' && unit === colon) {
      this.#state = 'value'
      this.#at++
    } else if (closes(unit) && this.#state !== 'colon') this.#endContainer(unit)
    else if (unit === comma && this.#state === 'after') {
      this.#state = this.#containers.at(-1)!.isList ? 'value' : 'name'
      this.#at++
    } else this.#refuse()
  }

  #refuse(): void {
    const found = JSON.stringify(this.#text.slice(this.#at, this.#at + 20))
    this.fault = `This is no JSON, after item ${this.count}: ${found} cannot stand there.`
  }

  #beginValue(unit: number): void {
    const parent = this.#containers.at(-1)
    if (unit === 0x5d && parent?.isList === true) this.#endContainer(unit)
    else if (closes(unit) || unit === comma || unit === colon) this.#refuse()
    else this.#enterOrPass(unit, parent)
  }

  #enterOrPass(unit: number, parent: Container | undefined): void {
    if (parent !== undefined) parent.count++
    if (parent?.isList === true) this.#path.push(undefined)
    this.#kind = unit === 0x7b ? 'object' : unit === 0x5b ? 'list' : unit === quote ? 'text' : 'scalar'
    const step = this.#visitor.visit(this.#path, this.#kind)
    if (step === 'enter' && opens(unit)) {
      this.#containers.push({ isList: unit === 0x5b, count: 0 })
      this.#state = unit === 0x5b ? 'value' : 'name'
      this.#at++
      return
    }
    this.#state = 'passing'
    this.#isTaken = step === 'take'
    this.#start = this.#at
    this.#isInText = this.#isEscaped = false
    this.#depth = 0
  }

  #passName(): void {
    const end = this.#textEnd()
    if (end === undefined) return
    this.#path.push(parseJson(this.#text.slice(this.#start, end)) as string)
    this.#at = end
    this.#state = 'colon'
  }

  /** Moves to the end of a string whose first quote was read. @returns undefined if the piece ends before */
  #textEnd(): number | undefined {
    const text = this.#text
    for (; this.#at < text.length; this.#at++) {
      const unit = text.charCodeAt(this.#at)
      if (this.#isEscaped) this.#isEscaped = false
      else if (unit === backslash) this.#isEscaped = true
      else if (unit === quote) return ++this.#at
    }
    return undefined
  }

  #pass(): void {
    const end = this.#valueEnd()
    if (end !== undefined) this.#endValue(end)
  }

  /** @returns undefined if the piece ends before the value does */
  #valueEnd(): number | undefined {
    const text = this.#text
    for (; this.#at < text.length; this.#at++) {
      if (this.#isInText) {
        if (this.#textEnd() === undefined) return undefined
        this.#isInText = false
        if (this.#depth === 0) return this.#at
        if (this.#at === text.length) return undefined
      }
      const unit = text.charCodeAt(this.#at)
      if (unit === quote) this.#isInText = true
      else if (opens(unit)) this.#depth++
      else if (closes(unit) && this.#depth > 0) {
        if (--this.#depth === 0) return this.#at + 1
      } else if (this.#depth === 0 && (unit === comma || closes(unit) || isSpace(unit))) return this.#at
    }
    return undefined
  }

  #endValue(end: number): void {
    const name = this.#path.at(-1)
    if (this.#isTaken)
      this.#visitor.take({ name, number: this.count, text: this.#text.slice(this.#start, end) })
    this.#at = end
    this.#leave()
  }

  #endContainer(unit: number): void {
    const { isList } = this.#containers.at(-1)!
    if (isList !== (unit === 0x5d)) this.#refuse()
    else {
      this.#containers.pop()
      this.#at++
      this.#leave()
    }
  }

  #leave(): void {
    this.#path.pop()
    this.#state = this.#containers.length === 0 ? 'done' : 'after'
  }
}
