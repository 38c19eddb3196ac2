import type { PushWarning } from '@ulmus/wire'

/** Warnings of a push: accepted content that is probably a mistake. Only the answers of the push contain them. */

/** The first warnings, and their total number. */
export interface PushWarnings {
  readonly listed: PushWarning[]
  readonly total: number
}

/** Maximum warnings in a list; all are counted. */
export const warningsMax = 100

export const noWarnings: PushWarnings = Object.freeze({ listed: [], total: 0 })

export function joinedWarnings(...lists: readonly PushWarnings[]): PushWarnings {
  const joined = new WarningList()
  for (const list of lists) joined.addAll(list)
  return { listed: joined.listed, total: joined.total }
}

/** Collects warnings. */
export class WarningList {
  readonly listed: PushWarning[] = []
  total = 0

  add(warning: PushWarning): void {
    this.total++
    if (this.listed.length < warningsMax) this.listed.push(warning)
  }

  /** Adds the warnings of a worker thread. */
  addAll({ listed, total }: PushWarnings): void {
    this.listed.push(...listed.slice(0, warningsMax - this.listed.length))
    this.total += total
  }
}
