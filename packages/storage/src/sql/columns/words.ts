/**
 * Splits texts into words for full-text search. Independent of database and locale, since PostgreSQL gets the words and not the text.
 * Ignores case and accents. Scripts without spaces between words are split into characters, in order.
 */

/** Consecutive letters and digits. */
const runs = /[\p{L}\p{N}\p{M}]+/gu
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u
const spacedOrNot = new RegExp(`${unspaced.source}\\p{M}*|[^${unspaced.source.slice(1, -1)}]+`, 'gu')
/** Longer words are indexed by their first characters. */
const wordCharactersMax = 64
/** Words indexed per text; later words are not searchable. */
const wordsMax = 2_000
/** Words used of one search; later words are ignored. */
const searchedMax = 16

/** Weight of a word by its source, from A (highest) to D. */
export type Weight = 'A' | 'B' | 'C' | 'D'

const folded = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll('ς', 'σ')

const short = (word: string): string => [...word].slice(0, wordCharactersMax).join('')

/** Runs of letters and digits, each as its words: several only in a script without spaces. */
const runsIn = (text: string): string[][] =>
  (folded(text).match(runs) ?? []).map((run) =>
    unspaced.test(run) ? (run.match(spacedOrNot) ?? []).map(short) : [short(run)],
  )

/** UTF-16 units read of a long text. */
const unitsMax = 8_000
/** UTF-16 units of a run: normalization of marks takes quadratic time. */
const runUnitsMax = 256

/** The first words of a long text, each of bounded length, without addresses of the web: for `wordsOf`. */
export function shortRunsIn(text: string): string {
  const written = text.slice(0, unitsMax).replace(/https?:\/\/\S*/g, ' ')
  return (written.match(runs) ?? []).map((run) => run.slice(0, runUnitsMax)).join(' ')
}

/** A `tsvector`, in PostgreSQL's notation. */
export const wordsOf = (text: string, weight: Weight): string =>
  runsIn(text)
    .flat()
    .slice(0, wordsMax)
    .map((word, index) => `'${word}':${index + 1}${weight}`)
    .join(' ')

/** Words of a search in the form of the index; words of a script without spaces are in one piece. */
export const searchedWords = (text: string): string[] =>
  runsIn(text)
    .slice(0, searchedMax)
    .map((words) => words.join(''))

/** Terms of a `tsquery` in PostgreSQL's notation: each matches texts with a word that begins like one of these. */
export const termsSearched = (text: string): string[] =>
  runsIn(text)
    .slice(0, searchedMax)
    .map((words) => {
      const inARow = words.map((word, index) => (index === words.length - 1 ? `'${word}':*` : `'${word}'`))
      return inARow.length === 1 ? inARow[0]! : `(${inARow.join(' <-> ')})`
    })
