/** What a push says that is accepted, though its author may not mean it: told with its answers, and nowhere else. http-api §9. */

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

  /** Those that a thread has found, of which it lists as many. */
  addAll({ listed, total }: PushWarnings): void {
    this.listed.push(...listed.slice(0, warningsMax - this.listed.length))
    this.total += total
  }
}
