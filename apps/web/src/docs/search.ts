/** Search over the documents, by section. */

/** A heading of a document with the text below it. */
export interface DocSection {
  /** Name of the document. */
  readonly name: string
  /** Id of the heading; undefined: the section before the first heading. */
  readonly id: string | undefined
  readonly heading: string
  readonly text: string
}

/** A section that contains all words of the query. */
export interface Hit extends DocSection {
  /** Text around the first match, at most 200 characters. */
  readonly excerpt: string
}

/** Maximum number of sections found. */
const hitsMax = 20
/** Further words of a query are ignored. */
const wordsMax = 10
const excerptCharacters = 200

/** Sections below headings of the second and third level. @param html of a document */
export function sectionsOf(name: string, title: string, html: string): DocSection[] {
  const [begin = '', ...rest] = html.split(/(?=<h[23] id=")/)
  return [
    { name, id: undefined, heading: title, text: textOf(begin.replace(/<h1\b.*?<\/h1>/s, '')) },
    ...rest.map((part) => {
      const [, id, heading = '', text = ''] = /^<h[23] id="([^"]+)">(.*?)<\/h[23]>(.*)$/s.exec(part) ?? []
      return { name, id, heading: textOf(heading), text: textOf(text) }
    }),
  ]
}

/** Sections that contain every word of a query, at most 20. Sections with matches in their headings come first. */
export function searchSections(sections: readonly DocSection[], query: string): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, wordsMax)
  if (words.length === 0) return []
  const hits: { hit: Hit; score: number }[] = []
  for (const section of sections) {
    const [heading, text] = [section.heading.toLowerCase(), section.text.toLowerCase()]
    if (!words.every((word) => heading.includes(word) || text.includes(word))) continue
    // The words in a row say more than each of them often: "go back" is not "backup".
    const inRow = words.length > 1 && text.includes(words.join(' ')) ? 10 : 0
    const score = words.reduce(
      (sum, word) => sum + (heading.includes(word) ? 10 : 0) + Math.min(5, text.split(word).length - 1),
      inRow,
    )
    const first = Math.max(0, Math.min(...words.map((word) => text.indexOf(word)).filter((at) => at >= 0)))
    hits.push({
      hit: { ...section, excerpt: excerptOf(section.text, Number.isFinite(first) ? first : 0) },
      score,
    })
  }
  return hits
    .sort((a, b) => b.score - a.score)
    .slice(0, hitsMax)
    .map(({ hit }) => hit)
}

function excerptOf(text: string, at: number): string {
  const begin = at < 60 ? 0 : text.indexOf(' ', at - 60) + 1
  const end = begin + excerptCharacters
  return `${begin > 0 ? '… ' : ''}${text.slice(begin, end)}${end < text.length ? ' …' : ''}`
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

const textOf = (html: string): string =>
  html
    .replaceAll(/<\/?(?:a|b|code|del|em|i|span|strong)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
      if (name !== undefined) return entities[name] ?? whole
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
    })
    .replaceAll(/\s+/g, ' ')
    .trim()
