/** Names of columns that are ids, or parts of ids. */

/** Last words in names of id columns. */
const idWords = /^(?:ids?|uuid|guid|identifier|key|code|slug|no|nr)$/
/** Likewise without a separator before it, as in `stationid`. */
const idEnding = /(?:code|uuid|guid|identifier|..[^aeiou]id)$/
/** Words with the same ending by chance. */
const otherWords = /(?:grid|hybrid|orchid|valid|solid|humid|rapid|acid|covid|pyramid|encode|decode)$/
const bareId = /^_?(?:id|uuid|guid)$/i
/** Names of positions in an order, which the next file may give to other records. */
const rankWords = /^(?:rank|ranking|position|pos|place|order|row|index|idx|sort|n|number|line)$/
/** Other places in a series, which tell rows of one group apart. */
const stepWords = /^(?:sequence|seq|step|stop|round|part|item|version|edition|volume|page|chapter|level)$/
const timeWords = /^(?:year|jahr|année|annee|año|ano|month|monat|mois|week|woche|day|tag|quarter|hour)$/

/** `StationID` → station, id; `country-code` → country, code. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Weight of a column's name as the name of an id: 2 for `id`, 1 for `country-code`, else 0. */
export function nameWeight(name: string): number {
  if (bareId.test(name)) return 2
  const last = wordsOf(name).at(-1) ?? ''
  return idWords.test(last) || (idEnding.test(last) && !otherWords.test(last)) ? 1 : 0
}

export const isNamedLikeId = (name: string): boolean => nameWeight(name) > 0

const lastWord = (name: string): string => wordsOf(name).at(-1) ?? ''

/** True for years, months and the like. */
export const isTimeName = (name: string): boolean => timeWords.test(lastWord(name))

export const isYearName = (name: string): boolean => /^(?:year|jahr|année|annee|año|ano)$/i.test(name)

/** True for a position in an order, or a name without letters. */
export const isRankName = (name: string): boolean =>
  wordsOf(name).length === 0 || rankWords.test(lastWord(name))

/** True if a column of integers tells rows of one group apart by its name, as a stop's position in its trip. Others are measurements. */
export const isPartName = (name: string): boolean =>
  isNamedLikeId(name) || isTimeName(name) || stepWords.test(lastWord(name)) || rankWords.test(lastWord(name))

/** True for `id`, `code` and the like, as opposed to `trip_id`, which may be another record's. */
export function isIdAlone(name: string): boolean {
  const words = wordsOf(name)
  return words.length === 1 && idWords.test(words[0]!)
}

/** True if a column called like an id is probably one, with mistakes: `id` if less than half of its values repeat, others below a tenth. */
export const mayBeMistakes = (name: string, repeats: number, rows: number): boolean =>
  repeats > 0 && repeats * (bareId.test(name) ? 2 : 10) < rows
