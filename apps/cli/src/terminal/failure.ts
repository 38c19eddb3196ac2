/** Failures as a person reads them: a sentence, the next command to type, and an exit code. */
import { UlmusError } from '@ulmus/client'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { shellWord } from './shell-word.ts'

/** A failure that a command foresees. `next`: commands to type, each on a line of its own. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode
  readonly code: string
  readonly next: readonly string[]

  constructor(
    message: string,
    facts: { exitCode?: ExitCode; code?: string; next?: readonly string[]; cause?: unknown } = {},
  ) {
    super(message, { cause: facts.cause })
    this.exitCode = facts.exitCode ?? exitCodes.failed
    this.code = facts.code ?? 'failed'
    this.next = facts.next ?? []
  }
}

/** A wrong command line that only the command itself can see. */
export const usageError = (message: string, next?: readonly string[]): CommandError =>
  new CommandError(message, { exitCode: exitCodes.usage, code: 'usage', next })

/** The person, or a signal, ended the command. */
export const interrupted = (): CommandError =>
  new CommandError('Interrupted.', { exitCode: exitCodes.interrupted, code: 'interrupted' })

export interface Failure {
  readonly message: string
  readonly exitCode: ExitCode
  readonly next: readonly string[]
  /** Body that `--json` prints on standard error: the API's error body, or one of its shape. */
  readonly body: object
}

/**
 * Any thrown value as a failure. Unforeseen ones keep their message: nothing here can be more exact.
 * @param anonymousAt the registry that was asked without a key
 */
export function failureOf(thrown: unknown, anonymousAt?: string): Failure {
  if (thrown instanceof CommandError) {
    const { message, exitCode, next, code } = thrown
    return { message, exitCode, next, body: { error: message, code, next } }
  }
  if (thrown instanceof UlmusError) {
    const body = { error: thrown.message, code: thrown.code, statusCode: thrown.status, ...thrown.body }
    return { message: thrown.message, exitCode: codeOf(thrown), next: nextOf(thrown, anonymousAt), body }
  }
  if (thrown instanceof Error && thrown.name === 'AbortError') return failureOf(interrupted())
  const message = systemSentence(thrown) ?? (thrown instanceof Error ? thrown.message : String(thrown))
  return { message, exitCode: exitCodes.failed, next: [], body: { error: message, code: 'failed' } }
}

/** Reasons of the system, by its error code. */
const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be opened: permission denied',
  EPERM: 'cannot be changed: operation not permitted',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'has a file where the path needs a folder',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: your disk quota is exceeded',
  ELOOP: 'is a symbolic link',
}

/** A file that cannot be used, in words; undefined for any other error. */
function systemSentence(thrown: unknown): string | undefined {
  const { code, path, dest } = (thrown ?? {}) as NodeJS.ErrnoException & { dest?: string }
  const reason = code === undefined ? undefined : systemReasons[code]
  const file = code === 'ENOENT' ? path : (dest ?? path)
  return reason === undefined ? undefined : `${file ?? 'The file'} ${reason}.`
}

const refusals = new Set(['schema_violation', 'invalid_schema', 'private_mismatch', 'unknown_fields'])

function codeOf({ status, code }: UlmusError): ExitCode {
  if (code === 'version_conflict') return exitCodes.conflict
  if (status === 401 || status === 403) return exitCodes.denied
  if (status === 422 || status === 413 || refusals.has(code)) return exitCodes.refused
  return exitCodes.failed
}

function nextOf({ status, code, message }: UlmusError, anonymousAt?: string): string[] {
  // A hidden collection is answered as one that does not exist.
  if (code === 'collection_not_found' && anonymousAt !== undefined)
    return [`ulmus login --host ${shellWord(anonymousAt)}`]
  if (status === 401) return ['ulmus login']
  if (code === 'insufficient_scope')
    return [`ulmus login --scope ${shellWord(/`(read|write|admin)`/.exec(message)?.[1] ?? 'write')}`]
  if (code === 'version_conflict') return ['ulmus pull']
  if (code === 'private_field_made_public') return ['ulmus push --publish-private']
  return []
}
