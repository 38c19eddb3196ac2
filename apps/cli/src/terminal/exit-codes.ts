/** Exit codes, documented in docs/cli.md. Scripts depend on them: add codes, but never change one. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  /** Cancelled by the user, or not answered in time. */
  cancelled: 3,
  /** Not signed in, or no permission. */
  denied: 4,
  /** The collection has a newer version. */
  conflict: 5,
  /** The data was refused: by its schema, by the input rules, by a limit. */
  refused: 6,
  /** The output is not the whole answer, because a limit of the registry cut it. */
  cut: 7,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
