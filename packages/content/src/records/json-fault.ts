/**
 * Checks JSON that a person types into a form of the web interface, in the browser and on the server, by the rules for record lines: only
 * the schema can then refuse the data.
 */
import { InputError } from '../json/input-error.ts'
import { parseStrict } from './input.ts'

/** The first fault of a text, with its line and column, as a sentence; undefined if a record may contain it. */
export function jsonFault(text: string): string | undefined {
  try {
    parseStrict(text)
    return undefined
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    if (error.at === undefined) return error.message
    const before = text.slice(0, error.at).split('\n')
    const reason = error.message.replace(/^At character \d+: /, '')
    return `Line ${before.length}, column ${before.at(-1)!.length + 1}: ${reason}`
  }
}
