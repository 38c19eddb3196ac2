/**
 * Rule for ids and types of new records. A terminal or page could execute control characters or display another name:
 * C0, DEL, C1, line and paragraph separators, and marks that change the direction of text. Names stored before this rule stay
 * readable, so only pushed names are checked.
 */
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

/** The fault of `name` as a new id or type, as a sentence; undefined if it has none. */
export function newNameFault(what: 'id' | 'type', name: string): string | undefined {
  const found = controls.exec(name)?.[0]
  if (found === undefined) return undefined
  const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return `The ${what} ${JSON.stringify(name)} holds the control character U+${code}. Leave it out.`
}
