/** Reads pages of the web interface. */

/** Text of an attribute or element without its escapes. */
export const decoded = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** Ids of the records in a table, in its order. */
export const idsIn = (html: string): string[] =>
  [...html.matchAll(/<th scope="row"><a[^>]*><bdi>([^<]*)</g)].map(([, id]) => id!)

/** Ids that several elements have: labels and links would lead to the wrong one. */
export function duplicateIdsIn(html: string): string[] {
  const ids = [...html.matchAll(/<[a-z][^<>]*? id="([^"]*)"/g)].map(([, id]) => id!)
  return ids.filter((id, index) => ids.indexOf(id) !== index)
}

/** Elements that users act on or find their way by, without a visible character. Pictures count as text; lists of suggestions show values. */
export function blankIn(html: string): string[] {
  const named = html
    .replace(/<datalist.*?<\/datalist>/gs, '')
    .matchAll(/<(a|h[1-6]|th|legend|summary|label|option|button|strong|bdi)\b[^>]*>(.*?)<\/\1>/gs)
  return [...named].flatMap(([whole, , content]) =>
    /<(?:svg|img|input)\b|aria-label=/.test(whole) ||
    /[^\p{Z}\p{Cc}\p{Cf}]/u.test(decoded(content!.replace(/<[^>]*>/g, '')))
      ? []
      : [whole],
  )
}
