/** Base64 (RFC 4648) for binary values in records. */
export function base64Of(bytes: Uint8Array): string {
  let text = ''
  // Not all at once: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x2000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x2000))
  return btoa(text)
}
