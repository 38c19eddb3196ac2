/** Topics of a collection: the `keywords` of its metadata in one form, so that lists can compare them. */
import type { JsonObject } from '../json/json.ts'

const topicsMax = 20
const charactersMax = 50
/** Keywords read; later ones are ignored. */
const keywordsMax = 1_000
/** UTF-16 units of a keyword before its normalization, which takes quadratic time and shortens a text to a quarter at most. */
const unitsMax = 400

/** A keyword as a topic: lower case, NFC, single spaces. Undefined if it is blank or too long, or has control characters. */
export function topicText(keyword: string): string | undefined {
  const line = keyword.trim().replace(/\s+/g, ' ')
  if (line.length > unitsMax || !line.isWellFormed() || /\p{Cc}/u.test(line)) return undefined
  const topic = line.toLowerCase().normalize('NFC')
  const isVisible = /[\p{L}\p{N}\p{P}\p{S}]/u.test(topic)
  return isVisible && [...topic].length <= charactersMax ? topic : undefined
}

/** Distinct topics of metadata, in its order. `keywords` is a list of texts, or one text with commas; other values are ignored. */
export function topicsOf({ keywords }: JsonObject): string[] {
  const given = typeof keywords === 'string' ? keywords.split(',', keywordsMax) : keywords
  const topics = new Set<string>()
  for (const keyword of Array.isArray(given) ? given.slice(0, keywordsMax) : []) {
    const topic = typeof keyword === 'string' ? topicText(keyword) : undefined
    if (topic !== undefined) topics.add(topic)
    if (topics.size === topicsMax) break
  }
  return [...topics]
}
