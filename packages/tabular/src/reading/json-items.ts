/** The items of a JSON list as texts, found piece by piece: of the list that is the whole, or the one list of an object. */

export interface Item {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** What a scan is in the middle of. */
type State = 'before' | 'members' | 'opened' | 'skipping' | 'between' | 'item' | 'after' | 'done'

const noList = 'The file must hold a list of objects, or an object with one such list.'

const quote = 0x22
const backslash = 0x5c
const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
const opens = (unit: number): boolean => unit === 0x5b || unit === 0x7b
const closes = (unit: number): boolean => unit === 0x5d || unit === 0x7d

export class ItemScanner {
  readonly #charactersMax: number
  #text = ''
  #at = 0
  /** Where the item begins that is being read. */
  #start = 0
  #state: State = 'before'
  /** The list is a member of an object. */
  #isMember = false
  #isText = false
  #isEscaped = false
  #depth = 0
  #number = 0
  /** What is skipped stands behind the list. */
  #isAfterList = false
  /** A member is a list without items, which may be the one. */
  #hasEmptyList = false
  /** A sentence: what the file is, if it is no list of items. */
  fault: string | undefined

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax
  }

  push(piece: string): Item[] {
    const kept = this.#state === 'item' ? this.#start : this.#at
    this.#text = this.#text.slice(kept) + piece
    this.#at -= kept
    this.#start = 0
    const items: Item[] = []
    while (this.#at < this.#text.length && this.fault === undefined) this.#step(items)
    if (this.#state === 'item' && this.#text.length - this.#start > this.#charactersMax)
      this.fault = `Item ${this.#number} of the list is longer than ${this.#charactersMax} characters. No record may be that long.`
    return items
  }

  end(): void {
    if (this.fault !== undefined || this.#state === 'done') return
    if (['members', 'opened', 'skipping', 'before'].includes(this.#state)) this.fault = noList
    else this.fault = `The file ends in the middle of the list, after item ${this.#number}. Is it complete?`
  }

  #step(items: Item[]): void {
    const unit = this.#text.charCodeAt(this.#at)
    if (this.#state === 'item' || this.#state === 'skipping' || this.#isText) this.#pass(items)
    else if (isSpace(unit)) this.#at++
    else if (this.#state === 'before') this.#begin(unit)
    else if (this.#state === 'between') this.#beginItem(unit)
    else if (this.#state === 'opened') this.#beginList(unit)
    else if (this.#state === 'done')
      this.fault = 'Something follows the end of the list. For one object a line, call the file .ndjson.'
    else this.#member(unit)
  }

  #begin(unit: number): void {
    this.#at++
    this.#isMember = unit === 0x7b
    this.#state = this.#isMember ? 'members' : 'between'
    if (!opens(unit)) this.fault = 'The file must hold a list of objects.'
  }

  #beginItem(unit: number): void {
    if (unit === 0x5d) {
      this.#at++
      this.#state = this.#isMember ? 'after' : 'done'
    } else if (unit === 0x2c) this.#at++
    else {
      this.#number++
      this.#start = this.#at
      this.#state = 'item'
      this.#depth = 0
    }
  }

  /** A member is a list: the one that is meant, if its first item is an object; a GeoJSON file has lists of numbers beside it. */
  #beginList(unit: number): void {
    if (unit === 0x7b) {
      this.#state = 'between'
      if (this.#isAfterList)
        this.fault =
          'The object holds several lists of objects. Save the one that you mean as a file of its own.'
    } else if (unit === 0x5d) {
      this.#at++
      this.#hasEmptyList = true
      this.#state = this.#isAfterList ? 'after' : 'members'
    } else {
      this.#state = 'skipping'
      this.#depth = 1
    }
  }

  /** Members of the object around the list: names, numbers and so on pass by. */
  #member(unit: number): void {
    if (unit === quote) {
      this.#isText = true
    } else if (unit === 0x5b) {
      this.#isAfterList = this.#state === 'after'
      this.#state = 'opened'
    } else if (unit === 0x7b) {
      this.#isAfterList = this.#state === 'after'
      this.#state = 'skipping'
      this.#depth = 1
    } else if (unit === 0x7d) {
      if (this.#state === 'members' && !this.#hasEmptyList) this.fault = noList
      this.#state = 'done'
    }
    this.#at++
  }

  /** Through the inside of an item, of a member that is no list, or of a text. */
  #pass(items: Item[]): void {
    const text = this.#text
    for (; this.#at < text.length; this.#at++) {
      const unit = text.charCodeAt(this.#at)
      if (this.#isText) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (unit === backslash) this.#isEscaped = true
        else if (unit === quote) {
          this.#isText = false
          if (this.#state !== 'item' && this.#state !== 'skipping') {
            this.#at++
            return
          }
        }
      } else if (unit === quote) this.#isText = true
      else if (opens(unit)) this.#depth++
      else if (this.#state === 'skipping') {
        if (closes(unit) && --this.#depth === 0) {
          this.#at++
          this.#state = this.#isAfterList ? 'after' : 'members'
          return
        }
      } else if (this.#depth === 0 ? unit === 0x2c || unit === 0x5d : closes(unit) && --this.#depth < 0) {
        items.push({ number: this.#number, text: text.slice(this.#start, this.#at) })
        this.#state = 'between'
        return
      }
    }
  }
}
