/** Request targets, in all their forms. RFC 9112 §3.2. */

const absoluteForm = /^https?:\/\/[^/?#]+([^#]*)$/i

/**
 * The path and query of a request target: what it is itself in origin form, what follows the authority in absolute form, which every
 * server must accept (§3.2.2). Another target, an ill-formed one among them, is given back as it is, for the router to refuse.
 */
export function pathAndQuery(target: string): string {
  if (target.startsWith('/')) return target
  const named = absoluteForm.exec(target)?.[1]
  if (named === undefined || !URL.canParse(target)) return target
  return named.startsWith('/') ? named : `/${named}`
}
