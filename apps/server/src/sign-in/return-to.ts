/** Return path after a sign-in: only paths of this site. */

/** Not a host that anyone could own; it only has to be recognised afterwards. */
const here = 'http://here.invalid'

/**
 * The path, query and fragment of `text`, as a browser would read it; undefined when that would lead to another site, as
 * `//evil.example`, `/\evil.example` or `/<tab>/evil.example` do.
 */
export function returnPath(text: string): string | undefined {
  if (!text.startsWith('/') || !URL.canParse(text, here)) return undefined
  const url = new URL(text, here)
  // What a browser would make of the result is asked once more: `/.//evil.example` becomes `//evil.example`.
  const path = `${url.pathname}${url.search}${url.hash}`
  if (url.origin !== here || path.startsWith('//') || new URL(path, here).origin !== here) return undefined
  return path
}
