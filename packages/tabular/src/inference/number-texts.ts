/** Detects codes that look like numbers: `1.1` beside `1.10`, and `1E5`. A conversion to numbers would make them indistinguishable. */

/** Reason for keeping a column of texts although all values are numbers. */
export interface CodeReason {
  /** Line and text of the deciding value. */
  readonly line: number
  readonly value: string
  /** Another text in the column for the same number; undefined: no program writes numbers like this value. */
  readonly other: string | undefined
  /** True if the value has more digits than a number keeps. */
  readonly isLong?: true
}

/** The reason in words: `1.1 and 1.10 (line 3) would be one number`. */
export const codeText = ({ line, value, other, isLong }: CodeReason, unit: string): string =>
  isLong === true
    ? `${value} (${unit} ${line}) has more digits than a number keeps`
    : other === undefined
      ? `${value} in ${unit} ${line} looks like a code`
      : `${other} and ${value} (${unit} ${line}) would be one number`

/** Maximum of distinct numbers remembered per table: about 100 bytes each. Beyond it a pair may be missed. */
const numbersMax = 2 ** 19

/** Memory budget for the number texts of all columns of a table. */
export class NumberBudget {
  left = numbersMax
}

/** Programs write a point or a sign with an exponent: `1.0E5`, `1e+05`. */
const bareExponent = /^\d+[eE]\d+$/

export class NumberTexts {
  readonly #budget: NumberBudget
  readonly #texts = new Map<number, string>()
  reason: CodeReason | undefined

  constructor(budget: NumberBudget) {
    this.#budget = budget
  }

  /** @param text of a number that a double represents */
  see(text: string, line: number, copy: (text: string) => string): void {
    if (this.reason !== undefined) return
    const value = Number(text)
    // Programs mix `0.0` and `-0.0` in one column of measurements.
    if (value === 0) return
    const known = this.#texts.get(value)
    if (known === undefined) {
      if (bareExponent.test(text)) this.#end({ line, value: copy(text), other: undefined })
      else if (this.#budget.left > 0) {
        this.#budget.left--
        this.#texts.set(value, String(value) === text ? String(value) : copy(text))
      }
    } else if (known !== text) this.#end({ line, value: copy(text), other: known })
  }

  /** Frees the memory. */
  clear(): void {
    this.#budget.left += this.#texts.size
    this.#texts.clear()
  }

  #end(reason: CodeReason): void {
    this.reason = reason
    this.clear()
  }
}
