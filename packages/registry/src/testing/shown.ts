/** Serializes and parses an answer, so that a test sees its stored JSON text as a client does. */
import { jsonOf } from '../answers/json-text.ts'

export const shown = (answer: unknown) => JSON.parse(String(jsonOf(answer)))
