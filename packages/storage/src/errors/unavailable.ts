/** The one test of whether a store, of rows or of bytes, could not be reached: what HTTP answers with 503. */
import { causes } from './causes.ts'
import { StoreUnavailable } from './stores.ts'

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
 * Class 08 is connection trouble, 57P0x a server that stops or starts, 53300 one with no connection to spare, 25P03 one that ended a
 * transaction because nothing came for long.
 */
const databaseAway = /^(?:08...|57P0[1-5]|53300|25P03)$/
const driverSays =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end)/

/** Whether the database or the object store could not be reached, as opposed to having refused what was asked. */
export function isUnavailable(error: unknown): boolean {
  for (const told of causes(error)) {
    if (told instanceof StoreUnavailable) return true
    if (typeof told.code === 'string' && (networkCodes.has(told.code) || databaseAway.test(told.code)))
      return true
    if (typeof told.message === 'string' && driverSays.test(told.message)) return true
  }
  return false
}
