/**
 * Limits that an operator may change, with their defaults. `apps/server/src/config.ts` reads their settings. Fixed limits are
 * constants beside the code that they limit; docs/limits.md lists both.
 */

export interface Limits {
  /** One file. Bytes. Default 1 GiB. */
  readonly fileBytesMax: number
  /** Idle time after which an open push session expires. Seconds. Default 3,600. */
  readonly pushIdleSeconds: number
  /** One NDJSON request of a push. Bytes. Default 128 MiB. */
  readonly batchBytesMax: number
  /** Lines of such a request. Default 10,000. */
  readonly batchLinesMax: number
  /** Life of a browser session since its last use. Days. Default 30. */
  readonly sessionDays: number
  /** Open push sessions of an account. Default 100. */
  readonly openPushesMax: number
  /** Organizations that a user owns, checked when the user creates one. Default 100. */
  readonly organizationsMax: number
  /** Collections of an account, including private ones and forks. Default 10,000. */
  readonly collectionsMax: number
  /** Storage quota in bytes of an account without one of its own. Default: null, unlimited. */
  readonly quotaBytes: number | null
  /** Retention of uploads that no version uses. Days. Default 30. */
  readonly uploadDays: number
  /** Time from the sweep that finds a blob unneeded to its removal. Days. */
  readonly keepDeletedDays: number
  /** Retention of the audit log. Days. Default 400. */
  readonly auditDays: number
  /** Retention of events. Days. Default 30. */
  readonly eventDays: number
  /** Admins add members at once (`added`, the default) or by an invitation that the user accepts (`invited`). */
  readonly newMembers: 'added' | 'invited'
}

/** Operators of the registry, as its configuration names them. `operators/operators.ts` checks each act against it. */
export interface OperatorsConfig {
  readonly identities: readonly { readonly issuer: string; readonly subject: string }[]
  /** True: the identity provider may name operators by a claim at each sign-in. */
  readonly byClaim: boolean
  /** Issuer of the identity provider that users sign in by. Undefined: the built-in one. */
  readonly issuer?: string | undefined
}

/** Default: no account is an operator. */
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
  keepDeletedDays: 7,
  auditDays: 400,
  eventDays: 30,
  newMembers: 'added',
})
