/** Formats numbers, sizes, times and hashes for people. */
import { isBlank, shownName } from './islands/shared/shown-name.ts'

export { isBlank, shownName }

const integers = new Intl.NumberFormat('en-US')

/** `1234567` → `1,234,567` */
export const countText = (count: number): string => integers.format(count)

/** Columns with numbers from this one on have separators: years have none. */
export const groupedFrom = 10_000

/** A number with separators and all its digits: `1,234,567.5`. */
export function numberText(value: number): string {
  const text = String(value)
  const [, sign, digits, rest = ''] = /^(-?)(\d{4,})(\.\d+)?$/.exec(text) ?? []
  return digits === undefined ? text : `${sign}${digits.replace(/\B(?=(\d{3})+$)/g, ',')}${rest}`
}

const rounded = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6, useGrouping: 'min2' })
const compact = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4, notation: 'compact' })

/** A number with few digits: `1899`, `12,345.6`, `17.1M`. */
export const roundedText = (value: number): string =>
  (Math.abs(value) < 1e6 ? rounded : compact).format(value)

/** `countText` with its noun: `1 record`, `2,000 records`. @param many default: the noun with an `s` */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`

/** Size in decimal units with three digits: `999 B`, `1.23 kB`, `45.6 MB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  // Values that round to four digits use the next unit.
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${unit === 0 ? value : Number(value.toPrecision(3))} ${units[unit]}`
}

const spans: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['week', 7 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]
const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })

/** `3 days ago`, `in 2 hours`, `just now`. @param instant ISO 8601 */
export function relativeText(instant: string, now = Date.now()): string {
  const distance = new Date(instant).getTime() - now
  for (const [unit, milliseconds] of spans) {
    const amount = Math.trunc(distance / milliseconds)
    if (amount !== 0) return relative.format(amount, unit)
  }
  return 'just now'
}

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
