/** Names of users as people see them. */

/** Characters without ink: spaces, controls, and those that fonts leave out, such as the zero-width space. */
const blank = /^[\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** Per UTF-16 unit, as JSON does. */
const notAscii = /[^ -~]/g

/** True if nothing of the text is visible. */
export const isBlank = (text: string): boolean => blank.test(text)

/** The name, or in quotes with the escapes of JSON if nothing of it is visible: `"\u200b"`. */
export const shownName = (name: string): string => (isBlank(name) ? quoted(name) : name)

const quoted = (text: string): string =>
  JSON.stringify(text).replace(notAscii, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
