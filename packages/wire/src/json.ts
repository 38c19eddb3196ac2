/** JSON that passes through untouched: members are neither copied nor checked, so that no shape costs what the content weighs. */
import type { Json, JsonObject } from '@ulmus/content'
import { z } from 'zod'

/** Any JSON value, an answer's own part (`data` of a record, a schema). */
export const AnyJson = z.custom<Json>((value) => value !== undefined, 'must be a JSON value')

/** Any JSON object. A member named `__proto__` is kept as it is: zod's own record shape would drop it. */
export const AnyObject = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be a JSON object',
  )
  .meta({ type: 'object', additionalProperties: true })
