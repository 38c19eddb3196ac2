/** Types of JSON values as `JSON.parse` returns them, for all packages. */

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject

/** A JSON object. A member named `__proto__` is an own member like any other. */
export interface JsonObject {
  [name: string]: Json
}

/** JSON that is only read: also literals `as const`. */
export type ReadonlyJson = null | boolean | number | string | readonly ReadonlyJson[] | ReadonlyJsonObject

export interface ReadonlyJsonObject {
  readonly [name: string]: ReadonlyJson
}

/** True if `value` is a JSON object: neither null nor an array nor a scalar. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
