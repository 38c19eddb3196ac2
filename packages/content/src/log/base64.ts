/** Standard base64 with padding (RFC 4648 §4), one way to write each value; in Node and in browsers. */

export function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** @returns undefined unless `base64Of` writes the text */
export function bytesOfBase64(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  return base64Of(bytes) === text ? bytes : undefined
}
