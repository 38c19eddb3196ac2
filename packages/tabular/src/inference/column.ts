/** What one column holds, as far as its values tell. */
import { Numeral } from '../reading/table.ts'
import { textOf } from '../reading/table-error.ts'
import { type HashBudget, HashSet } from './hash-set.ts'
import { type Kind, kindOfAll, kindOfText, kindOfValue, nestedOf, type Seen } from './kinds.ts'
import { Shape } from './shape.ts'

export interface Tally {
  readonly kind: Seen
  /** Values. */
  readonly count: number
  /** Where the first one stands. */
  readonly line: number
  readonly value: unknown
}

export interface Column {
  readonly name: string
  readonly kind: Kind
  /** No row has a value. */
  readonly isEmpty: boolean
  /** Every row has a value; null, where the file says so, is one. */
  readonly isFull: boolean
  /** Some values are "": values among texts, and none where a number or the like should stand. */
  readonly hasEmptyTexts: boolean
  /** Some values are null, which is more than to be missing. */
  readonly isNullable: boolean
  /** No two rows have the same value, and none is empty or too long for an id. False as well where it takes too much memory to know. */
  readonly isUnique: boolean
  /** The values of a unique column. */
  readonly ids: HashSet | undefined
  /** All values, where they are few and each comes often; undefined: not so. */
  readonly choices: readonly string[] | undefined
  /** The first few. */
  readonly examples: readonly unknown[]
  /** Of how many kinds the values are, most frequent first: what keeps a column from being of numbers. */
  readonly tallies: readonly Tally[]
  /** Of lists and objects: what they hold, as a schema. */
  readonly nested: Readonly<Record<string, unknown>> | undefined
}

/** Choices that a column may have, and their length in characters. */
const choicesMax = 12
const choiceCharactersMax = 64
/** Fewer values say little about which others there may be. */
const choiceRowsMin = 100
const examplesMax = 5
/** Characters of an example; longer ones are cut. */
const exampleCharactersMax = 200
/** Bytes that an id may take (packages/content); no character takes more than three a code unit. */
export const idBytesMax = 1024

/** The id that a value makes; undefined: none, as of an empty text, a fraction, or what is too long. */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : value instanceof Numeral ? value.text : undefined
  if (text === undefined) return Number.isSafeInteger(value) ? String(value) : undefined
  if (text === '') return undefined
  const isShort = text.length * 3 <= idBytesMax || new TextEncoder().encode(text).length <= idBytesMax
  return isShort ? text : undefined
}

/** A text of its own: a slice would keep the whole piece of the file in memory. */
const copyOf = (text: string): string => JSON.parse(JSON.stringify(text)) as string

const exampleOf = (value: unknown): unknown => {
  const text = typeof value === 'string' ? value : value instanceof Numeral ? value.text : textOf(value)
  if (text.length > exampleCharactersMax) return `${copyOf(text.slice(0, exampleCharactersMax))}…`
  return typeof value === 'string' ? copyOf(value) : value
}

interface Count {
  count: number
  readonly line: number
  readonly value: unknown
}

export class ColumnWatch {
  readonly #isText: boolean
  readonly #counts = new Map<Seen, Count>()
  #nulls = 0
  #empties = 0
  #ids: HashSet | undefined
  #choices: Set<string> | undefined = new Set()
  readonly #examples: unknown[] = []
  #shape: Shape | undefined

  constructor(isText: boolean, budget: HashBudget) {
    this.#isText = isText
    this.#ids = new HashSet(budget)
  }

  see(value: unknown, line: number): void {
    if (value === undefined) return
    if (value === null) {
      this.#nulls++
      return
    }
    if (this.#ids !== undefined) this.#seeId(value)
    if (this.#choices !== undefined) this.#seeChoice(value)
    if (value === '' && this.#isText) {
      this.#empties++
      return
    }
    const kind = this.#isText ? kindOfText(value as string) : kindOfValue(value)
    const known = this.#counts.get(kind)
    if (known === undefined) this.#counts.set(kind, { count: 1, line, value: exampleOf(value) })
    else known.count++
    if (kind === 'array' || kind === 'object') {
      this.#shape ??= new Shape()
      this.#shape.see(this.#isText ? nestedOf(value as string) : value)
    }
    if (this.#examples.length < examplesMax) this.#examples.push(exampleOf(value))
  }

  #seeId(value: unknown): void {
    const id = idOf(value)
    if (id !== undefined && this.#ids!.add(id)) return
    this.#ids!.clear()
    this.#ids = undefined
  }

  #seeChoice(value: unknown): void {
    const choices = this.#choices!
    if (typeof value !== 'string' || value.length > choiceCharactersMax) this.#choices = undefined
    else if (!choices.has(value)) {
      choices.add(copyOf(value))
      if (choices.size > choicesMax) this.#choices = undefined
    }
  }

  /** @param rows all that there are */
  column(name: string, rows: number): Column {
    const tallies = Array.from(this.#counts, ([kind, count]) => ({ kind, ...count })).sort(
      (a, b) => b.count - a.count,
    )
    const kind = kindOfAll(new Set(this.#counts.keys()), this.#isText)
    const values = tallies.reduce((sum, { count }) => sum + count, 0)
    // Empty texts are values among texts alone; elsewhere nothing stands there.
    const count = values + (kind === 'string' ? this.#empties : 0)
    const isUnique = this.#ids !== undefined && values > 0 && values === rows
    if (!isUnique) this.#ids?.clear()
    const choices = [...(this.#choices ?? [])]
    const isChoice =
      kind === 'string' && this.#choices !== undefined && choices.length > 1 && count >= choiceRowsMin
    return {
      ...{ name, kind, tallies, examples: this.#examples, isUnique },
      isEmpty: count + this.#nulls === 0 || (values === 0 && this.#nulls === rows),
      isFull: count + this.#nulls === rows,
      hasEmptyTexts: this.#empties > 0,
      isNullable: this.#nulls > 0,
      ids: isUnique ? this.#ids : undefined,
      choices: isChoice && !isUnique ? choices.sort() : undefined,
      nested: kind === 'array' || kind === 'object' ? this.#shape?.schema() : undefined,
    }
  }
}
