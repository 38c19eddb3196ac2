/** Recognises a store, of rows or of bytes, that is currently unreachable or not writable. HTTP answers 503, and a retry may succeed. */
import { causes, type ErrorMembers } from './causes.ts'
import { StoreUnavailableError } from './stores.ts'

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/**
 * Class 08: connection failure. 57P0x: the server is stopping or starting. 25P03: the server ended an
 * idle transaction. 25006: the server is read-only, such as a replica after a failover. 58030: its disk
 * fails. 42501: it may not open its own files, which is also its answer for a read-only file system.
 */
const databaseAway = /^(?:08...|57P0[1-5]|25P03|25006|58030|42501)$/
/** Those of them with which connections fail, or cannot be made. */
const connectionLost = /^(?:08...|57P0[1-5])$/
/** Class 28: a wrong password, no such role, or `pg_hba.conf`. 3D000: no such database. 53300: no free connection. */
const connectionRefused = /^(?:28...|3D000|53300)$/
/** Connections need a privilege that is missing (42501), or the database takes none (55000). Statements have these codes, too. */
const perhapsRefused = /^(?:42501|55000)$/
/** Codes of TLS for a certificate that is not trusted, or is another host's. */
export const certificateCodes =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET|VERIFY)_.*)$/
const driverSays =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end)/

/** True for an error of a server that is there, but takes no connection of this one. */
export const isConnectionRefused = ({ code, severity }: ErrorMembers): boolean =>
  typeof code === 'string' &&
  (connectionRefused.test(code) ||
    certificateCodes.test(code) ||
    (severity === 'FATAL' && perhapsRefused.test(code)))

/** Errors of statements and connections whose database was away. */
const awayErrors = new WeakSet<object>()

/** Notes an error of the database, as `isDatabaseAway` tests it. Returns true if it means that connections fail. */
export function noteDatabaseError(error: unknown): boolean {
  for (const told of causes(error)) {
    const isCode =
      typeof told.code === 'string' && (networkCodes.has(told.code) || connectionLost.test(told.code))
    if (
      !isCode &&
      !isConnectionRefused(told) &&
      !(typeof told.message === 'string' && driverSays.test(told.message))
    )
      continue
    awayErrors.add(error as object)
    return true
  }
  return false
}

/** True if work failed because the database was away. One line in the log covers all of it (`lost` of `DatabaseConfig`). */
export function isDatabaseAway(error: unknown): boolean {
  for (const told of causes(error)) if (awayErrors.has(told)) return true
  return false
}

/** True if the database or the object store is unreachable or not writable, as opposed to refusing the request. */
export function isUnavailable(error: unknown): boolean {
  for (const told of causes(error)) {
    if (told instanceof StoreUnavailableError || isConnectionRefused(told)) return true
    if (typeof told.code === 'string' && (networkCodes.has(told.code) || databaseAway.test(told.code)))
      return true
    if (typeof told.message === 'string' && driverSays.test(told.message)) return true
  }
  return false
}
