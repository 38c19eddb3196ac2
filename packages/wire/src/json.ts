/** JSON that passes through unchanged: members are neither copied nor validated, so that large content costs nothing. */
import type { Json, JsonObject } from '@ulmus/content'
import { z } from 'zod'

/** Any JSON value within an answer (`data` of a record, a schema). */
export const AnyJson = z.custom<Json>((value) => value !== undefined, 'must be a JSON value')

/** Any JSON object. Keeps a member named `__proto__`, which zod's record shape would drop. */
export const AnyObject = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be a JSON object',
  )
  .meta({ type: 'object', additionalProperties: true })
