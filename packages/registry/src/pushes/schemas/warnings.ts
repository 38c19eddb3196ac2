/** Warnings of a push: content that is accepted and probably a mistake. Only the answers of the push contain them. */

export interface PushWarning {
  /** Stable, as the codes of refusals are; docs/publishing.md lists them. */
  readonly code: string
  readonly type: string
  /** Of the record; absent: the schema of the type is meant. */
  readonly id?: string
  /** JSON pointer into the record's data, or into the schema. */
  readonly path: string
  readonly message: string
}

/** The first of them, and how many there are. */
export interface PushWarnings {
  readonly listed: PushWarning[]
  readonly total: number
}

/** Listed at most; all are counted. */
export const warningsMax = 100

export const noWarnings: PushWarnings = Object.freeze({ listed: [], total: 0 })

/** Takes warnings one by one. */
export class WarningList {
  readonly listed: PushWarning[] = []
  total = 0

  add(warning: PushWarning): void {
    this.total++
    if (this.listed.length < warningsMax) this.listed.push(warning)
  }

  /** Adds what a worker thread found. */
  addAll({ listed, total }: PushWarnings): void {
    this.listed.push(...listed.slice(0, warningsMax - this.listed.length))
    this.total += total
  }
}
