/**
 * Records for measurements, generated from their number alone, so that every contender gets the same ones in every run. About 651 bytes
 * each in canonical form, half of it prose that compresses like prose. Their ids are scattered, so that they arrive unsorted.
 */
import { type JsonObject, recordOf } from '@ulmus/content'

export interface BenchRecord {
  readonly id: string
  readonly type: string
  readonly data: JsonObject
}

export const recordType = 'Item'

const categories = ['audio', 'books', 'camping', 'cycling', 'garden', 'kitchen', 'lighting', 'office', 'toys']
const countries = ['Brazil', 'Canada', 'Germany', 'India', 'Japan', 'Kenya', 'Norway', 'Poland', 'Vietnam']
const vocabularySize = 20_000
const sentences = 4

/** JSON Schema of `recordType`: names, limits and checks every member. */
export const recordSchema: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'sku', 'category', 'price', 'createdAt', 'description'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 200 },
    sku: { type: 'string', pattern: '^[A-Z]{3}-[0-9]{6}$' },
    category: { enum: categories },
    tags: { type: 'array', maxItems: 8, items: { type: 'string' } },
    price: { type: 'number', minimum: 0 },
    stock: { type: 'integer', minimum: 0 },
    active: { type: 'boolean' },
    location: {
      type: 'object',
      required: ['lat', 'lng'],
      properties: { lat: { type: 'number', minimum: -90, maximum: 90 }, lng: { type: 'number' } },
    },
    maker: {
      type: 'object',
      properties: { name: { type: 'string' }, country: { type: 'string' } },
    },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
    description: { type: 'string', maxLength: 4_000 },
  },
}

type Chance = () => number

/** Mulberry32: numbers in [0, 1), determined by `seed` alone. */
export function chanceOf(seed: number): Chance {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A bijection on 32-bit integers that scatters them (the finalizer of MurmurHash3). */
function scattered(number: number): number {
  let mixed = number | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** Series of records that have none in common. */
export type Series = 'big' | 'small' | 'by client' | 'meanwhile'

const seriesNames: readonly Series[] = ['big', 'small', 'by client', 'meanwhile']

/** Number of the first record of a series; each series has room for half a billion. */
export const firstOf = (series: Series): number => seriesNames.indexOf(series) * 500_000_000

/** Position of record `number` among all ids: 0 is the lowest possible, 1 is beyond the highest. */
export const standing = (number: number): number => scattered(number) / 2 ** 32

export const idOf = (number: number): string => `it-${scattered(number).toString(16).padStart(8, '0')}`

/** An id at this position, usually of no record. */
export const idAt = (share: number): string =>
  `it-${Math.floor(share * 2 ** 32)
    .toString(16)
    .padStart(8, '0')}`

/** Words with the frequencies of natural language: the nth word about 1/n as often as the first. Frequent words have several entries. */
const drawn: readonly string[] = drawnWords()

function drawnWords(): string[] {
  const chance = chanceOf(7)
  const [consonants, vowels] = ['bcdfghklmnprstvwz'.split(''), 'aaeeeiioouy'.split('')]
  const syllable = () =>
    pick(consonants, chance) + pick(vowels, chance) + (chance() < 0.4 ? pick(consonants, chance) : '')
  const words = new Set(['a', 'of', 'the', 'in', 'to', 'is'])
  while (words.size < vocabularySize) {
    const count = 1 + Math.floor(chance() * 2.6)
    words.add(Array.from({ length: count }, syllable).join(''))
  }
  const vocabulary = [...words]
  return Array.from(
    { length: 2 ** 16 },
    (_, place) => vocabulary[Math.floor(vocabularySize ** (place / 2 ** 16)) - 1]!,
  )
}

function pick<T>(from: readonly T[], chance: Chance): T {
  return from[Math.floor(chance() * from.length)]!
}

const word = (chance: Chance): string => pick(drawn, chance)

/** Some words, the first one capitalised. */
export const phrase = (chance: Chance, words: number): string =>
  capital(Array.from({ length: words }, () => word(chance)).join(' '))

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1)

function sentence(chance: Chance): string {
  const words = 9 + Math.floor(chance() * 10)
  let text = capital(word(chance))
  for (let count = 1; count < words; count++) text += ` ${word(chance)}`
  return `${text}.`
}

const instant = (chance: Chance, year: number): string =>
  new Date(Date.UTC(year, 0, 1) + Math.floor(chance() * 31_000_000) * 1000).toISOString()

const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits

/**
 * Record `number`. A `revision` above 0 is a later state of the same record: another price, stock and time of update, and one changed
 * sentence.
 */
export function recordAt(number: number, revision = 0): BenchRecord {
  const chance = chanceOf(number)
  const later = revision === 0 ? chance : chanceOf(number ^ Math.imul(revision, 0x9e3779b1))
  const description = Array.from({ length: sentences }, () => sentence(chance))
  const fixed = {
    name: `${capital(word(chance))} ${word(chance)} ${number}`,
    sku: `${pick(['ABK', 'LMN', 'QRS', 'TUV'], chance)}-${Math.floor(chance() * 1e6)
      .toString()
      .padStart(6, '0')}`,
    category: pick(categories, chance),
    tags: Array.from({ length: 1 + Math.floor(chance() * 3) }, () => word(chance)),
    active: chance() < 0.8,
    location: { lat: rounded(chance() * 180 - 90, 5), lng: rounded(chance() * 360 - 180, 5) },
    maker: { name: `${capital(word(chance))} ${capital(word(chance))}`, country: pick(countries, chance) },
    createdAt: instant(chance, 2024),
  }
  if (revision > 0) description[sentences - 1] = sentence(later)
  return {
    id: idOf(number),
    type: recordType,
    data: {
      ...fixed,
      price: rounded(later() * 1_000, 2),
      stock: Math.floor(later() * 500),
      updatedAt: instant(later, 2025),
      description: description.join(' '),
    },
  }
}

/** Canonical form and hash, for contenders that need both. */
export const textOf = ({ id, type, data }: BenchRecord) => recordOf(id, type, data)

/** Numbers of 1 % of the first `size` records: scattered, with others in every revision, or clustered in the order of ids. */
export function* changedNumbers(size: number, spread: 'scattered' | 'clustered', revision: number) {
  if (spread === 'scattered') for (let n = revision % 100; n < size; n += 100) yield n
  else {
    const from = 0.3 + (revision % 50) / 100
    for (let n = 0; n < size; n++) if (standing(n) >= from && standing(n) < from + 0.01) yield n
  }
}
