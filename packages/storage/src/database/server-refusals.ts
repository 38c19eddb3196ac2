/**
 * Translates errors of a database server that an operator can fix, such as a wrong password, to a sentence with the remedy. The command
 * prints it instead of a stack.
 */
import { causes } from '../errors/causes.ts'
import { certificateCodes, isConnectionRefused } from '../errors/unavailable.ts'
import { DatabaseUnfitError } from './sql-errors.ts'

/** Refusal of a database that another program uses. */
export function othersTables(which: string): string {
  return `The database of DATABASE_URL holds tables of something else: ${which}. Give Ulmus a database of its own.`
}

/** By SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html. `said` is PostgreSQL's message without its full stop. */
const sentences: Record<string, (said: string) => string> = {
  '3D000': (said) =>
    `The database of DATABASE_URL is not there: ${said}. Create it, or correct the name after the last slash.`,
  '28P01': (said) =>
    `The database server does not let this account in: ${said}. Correct user and password in DATABASE_URL.`,
  '28000': (said) =>
    `The database server does not let this account in: ${said}. Correct the user in DATABASE_URL or create the role; where encryption is missing, add ?sslmode=require; else allow this machine in pg_hba.conf.`,
  '42501': (said) =>
    `The account of DATABASE_URL lacks a privilege: ${said}. Make it the owner of its database: alter database … owner to …. If it is about the extension, have an administrator run there: create extension pg_trgm.`,
  '25006': (said) =>
    `The database of DATABASE_URL is read-only: ${said}. Name the primary server, not a standby.`,
  '53100': (said) => `The disk of the database server is full: ${said}. Free space there.`,
  '53300': (said) =>
    `The database server has no connection to spare: ${said}. Raise its max_connections, or end other clients.`,
  '57P03': (said) => `The database server does not take connections yet: ${said}. Start again when it does.`,
  '42P07': othersTables,
}

/** The error, or a DatabaseUnfitError in its place. */
export function refusalOf(error: unknown): unknown {
  for (const { code, message, path } of causes(error)) {
    const sentence = typeof code === 'string' && Object.hasOwn(sentences, code) ? sentences[code] : undefined
    if (sentence !== undefined) return new DatabaseUnfitError(sentence(lineOf(message)), { cause: error })
    if (typeof code === 'string' && certificateCodes.test(code))
      return new DatabaseUnfitError(
        `The certificate of the database server is not accepted: ${lineOf(message)}. Name the file of its authority in DATABASE_URL by sslrootcert=/path/to/ca.pem, and the host as the certificate does; or set sslmode=no-verify, which encrypts but trusts any server.`,
        { cause: error },
      )
    if (typeof path === 'string' && (code === 'ENOENT' || code === 'EACCES'))
      return new DatabaseUnfitError(
        `A file that DATABASE_URL names for TLS cannot be read: ${lineOf(message)}. Correct sslrootcert, sslcert or sslkey.`,
        { cause: error },
      )
    if (typeof message === 'string' && /does not support SSL connections/.test(message)) {
      return new DatabaseUnfitError(
        'The database server does not speak TLS, but DATABASE_URL asks for it. Remove sslmode from DATABASE_URL, or set it to disable.',
        { cause: error },
      )
    }
  }
  return error
}

/** A sentence about a server that is there, but takes no connection of this one; undefined for other errors. */
export function connectionRefusal(error: unknown): string | undefined {
  for (const told of causes(error)) {
    if (!isConnectionRefused(told)) continue
    const refusal = refusalOf(told)
    return refusal instanceof DatabaseUnfitError
      ? refusal.message
      : `The database server takes no connection: ${lineOf(told.message)}.`
  }
  return undefined
}

const lineOf = (message: unknown) => String(message).split('\n')[0]!.replace(/\.$/, '')
