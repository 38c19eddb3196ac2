/**
 * Texts as words, for full-text search: the same on every database and locale, since PostgreSQL gets the words and not the text. Case and
 * accents do not count. Scripts that write no spaces between words are taken character by character, in their order.
 */

/** Letters and digits in a row. */
const runs = /[\p{L}\p{N}\p{M}]+/gu
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u
const spacedOrNot = new RegExp(`${unspaced.source}\\p{M}*|[^${unspaced.source.slice(1, -1)}]+`, 'gu')
/** Longer words are indexed by their beginning. Characters. */
const wordCharactersMax = 64
/** A text is found by its beginning. */
const wordsMax = 2_000
/** Of one search. What comes after these does not narrow it. */
const searchedMax = 16

/** Weight of a word by its source, from A, the most, to D. */
export type Weight = 'A' | 'B' | 'C' | 'D'

const folded = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll('ς', 'σ')

const short = (word: string): string => [...word].slice(0, wordCharactersMax).join('')

/** Runs of letters and digits, each as its words: several only where a script writes no spaces. */
const runsIn = (text: string): string[][] =>
  (folded(text).match(runs) ?? []).map((run) =>
    unspaced.test(run) ? (run.match(spacedOrNot) ?? []).map(short) : [short(run)],
  )

/** A `tsvector`, in PostgreSQL's notation. */
export const wordsOf = (text: string, weight: Weight): string =>
  runsIn(text)
    .flat()
    .slice(0, wordsMax)
    .map((word, index) => `'${word}':${index + 1}${weight}`)
    .join(' ')

/** A `tsquery`, in PostgreSQL's notation, for what holds words that begin like each of these. Undefined: there is no word in it. */
export function wordsSearched(text: string): string | undefined {
  const terms = runsIn(text)
    .slice(0, searchedMax)
    .map((words) => {
      const inARow = words.map((word, index) => (index === words.length - 1 ? `'${word}':*` : `'${word}'`))
      return inARow.length === 1 ? inARow[0]! : `(${inARow.join(' <-> ')})`
    })
  return terms.length === 0 ? undefined : terms.join(' & ')
}
