/** Cursors of records, which clients can make themselves. http-api §7. */

const encoder = new TextEncoder()

/** Cursor of the position right after a record: base64url of the JCS of `[type, id]`. */
export function cursorAfter(type: string, id: string): string {
  // For an array of two well-formed strings, JSON.stringify writes the JCS.
  const bytes = encoder.encode(JSON.stringify([type, id]))
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
