/** Exit codes, documented in docs/cli.md. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  /** Given up by a person, or not answered in time. */
  cancelled: 3,
  /** Not signed in, or not allowed. */
  denied: 4,
  /** The collection has a newer version. */
  conflict: 5,
  /** The data is refused: by its schema, by the input rules, by a limit. */
  refused: 6,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
