/**
 * Rule for ids and types of new records. A terminal or page could execute control characters or display another name:
 * C0, DEL, C1, line and paragraph separators, and marks that change the direction of text. Names stored before this rule stay
 * readable, so only pushed names are checked.
 */
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The fault of `name` as a new id or type, as a sentence; undefined if it has none. */
export function newNameFault(what: 'id' | 'type', name: string): string | undefined {
  const [found] = name.match(controls) ?? []
  if (found === undefined) return undefined
  return `The ${what} ${escaped(name)} holds the control character U+${codeOf(found).toUpperCase()}. Leave it out.`
}

const codeOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0')

/** JSON of a text in which all control characters are escaped, so that it shows them and a terminal does not execute them. */
const escaped = (text: string): string =>
  `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll(controls, (character) => `\\u${codeOf(character)}`)}"`
