/** Records of two types for questions about tables, generated from their number alone: permits of some 550 bytes, and the agencies that they name. */
import { type JsonObject, recordOf } from '@ulmus/content'
import { type Batch, chunksOf, type Input, writeBatches } from '../inputs.ts'
import { chanceOf, phrase } from '../records.ts'

export const agencyCount = 1_000
const statuses = ['approved', 'draft', 'expired', 'refused', 'submitted', 'under review']
const regions = ['north', 'east', 'south', 'west', 'centre', 'islands', 'coast', 'abroad']

const text = { type: 'string' }
const number = { type: 'number' }
const closed = (properties: JsonObject): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
})

export const schemas: Readonly<Record<string, JsonObject>> = {
  Agency: closed({ name: text, region: text, budget: number }),
  Permit: closed({
    title: text,
    status: text,
    country: text,
    agency: text,
    officer: text,
    amount: number,
    visits: { type: 'integer' },
    urgent: { type: 'boolean' },
    opened: { type: 'string', format: 'date' },
    updated: { type: 'string', format: 'date-time' },
    place: closed({ name: text, latitude: number, longitude: number }),
    tags: { type: 'array', items: text },
    summary: text,
  }),
}

const phrasesOf = (count: number, words: number, seed: number): string[] => {
  const chance = chanceOf(seed)
  return Array.from({ length: count }, (_, n) => `${phrase(chance, words)}${words === 1 ? ` ${n}` : ''}`)
}
const countries = phrasesOf(200, 1, 1)
const officers = phrasesOf(20_000, 2, 2)
const tags = phrasesOf(500, 1, 3)

/** Low numbers are the most frequent. */
const skewed = <T>(values: readonly T[], chance: number): T =>
  values[Math.floor(values.length * chance ** 2)]!
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))

export const idOf = (n: number): string => `p-${String(n).padStart(8, '0')}`
const agencyId = (n: number): string => `a-${String(n).padStart(4, '0')}`
export const countryOf = (n: number): string => countries[n % countries.length]!

export function permitAt(n: number) {
  const chance = chanceOf(n)
  const opened = Date.UTC(2010, 0, 1) + Math.floor(chance() * 5_800) * 86_400_000
  return {
    title: phrase(chance, 5),
    status: skewed(statuses, chance()),
    country: skewed(countries, chance()),
    agency: agencyId(Math.floor(chance() ** 2 * agencyCount)),
    officer: skewed(officers, chance()),
    amount: rounded(chance() ** 3 * 100_000, 2),
    visits: Math.floor(chance() * 500),
    urgent: chance() < 0.1,
    opened: new Date(opened).toISOString().slice(0, 10),
    updated: new Date(opened + Math.floor(chance() * 31_000_000_000)).toISOString(),
    place: {
      name: phrase(chance, 2),
      latitude: rounded(chance() * 180 - 90, 5),
      longitude: rounded(chance() * 360 - 180, 5),
    },
    tags: Array.from({ length: 1 + Math.floor(chance() * 3) }, () => skewed(tags, chance())),
    summary: `${phrase(chance, 16)}. ${phrase(chance, 14)}.`,
  }
}

const agencyAt = (n: number) => ({
  name: phrase(chanceOf(-n), 3),
  region: regions[n % regions.length]!,
  budget: (n * 7_919) % 100_003,
})

/** Writes canonical lines, for the push, for the contenders, and for the sizes of files. */
export async function writePermits(folder: string, size: number): Promise<Input> {
  return write(`${folder}/permits.ndjson`, size, (n) => recordOf(idOf(n), 'Permit', permitAt(n)).canonical)
}

export async function writeAgencies(folder: string): Promise<Input> {
  const line = (n: number) => recordOf(agencyId(n), 'Agency', agencyAt(n)).canonical
  return write(`${folder}/agencies.ndjson`, agencyCount, line)
}

async function write(path: string, size: number, line: (n: number) => string): Promise<Input> {
  const numbers = Array.from({ length: size }, (_, n) => n)
  const batches: Batch[] = await writeBatches(
    path,
    chunksOf(numbers, (n) => `${line(n)}\n`),
  )
  return { size, path, batches, bytes: batches.reduce((sum, { bytes }) => sum + bytes, 0) }
}
