/** Failures for users: a sentence, the next command, and an exit code. */
import { UlmusError } from '@ulmus/client'
import { CommandError, interrupted } from './command-error.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { shellWord } from './shell-word.ts'

export { CommandError, interrupted, usageError } from './command-error.ts'

/** A failure as it is printed. */
export interface Failure {
  readonly message: string
  readonly exitCode: ExitCode
  readonly next: readonly string[]
  /** JSON that `--json` prints on standard error: the API's error body, or the same shape. */
  readonly body: object
}

/**
 * Converts any thrown value to a failure. Unexpected errors keep their message.
 * @param anonymousAt the registry that was called without a key
 */
export function failureOf(thrown: unknown, anonymousAt?: string): Failure {
  if (thrown instanceof CommandError) {
    const { message, exitCode, next, code } = thrown
    return { message, exitCode, next, body: { error: message, code, next, ...thrown.body } }
  }
  if (thrown instanceof UlmusError) {
    const body = { error: thrown.message, code: thrown.code, statusCode: thrown.status, ...thrown.body }
    return { message: thrown.message, exitCode: codeOf(thrown), next: nextOf(thrown, anonymousAt), body }
  }
  if (thrown instanceof Error && thrown.name === 'AbortError') return failureOf(interrupted())
  const message = systemSentence(thrown) ?? (thrown instanceof Error ? thrown.message : String(thrown))
  return { message, exitCode: exitCodes.failed, next: [], body: { error: message, code: 'failed' } }
}

/** Sentences for error codes of the system. */
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

/** Sentence for a file that cannot be used; undefined for any other error. */
function systemSentence(thrown: unknown): string | undefined {
  const { code, path, dest } = (thrown ?? {}) as NodeJS.ErrnoException & { dest?: string }
  const reason = code === undefined ? undefined : systemReasons[code]
  const file = code === 'ENOENT' ? path : (dest ?? path)
  return reason === undefined ? undefined : `${file ?? 'The file'} ${reason}.`
}

/** Refusals that `confirm_public` lifts. */
const confirmable = new Set<string>([
  'private_field_made_public',
  'private_record_made_public',
  'private_value_in_id',
])

const refusals = new Set(['schema_violation', 'invalid_schema', 'private_mismatch', 'unknown_fields'])

function codeOf({ status, code }: UlmusError): ExitCode {
  if (code === 'version_conflict') return exitCodes.conflict
  if (status === 401 || status === 403) return exitCodes.denied
  if (status === 422 || status === 413 || refusals.has(code)) return exitCodes.refused
  return exitCodes.failed
}

function nextOf({ status, code, message }: UlmusError, anonymousAt?: string): string[] {
  // A hidden collection gets the answer of an absent one.
  if (code === 'collection_not_found' && anonymousAt !== undefined)
    return [`ulmus login --host ${shellWord(anonymousAt)}`]
  if (status === 401) return ['ulmus login']
  if (code === 'insufficient_scope')
    return [`ulmus login --scope ${shellWord(/`(read|write|admin)`/.exec(message)?.[1] ?? 'write')}`]
  // A key that publishes acts as a member, also for an owner.
  if (code === 'insufficient_role') return ['ulmus login --scope admin']
  if (code === 'version_conflict') return ['ulmus pull']
  if (confirmable.has(code)) return ['ulmus push --publish-private']
  return []
}
