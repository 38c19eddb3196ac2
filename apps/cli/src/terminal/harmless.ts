/** Escapes foreign text for the terminal, which would obey its control sequences. All output to a terminal passes through here. */

/**
 * C0 controls except the tab, DEL, C1 controls, line and paragraph separators, and marks that change the text direction. The escapes are
 * those of JSON, which can contain these characters only in strings.
 */
const harmful = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Returns `text` on one line, with control characters of the terminal escaped. */
export const harmless = (text: string): string => text.replace(harmful, escaped)

/** Same, for a text of several lines. */
export const harmlessLines = (text: string): string =>
  text.replaceAll('\r\n', '\n').split('\n').map(harmless).join('\n')

/** A value as JSON on one line, or indented. */
export const jsonText = (value: unknown, indent?: number): string =>
  harmlessLines(JSON.stringify(value, null, indent))
