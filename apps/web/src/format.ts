/** Formats numbers, sizes, times and hashes for people. */
import { instantText } from './islands/shared/instant.ts'
import { isBlank, shownName } from './islands/shared/shown-name.ts'

export { counted, countText, durationText, sizeText } from '@ulmus/content/quantities'
export { instantText, isBlank, shownName }

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

/** Words in the names of columns whose whole numbers name something. */
const namingWords = new Set([
  ...['id', 'ids', 'code', 'codes', 'zip', 'postcode', 'plz', 'isbn', 'issn', 'phone', 'year', 'years'],
])

/**
 * True if the numbers of a column are quantities, which have separators from 1,000 on. Whole numbers from 1000 to 2999 throughout look like
 * years, and those of a column such as `zip_code` are codes: neither has separators.
 * @param values those that are known, or their bounds; other values than numbers do not count
 * @returns undefined if there are no numbers
 */
export function areQuantities(name: string, values: Iterable<unknown>): boolean | undefined {
  const words = name.split(/[^a-zA-Z]+|(?<=[a-z])(?=[A-Z])/)
  const isNaming = words.some((word) => namingWords.has(word.toLowerCase()))
  let are: boolean | undefined
  for (const value of values) {
    if (!isNumber(value)) continue
    const isWhole = typeof value === 'bigint' || Number.isInteger(value)
    if (!isWhole || !(isNaming || (value >= 1_000 && value < 3_000))) return true
    are = false
  }
  return are
}

/** A number with all its digits: `1,234,567.5`, or `1234567.5` unless it is a quantity. */
export function numberText(value: number | bigint, isQuantity = true): string {
  const text = String(value)
  if (!isQuantity) return text
  const [, sign, digits, rest = ''] = /^(-?)(\d{4,})(\.\d+)?$/.exec(text) ?? []
  return digits === undefined ? text : `${sign}${digits.replace(/\B(?=(\d{3})+$)/g, ',')}${rest}`
}

const rounded = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 })
const compact = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4, notation: 'compact' })

/** A number with few digits: `12,345.6`, `17.1M`. Years and codes have all of theirs: `1899`. */
export function roundedText(value: number, isQuantity = true): string {
  if (!isQuantity) return String(Number.isInteger(value) ? value : Number(value.toPrecision(6)))
  return (Math.abs(value) < 1e6 ? rounded : compact).format(value)
}

/** `3 %`, `0.2 %`, `< 0.1 %` */
export function shareText(part: number, all: number): string {
  const percent = (part / all) * 100
  if (percent < 0.1) return '< 0.1 %'
  return `${percent < 10 ? Number(percent.toPrecision(2)) : Math.min(Math.round(percent), part < all ? 99 : 100)} %`
}

/** Units with their lengths, and the shortest distance that each is used for: 10 days are no week. Days. */
const spans: readonly [Intl.RelativeTimeFormatUnit, number, number][] = [
  ['year', 365, 730],
  ['month', 30, 60],
  ['week', 7, 14],
  ['day', 1, 1],
  ['hour', 1 / 24, 1 / 24],
  ['minute', 1 / 1_440, 1 / 1_440],
]
/** Always a figure: `next week` is a week of the calendar. */
const relative = new Intl.RelativeTimeFormat('en-US')

/** `3 days ago`, `in 2 hours`, `just now`: rounded, because 90 days are 89 days and some hours soon. @param instant ISO 8601 */
export function relativeText(instant: string, now = Date.now()): string {
  const distance = (new Date(instant).getTime() - now) / 86_400_000
  const days = Math.abs(distance)
  const span = spans.find(([, , least]) => days + halfMinute >= least)
  if (span === undefined) return 'just now'
  const [unit, length] = span
  return relative.format(Math.sign(distance) * Math.max(1, Math.round(days / length)), unit)
}

/** Days. */
const halfMinute = 0.5 / 1_440

/** `public:9f86d081884c…` → `9f86d081`. Eight hex digits tell two hashes of one collection apart. */
export const shortHash = (hash: string): string => hashDigits(hash).slice(0, 8)

/** A version's two hashes have the same digits if nothing in it is private. */
export const hashDigits = (hash: string): string => hash.replace(/^[a-z0-9]+:/, '')

/** A prefix of at most `most` UTF-16 units that splits no character; `…` marks a cut. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most)
  return `${cut.isWellFormed() || !text.isWellFormed() ? cut : cut.slice(0, -1)}…`
}

/** `cutText` of a name; names without visible characters are in quotes. */
export const cutName = (name: string, most: number): string => cutText(shownName(name), most)

/** Invisible characters that reverse or hide text. Joiners are not included: scripts and emoji need them. */
const unseen = /[\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** Removes invisible characters from text that markup cannot isolate: titles of documents, copied text. */
export const withoutUnseen = (text: string): string => text.replace(unseen, '')

/** Escapes invisible characters in JSON, so that a text cannot pretend to be another. */
export const shownMarks = (json: string): string =>
  json.replace(unseen, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** JSON for pages. @param indent in spaces; default: one line */
export const shownJson = (value: unknown, indent?: number): string =>
  shownMarks(JSON.stringify(value, null, indent))
