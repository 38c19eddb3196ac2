/** Limits that an operator may change, with their defaults. The rest are constants beside what they limit. */

export interface Limits {
  /** One file. Bytes. Default 1 GiB. */
  readonly fileBytesMax: number
  /** Silence after which an open push session ends. Seconds. Default 3,600. */
  readonly pushIdleSeconds: number
  /** One NDJSON request of a push. Bytes, default 128 MiB; lines, default 10,000. */
  readonly batchBytesMax: number
  readonly batchLinesMax: number
  /** Life of a browser session since its last use. Days. Default 30. */
  readonly sessionDays: number
  /** Push sessions that an account has open at once. Default 100. */
  readonly openPushesMax: number
  /** Organizations that a user owns when making another. Default 100. */
  readonly organizationsMax: number
  /** Collections of an account, private ones and forks too. Default 10,000. */
  readonly collectionsMax: number
  /** Storage quota of an account without one of its own. Bytes; null: unlimited. Default. */
  readonly quotaBytes: number | null
  /** How long an upload is kept that no version has. Days. Default 30. */
  readonly uploadDays: number
  /** Retention of the audit log. Days. Default 400. */
  readonly auditDays: number
  /** How an admin adds a member: at once, or by an invitation to accept. Default: `added`. */
  readonly newMembers: 'added' | 'invited'
}

/** Operators of the registry. */
export interface OperatorsConfig {
  readonly identities: readonly { readonly issuer: string; readonly subject: string }[]
  /** Whether the identity provider may say so, at each sign-in. */
  readonly byClaim: boolean
}

export const noOperators: OperatorsConfig = Object.freeze({ identities: [], byClaim: false })

export const defaultLimits: Limits = Object.freeze({
  fileBytesMax: 1024 ** 3,
  pushIdleSeconds: 3_600,
  batchBytesMax: 128 * 1024 ** 2,
  batchLinesMax: 10_000,
  sessionDays: 30,
  openPushesMax: 100,
  organizationsMax: 100,
  collectionsMax: 10_000,
  quotaBytes: null,
  uploadDays: 30,
  auditDays: 400,
  newMembers: 'added',
})
