import type { PushWarning } from '@ulmus/wire'

/** Warnings of a push: content that is accepted and probably a mistake. Only the answers of the push contain them. */

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
