/** An answer as its reader parses it. */
import { jsonOf } from '../answers/json-text.ts'

export const shown = (answer: unknown) => JSON.parse(String(jsonOf(answer)))
