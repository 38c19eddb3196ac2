/**
 * Marks of a version: withdrawn, to be erased, or deprecated. An acknowledged withdrawal is permanent; an unacknowledged one may have
 * happened or not, and the first list read decides.
 */

/** Marks in a list of versions. */
export interface ToldMarks {
  /** Reason of the withdrawal; null: not withdrawn. */
  readonly withdrawn: string | null
  /** Null: not deprecated. */
  readonly deprecated: string | null
}

export const noMarks: ToldMarks = { withdrawn: null, deprecated: null }

export class Marks {
  /** Possible reasons of the withdrawal; null: possibly not withdrawn. A single entry is certain. */
  #withdrawn: (string | null)[] = [null]
  /** Possible deprecation messages. */
  #deprecated: (string | null)[] = [null]
  /** `maybe`: the erasure was requested, but not acknowledged; lists do not show it. */
  #erasure: 'none' | 'maybe' | 'asked' = 'none'
  /** True: the version was withdrawn during a push, which may have been published first. */
  wasOvertaken = false

  get isSure(): boolean {
    return this.#withdrawn.length === 1 && this.#deprecated.length === 1
  }

  /** True if the version is certainly not withdrawn. */
  get stands(): boolean {
    return this.#withdrawn.length === 1 && this.#withdrawn[0] === null
  }

  /** Reason if the version is certainly withdrawn; else undefined. */
  get reason(): string | undefined {
    return this.#withdrawn.length === 1 ? (this.#withdrawn[0] ?? undefined) : undefined
  }

  get erasure(): 'none' | 'maybe' | 'asked' {
    return this.#erasure
  }

  /** Deprecation message. Certain if `isSure`. */
  get warning(): string | null {
    return this.#deprecated[0]!
  }

  /** Records that a withdrawal was sent. Its outcome stays open until `withdrawn` or `notWithdrawn` is called. */
  askWithdrawal(reason: string, erase: boolean): void {
    // A withdrawn version keeps its first reason.
    if (this.stands) this.#withdrawn = [null, reason]
    if (erase && this.#erasure === 'none') this.#erasure = 'maybe'
  }

  /** Records an acknowledged withdrawal. @returns violations */
  withdrawn(where: string, told: { reason: string; erase: boolean }): string[] {
    const wrong = this.#withdrawn.includes(told.reason)
      ? []
      : [`${where} is withdrawn for "${told.reason}", which no worker gave as the reason`]
    if (told.erase && this.#erasure === 'none')
      wrong.push(`${where} is to be erased, which no worker requested`)
    if (!told.erase && this.#erasure !== 'none')
      wrong.push(`${where} is not to be erased, though that was asked for`)
    this.#withdrawn = [told.reason]
    if (told.erase) {
      this.#erasure = 'asked'
      this.#deprecated = [null]
    }
    return wrong
  }

  /** Records that the last withdrawal certainly did not happen. @param erasure state before it was sent */
  notWithdrawn(erasure: 'none' | 'maybe' | 'asked'): void {
    if (this.#withdrawn.length > 1) this.#withdrawn = [null]
    this.#erasure = erasure
  }

  askDeprecation(message: string | null): void {
    this.#deprecated = [this.warning, message]
  }

  /** Records the outcome of the last deprecation. @param happened true if it was done */
  deprecated(happened: boolean): void {
    this.#deprecated = [happened ? this.#deprecated.at(-1)! : this.warning]
  }

  /** Compares a list's marks with the possible ones, and adopts them. @returns violations */
  settle(where: string, told: ToldMarks): string[] {
    const wrong: string[] = []
    if (!this.#withdrawn.includes(told.withdrawn))
      wrong.push(
        `${where} ${tellWithdrawn(told.withdrawn)}; it ${this.#withdrawn.map(tellWithdrawn).join(' or ')}`,
      )
    // An erasure removes the deprecation message.
    const warnings = this.#erasure === 'maybe' ? [...this.#deprecated, null] : this.#deprecated
    if (!warnings.includes(told.deprecated))
      wrong.push(`${where} warns of ${told.deprecated}, not of ${warnings.join(' or ')}`)
    this.#withdrawn = [told.withdrawn]
    this.#deprecated = [told.deprecated]
    // Withdrawal and erasure are one transaction, so a version that is not withdrawn will not be erased.
    if (told.withdrawn === null) this.#erasure = 'none'
    return wrong
  }
}

const tellWithdrawn = (reason: string | null): string =>
  reason === null ? 'stands' : `is withdrawn for "${reason}"`
