/** Codes that look like numbers: `1.1` beside `1.10`, and `1E5`. As numbers they would lose what tells them apart. */

/** Why a column whose values are all numbers is proposed as one of texts. */
export interface CodeReason {
  /** Line and text of the value that says so. */
  readonly line: number
  readonly value: string
  /** Another text of the column that is the same number; undefined: the value is written as no program writes numbers. */
  readonly other: string | undefined
}

/** Different numbers that are remembered of one table: about 100 bytes each. Beyond it a pair may be overlooked. */
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

  /** @param text of a number that doubles hold */
  see(text: string, line: number, copy: (text: string) => string): void {
    if (this.reason !== undefined) return
    const value = Number(text)
    // Programs write `0.0` and `-0.0` into one column of measurements.
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

  /** Gives the memory back. */
  clear(): void {
    this.#budget.left += this.#texts.size
    this.#texts.clear()
  }

  #end(reason: CodeReason): void {
    this.reason = reason
    this.clear()
  }
}
