/** Infers the kind of a column from its values, and what else a plan may offer for it: ids, closed lists, conversions. */
import { newNameFault, parseJson } from '@ulmus/content'
import { Numeral, Real } from '../reading/table.ts'
import { textOf } from '../reading/table-error.ts'
import { type Conversion, ConversionWatch, type OfferedConversion } from './conversions.ts'
import { type HashBudget, HashSet } from './hash-set.ts'
import { isIdAlone, mayBeMistakes } from './id-names.ts'
import {
  type CellKind,
  isLongNumber,
  type Kind,
  kindOfAll,
  kindOfText,
  kindOfValue,
  nestedOf,
} from './kinds.ts'
import { type Mark, MarkWatch } from './marks.ts'
import { type CodeReason, type NumberBudget, NumberTexts } from './number-texts.ts'
import { Shape } from './shape.ts'

/** Values of one kind in a column. */
export interface Tally {
  readonly kind: CellKind
  /** Number of values. */
  readonly count: number
  /** Line of the first value. */
  readonly line: number
  readonly value: unknown
}

/** A later row with a value that another has. */
export interface RepeatedValue {
  readonly value: string
  readonly line: number
}

/** A column after all rows were read. Nothing here changes data: a plan decides. */
export interface Column {
  readonly name: string
  readonly kind: Kind
  /** True if no row has a value. */
  readonly isEmpty: boolean
  /** True if every row has a value; an explicit null counts as one. */
  readonly isFull: boolean
  /** True if some values are "": they count as values among texts, and as missing in a column of numbers or the like. */
  readonly hasEmptyTexts: boolean
  /** True if some values are an explicit null, as opposed to missing. */
  readonly isNullable: boolean
  /** True if all values differ, and none is empty or too long for an id. Also false if determining it would take too much memory. */
  readonly isUnique: boolean
  /** True if some value has a line break or the like, which new ids must not have. */
  readonly hasControls: boolean
  /** The values of a unique column. */
  readonly ids: HashSet | undefined
  /** Values that come again in a column called like an id and unique but for these, each with its later line. */
  readonly repeats: readonly RepeatedValue[] | undefined
  /** All values, if they are few texts that each occur often: offer them as a closed list. A plan uses them only on request. */
  readonly choices: readonly string[] | undefined
  /** All distinct values, sorted, of a column with at most 100 distinct short texts. */
  readonly distinct: readonly string[] | undefined
  /**
   * Conversions to numbers, dates and booleans that apply to every value of a column of texts, likeliest first. Offer them; a plan uses
   * them only on request.
   */
  readonly conversions: readonly OfferedConversion[]
  /** Conversions that every value admits and that change some, whatever the kind: all of `1.234` may mean 1234. */
  readonly admitted: readonly Conversion[]
  /** Reason for keeping a column of texts although all values are numbers, because a conversion would lose information. */
  readonly codes: CodeReason | undefined
  /** Values that may mean missing, such as `NA`. They count as values unless the caller decides otherwise. */
  readonly marks: readonly Mark[]
  /** The first few values. */
  readonly examples: readonly unknown[]
  /** Number of values by kind, most frequent first: shows what prevents a column from being numeric. */
  readonly tallies: readonly Tally[]
  /** Schema of the content, for lists and objects. */
  readonly nested: Readonly<Record<string, unknown>> | undefined
}

/** Maximum of offered choices. */
const choicesMax = 12
/** With more distinct texts a column has no `distinct` and no `choices`. */
const distinctMax = 100
/** Likewise with a longer text. Characters. */
const choiceCharactersMax = 64
/** Fewer values are too few to infer a closed list. */
const choiceRowsMin = 100
/** More repetitions are no mistake: the column is no id. */
const repeatsMax = 10
/** Maximum of examples. */
const examplesMax = 5
/** Maximum length of an example; longer ones are truncated. Characters. */
const exampleCharactersMax = 200
/** Maximum length of an id (packages/content). Bytes; a UTF-16 code unit takes at most three. */
export const idBytesMax = 1024

/** The id made from a value; undefined for an empty text, a fraction, or a text that is too long. */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : value instanceof Numeral ? value.text : undefined
  if (text === undefined) {
    const number = value instanceof Real ? value.value : value
    return Number.isSafeInteger(number) ? String(number) : undefined
  }
  if (text === '') return undefined
  const isShort = text.length * 3 <= idBytesMax || new TextEncoder().encode(text).length <= idBytesMax
  return isShort ? text : undefined
}

/** Copies a text: a slice would keep the whole piece of the file in memory. */
const copyOf = (text: string): string => parseJson(JSON.stringify(text)) as string

const shownText = (value: unknown): string => (value instanceof Numeral ? value.text : textOf(value))

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

/** Observes the values of one column, one after another, and then describes it. */
export class ColumnWatch {
  readonly #isText: boolean
  readonly #counts = new Map<CellKind, Count>()
  #nulls = 0
  #empties = 0
  readonly #name: string
  #ids: HashSet | undefined
  readonly #repeats: RepeatedValue[] = []
  #hasControls = false
  #distinct: Set<string> | undefined = new Set()
  readonly #conversions = new ConversionWatch()
  readonly #marks = new MarkWatch()
  readonly #numbers: NumberTexts
  readonly #examples: unknown[] = []
  /** Numbers of too many digits. */
  #long: Count | undefined
  #shape: Shape | undefined

  constructor(name: string, isText: boolean, budget: HashBudget, numbers: NumberBudget) {
    this.#name = name
    this.#isText = isText
    this.#numbers = new NumberTexts(numbers)
    this.#ids = new HashSet(budget)
  }

  see(value: unknown, line: number): void {
    if (value === undefined) return
    if (value === null) {
      this.#nulls++
      return
    }
    if (this.#ids !== undefined) this.#seeId(value, line)
    if (this.#distinct !== undefined) this.#seeText(value)
    if (value === '' && this.#isText) {
      this.#empties++
      return
    }
    const kind = this.#isText ? kindOfText(value as string) : kindOfValue(value)
    const known = this.#counts.get(kind)
    if (known === undefined) this.#counts.set(kind, { count: 1, line, value: exampleOf(value) })
    else known.count++
    this.#marks.see(value, kind, line, copyOf)
    this.#seeReadings(value, kind, line)
    if (kind === 'array' || kind === 'object') {
      this.#shape ??= new Shape()
      this.#shape.see(this.#isText ? nestedOf(value as string) : value)
    }
    if (this.#examples.length < examplesMax) this.#examples.push(exampleOf(value))
  }

  #seeId(value: unknown, line: number): void {
    const id = idOf(value)
    if (id !== undefined) this.#hasControls ||= newNameFault('id', id) !== undefined
    if (id !== undefined && this.#ids!.add(id)) return
    const mayRepeat = isIdAlone(this.#name) && this.#repeats.length < repeatsMax && !this.#ids!.isFull
    if (id !== undefined && mayRepeat) {
      this.#repeats.push({ value: copyOf(id), line })
      return
    }
    this.#ids!.clear()
    this.#ids = undefined
  }

  #seeText(value: unknown): void {
    const distinct = this.#distinct!
    if (typeof value !== 'string' || value.length > choiceCharactersMax) this.#distinct = undefined
    else if (!distinct.has(value)) {
      if (distinct.size === distinctMax) this.#distinct = undefined
      else distinct.add(copyOf(value))
    }
  }

  #seeReadings(value: unknown, kind: CellKind, line: number): void {
    const text = value instanceof Numeral ? value.text : value
    if (typeof text === 'string' && (kind === 'numeral' || this.#isText) && isLongNumber(text)) {
      if (this.#long === undefined) this.#long = { count: 1, line, value: exampleOf(value) }
      else this.#long.count++
    }
    if (typeof value === 'string') this.#conversions.see(value, kind, line)
    else this.#conversions.seeValue(kind)
    if (!this.#isText || typeof value !== 'string') return
    if (kind === 'integer' || kind === 'number') this.#numbers.see(value, line, copyOf)
    else this.#numbers.clear()
  }

  /** The first number of too many digits, if all other values are numbers. */
  #longReason(tallies: readonly Tally[]): CodeReason | undefined {
    const others = tallies.filter(({ kind }) => kind !== 'integer' && kind !== 'number')
    const count = others.reduce((sum, one) => sum + one.count, 0)
    if (this.#long?.count !== count) return undefined
    return { line: this.#long.line, value: shownText(this.#long.value), other: undefined, isLong: true }
  }

  /** @param rows total number of rows */
  column(rows: number): Column {
    const name = this.#name
    const tallies = Array.from(this.#counts, ([kind, count]) => ({ kind, ...count })).sort(
      (a, b) => b.count - a.count,
    )
    const seen = kindOfAll(new Set(this.#counts.keys()), this.#isText)
    this.#numbers.clear()
    const codes = seen === 'number' ? this.#numbers.reason : this.#longReason(tallies)
    const kind = codes === undefined ? seen : 'string'
    const values = tallies.reduce((sum, { count }) => sum + count, 0)
    // An empty text is a value only among texts; otherwise it means a missing one.
    const count = values + (kind === 'string' ? this.#empties : 0)
    const isAlmost = this.#ids !== undefined && values > 0 && values === rows
    const isUnique = isAlmost && this.#repeats.length === 0
    const repeats = isAlmost && mayBeMistakes(name, this.#repeats.length, rows) ? this.#repeats : undefined
    if (!isUnique) this.#ids?.clear()
    const distinct =
      kind === 'string' && this.#distinct !== undefined ? [...this.#distinct].sort() : undefined
    const isChoice =
      distinct !== undefined &&
      distinct.length > 1 &&
      distinct.length <= choicesMax &&
      count >= choiceRowsMin &&
      !isUnique
    const mayConvert = (kind === 'string' || kind === 'any') && codes === undefined
    return {
      ...{ name, kind, tallies, examples: this.#examples, isUnique, repeats, distinct, codes },
      conversions: mayConvert ? this.#conversions.offered(copyOf) : [],
      admitted: this.#conversions.admitted(),
      isEmpty: count + this.#nulls === 0 || (values === 0 && this.#nulls === rows),
      isFull: count + this.#nulls === rows,
      hasEmptyTexts: this.#empties > 0,
      isNullable: this.#nulls > 0,
      hasControls: this.#hasControls,
      marks: this.#marks.found(),
      ids: isUnique ? this.#ids : undefined,
      choices: isChoice ? distinct : undefined,
      nested: kind === 'array' || kind === 'object' ? this.#shape?.schema() : undefined,
    }
  }
}
