/** Words that a search finds a collection by, with their weights: names before owners and topics, then descriptions, then all else. */
import { shortRunsIn, wordsOf } from '../columns/words.ts'

/** Public facts of a head by which lists and searches find its collection. */
export interface HeadFound {
  /** Description of its metadata; null if it has none. */
  readonly description: string | null
  readonly topics: readonly string[]
  /** Readme of its metadata, or the beginning of it. */
  readonly readme: string
  /** Names and titles in its public schemas. Undefined: those of the head before. */
  readonly fields?: string | undefined
  /** See `facets.ts`. */
  readonly facets: readonly string[]
}

export const nameWords = ({ slug, name }: { slug: string; name: string }) => wordsOf(`${slug} ${name}`, 'A')

export const topicWords = (topics: readonly string[]): string => wordsOf(topics.join(' '), 'B')

/** Words of a description, from the collection or its metadata. */
export const descriptionWords = (text: string | null): string => wordsOf(text ?? '', 'C')

/** Columns of `collection_words` that depend on the head, as JSON for `set_head_words`. */
export const headWords = ({ description, topics, readme, fields, facets }: HeadFound): string =>
  JSON.stringify({
    head_description: description === null ? null : descriptionWords(description),
    topics: topicWords(topics),
    readme: wordsOf(shortRunsIn(readme), 'D'),
    ...(fields !== undefined && { fields: wordsOf(shortRunsIn(fields), 'D') }),
    facets,
  })
