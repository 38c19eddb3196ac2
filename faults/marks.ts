/**
 * Marks of a version: withdrawn, to be erased, or deprecated. An acknowledged withdrawal is permanent; an unacknowledged one may have
 * happened or not, and the first list read decides.
 */

/** As a list of versions has them. */
export interface ToldMarks {
  /** The reason of the withdrawal; null: the version stands. */
  readonly withdrawn: string | null
  /** Null: not deprecated. */
  readonly deprecated: string | null
}

export const noMarks: ToldMarks = { withdrawn: null, deprecated: null }

export class Marks {
  /** Reasons that it may be withdrawn for. Null: it may stand. One: that is so. */
  #withdrawn: (string | null)[] = [null]
  /** Possible deprecation messages. */
  #deprecated: (string | null)[] = [null]
  /** `maybe`: its erasure was asked for and not answered; lists do not tell. */
  #erasure: 'none' | 'maybe' | 'asked' = 'none'
  /** True: it was withdrawn while a push was under way, which may have landed on it first. */
  wasOvertaken = false

  get isSure(): boolean {
    return this.#withdrawn.length === 1 && this.#deprecated.length === 1
  }

  /** Certainly. */
  get stands(): boolean {
    return this.#withdrawn.length === 1 && this.#withdrawn[0] === null
  }

  /** Certainly; undefined: it is not, or may not be. */
  get reason(): string | undefined {
    return this.#withdrawn.length === 1 ? (this.#withdrawn[0] ?? undefined) : undefined
  }

  get erasure(): 'none' | 'maybe' | 'asked' {
    return this.#erasure
  }

  /** Certainly, of a version of which all is known. */
  get warning(): string | null {
    return this.#deprecated[0]!
  }

  /** A withdrawal that is sent. It is done, or not, by `withdrawn` or `notWithdrawn`; until then it may be either. */
  askWithdrawal(reason: string, erase: boolean): void {
    // A withdrawn version keeps its first reason.
    if (this.stands) this.#withdrawn = [null, reason]
    if (erase && this.#erasure === 'none') this.#erasure = 'maybe'
  }

  /** It was acknowledged with this reason. @returns what is wrong with that */
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

  /** The withdrawal that was sent last certainly did not happen. @param erasure as it was before */
  notWithdrawn(erasure: 'none' | 'maybe' | 'asked'): void {
    if (this.#withdrawn.length > 1) this.#withdrawn = [null]
    this.#erasure = erasure
  }

  askDeprecation(message: string | null): void {
    this.#deprecated = [this.warning, message]
  }

  /** @param happened whether the deprecation that was sent last did */
  deprecated(happened: boolean): void {
    this.#deprecated = [happened ? this.#deprecated.at(-1)! : this.warning]
  }

  /** Holds what a list tells against what may be, and takes it over. @returns what is wrong */
  settle(where: string, told: ToldMarks): string[] {
    const wrong: string[] = []
    if (!this.#withdrawn.includes(told.withdrawn))
      wrong.push(
        `${where} ${tellWithdrawn(told.withdrawn)}; it ${this.#withdrawn.map(tellWithdrawn).join(' or ')}`,
      )
    // An erasure takes what was said of the version with it.
    const warnings = this.#erasure === 'maybe' ? [...this.#deprecated, null] : this.#deprecated
    if (!warnings.includes(told.deprecated))
      wrong.push(`${where} warns of ${told.deprecated}, not of ${warnings.join(' or ')}`)
    this.#withdrawn = [told.withdrawn]
    this.#deprecated = [told.deprecated]
    // A withdrawal and its erasure are one transaction, so what stands is not to be erased.
    if (told.withdrawn === null) this.#erasure = 'none'
    return wrong
  }
}

const tellWithdrawn = (reason: string | null): string =>
  reason === null ? 'stands' : `is withdrawn for "${reason}"`
