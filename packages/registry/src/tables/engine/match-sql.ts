/**
 * Order of records by how well they match the words of a search. Expressions read the stored texts where they are: copies of large ones
 * would need the memory of a whole vector of rows.
 */
import { folded, quoted, searchColumn } from './column-sql.ts'

const line = 'chr(10)'
const space = "' '"
/** Texts of a row, folded, one a line. */
const texts = quoted(searchColumn)

const any = (conditions: readonly string[]): string => `(${conditions.join(' OR ')})`

/** True where `text` begins the texts, or follows one of some characters. */
const begins = (text: string, before: readonly string[]): string =>
  any([`starts_with(${texts}, ${text})`, ...before.map((one) => `contains(${texts}, ${one} || ${text})`)])

/** True where one of some characters, or an end of the texts, is on both sides of `text`. */
const stands = (text: string, edges: readonly string[]): string =>
  any([
    `${texts} = ${text}`,
    ...edges.map((edge) => `starts_with(${texts}, ${text} || ${edge})`),
    ...edges.map((edge) => `ends_with(${texts}, ${edge} || ${text})`),
    ...edges.flatMap((before) =>
      edges.map((after) => `contains(${texts}, ${before} || ${text} || ${after})`),
    ),
  ])

/**
 * 0 for records one of whose texts equals the words, 1 for those one of whose texts begins with them, 2 for those that have each as a word
 * between spaces, else 3. The cheap conditions come first: few records meet them.
 * @param phrase expression of the words with a space between each two
 * @param words an expression each
 */
export function rankExpression(phrase: string, words: readonly string[]): string {
  const whole = folded(phrase)
  const areWords = words
    .map(folded)
    .flatMap((word) => [begins(word, [line, space]), stands(word, [line, space])])
  return `CASE WHEN ${begins(whole, [line])} THEN CASE WHEN ${stands(whole, [line])} THEN 0 ELSE 1 END
    WHEN ${areWords.join(' AND ')} THEN 2 ELSE 3 END`
}
