/** The error of commands. Apart from failure.ts, which loads the client: `ulmus --help` needs no client. */
import { type ExitCode, exitCodes } from './exit-codes.ts'

/** An expected failure of a command. `next`: commands to type, one per line. `code`: printed with `--json`, for scripts, with the members of `body`. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode
  readonly code: string
  readonly next: readonly string[]
  readonly body: object

  constructor(
    message: string,
    facts: {
      readonly exitCode?: ExitCode
      readonly code?: string
      readonly next?: readonly string[]
      readonly body?: object
      readonly cause?: unknown
    } = {},
  ) {
    super(message, { cause: facts.cause })
    this.exitCode = facts.exitCode ?? exitCodes.failed
    this.code = facts.code ?? 'failed'
    this.next = facts.next ?? []
    this.body = facts.body ?? {}
  }
}

/** An invalid command line that only the command itself can detect. */
export const usageError = (message: string, next?: readonly string[]): CommandError =>
  new CommandError(message, { exitCode: exitCodes.usage, code: 'usage', next })

/** The user or a signal ended the command. */
export const interrupted = (): CommandError =>
  new CommandError('Interrupted.', { exitCode: exitCodes.interrupted, code: 'interrupted' })
