/** Base64 (RFC 4648) for binary values in records. */
export function base64Of(bytes: Uint8Array): string {
  let text = ''
  // In slices, because a call has a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 0x2000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x2000))
  return btoa(text)
}
