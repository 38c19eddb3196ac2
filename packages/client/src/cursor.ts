/** Cursors of records, which a client can make itself. http-api §7. */

const encoder = new TextEncoder()

/** The cursor of the place right after a record: base64url of the JCS of `[type, id]`. */
export function cursorAfter(type: string, id: string): string {
  // Two well-formed strings in an array: what JSON.stringify writes is their JCS.
  const bytes = encoder.encode(JSON.stringify([type, id]))
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
