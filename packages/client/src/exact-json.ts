/** Writes values of a program as JSON text, and refuses those that `JSON.stringify` would change or drop without an error. */
import { lineDepthMax } from '@ulmus/content'
import type { ErrorCode } from './codes.ts'
import { UlmusError } from './errors.ts'

/**
 * The text of `JSON.stringify`: undefined members are omitted, and `toJSON` is applied, so a `Date` becomes a text.
 * @param nameOf subject of the error: `The record "1" of type "T"`
 * @param isKnown true after `demandExact`
 * @throws UlmusError `not_json`, `number_out_of_range`, `lone_surrogate` or `too_deep`, with the path of the value
 */
export function exactJson(value: unknown, nameOf: () => string, isKnown = false): string {
  if (!isKnown) demandExact(value, nameOf)
  const text = JSON.stringify(value)
  // JSON.stringify escapes unpaired surrogates only. A backslash before these letters matches, too.
  if (text.includes('\\ud')) demand(value, nameOf)
  return text
}

/** Refuses what `exactJson` refuses, except for unpaired surrogates. */
export function demandExact(value: unknown, nameOf: () => string): void {
  if (!isPlain(value, 0)) demand(value, nameOf)
}

const plain = Object.prototype

/** Proves in a short time that a usual value has no fault but unpaired surrogates; false proves nothing. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth >= lineDepthMax) return false
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isPlain(value[index], depth + 1)) return false
    return true
  }
  if (Object.getPrototypeOf(value) !== plain) return value instanceof Date && render(value, '') !== value
  // Faster than `Object.keys`. Inherited members are an unusual case.
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name]
    if (member !== undefined && !isPlain(member, depth + 1)) return false
  }
  return Object.getOwnPropertySymbols(value).length === 0
}

// biome-ignore lint/suspicious/noExplicitAny: any value of the caller
type Value = any

/** Applies `toJSON` like JSON.stringify, except where that would hide data: an invalid date is null, a Buffer an object. */
const render = (value: Value, name: string): Value =>
  typeof value?.toJSON !== 'function' ||
  ArrayBuffer.isView(value) ||
  (value instanceof Date && Number.isNaN(+value))
    ? value
    : value.toJSON(name)

/** Exact but slow. @throws UlmusError for a value that `exactJson` refuses */
function demand(whole: unknown, nameOf: () => string): void {
  const visit = (value: Value, path: string, depth: number): void => {
    const fail = (what: unknown, code: ErrorCode = 'not_json') => {
      throw new UlmusError(`${nameOf()}: ${path.slice(0, 120)} is ${what}, which JSON cannot hold.`, {
        status: 0,
        code,
      })
    }
    if (typeof value === 'string') value.isWellFormed() || fail('half a surrogate pair', 'lone_surrogate')
    else if (typeof value === 'number') Number.isFinite(value) || fail(value, 'number_out_of_range')
    else if (typeof value !== 'object')
      typeof value === 'boolean' || fail(value === undefined ? value : `a ${typeof value}`)
    else if (value !== null) {
      if (depth >= lineDepthMax) fail(`over ${lineDepthMax} levels deep or contains itself`, 'too_deep')
      const isList = Array.isArray(value)
      const names = isList ? [...value.keys()] : Object.keys(value)
      const parent = Object.getPrototypeOf(value)
      // The data of an instance without members is in private fields or getters.
      if (
        !isList &&
        (plain.toString.call(value) !== '[object Object]' ||
          (!names.length && parent && Object.getPrototypeOf(parent)))
      )
        fail(`a ${value.constructor?.name}`)
      if (Object.getOwnPropertySymbols(value).some((name) => plain.propertyIsEnumerable.call(value, name)))
        fail('an object with a member named by a symbol')
      for (const name of names) {
        const member = render(value[name], `${name}`)
        const place = `${path}/${`${name}`.replaceAll('~', '~0').replaceAll('/', '~1')}`
        if (member === undefined && !isList) continue
        visit(`${name}`, place, depth)
        visit(member, place, depth + 1)
      }
    }
  }
  visit(render(whole, ''), '', 0)
}
