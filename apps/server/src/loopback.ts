/**
 * Recognizes host names and addresses of the loopback interface. Security depends on it: only there are plain http and the built-in
 * sign-in allowed.
 */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    /^127(?:\.\d{1,3}){3}$/.test(name)
  )
}
