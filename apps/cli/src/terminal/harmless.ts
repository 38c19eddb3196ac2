/** Text from elsewhere, before it is shown on a terminal. */

/** C0 and C1 controls, line and paragraph separators, and characters that turn the direction of what follows. */
const harmful = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** `text` on one line, with characters that a terminal would obey written as escapes. */
export const harmless = (text: string): string =>
  text.replace(harmful, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The same of a text of several lines. */
export const harmlessLines = (text: string): string => text.split('\n').map(harmless).join('\n')
