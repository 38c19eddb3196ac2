/** Text from elsewhere, before a terminal shows it. */

/**
 * C0 controls but the tab, DEL, C1 controls, line and paragraph separators, and marks that turn the direction of what follows. JSON
 * writes them as the same escapes, and has them in strings alone.
 */
const harmful = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** `text` on one line, with characters that a terminal would obey written as escapes. */
export const harmless = (text: string): string => text.replace(harmful, escaped)

/** The same of a text of several lines. */
export const harmlessLines = (text: string): string =>
  text.replaceAll('\r\n', '\n').split('\n').map(harmless).join('\n')

/** A value as JSON on one line, or indented. */
export const jsonText = (value: unknown, indent?: number): string =>
  harmlessLines(JSON.stringify(value, null, indent))
