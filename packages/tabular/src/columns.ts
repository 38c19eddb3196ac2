/** What the columns of some rows hold, as far as their values tell. */
import type { Row } from './rows.ts'

export const kinds = ['string', 'integer', 'number', 'boolean', 'date', 'date-time', 'any'] as const
/** `any`: lists and objects, or values of several kinds. */
export type Kind = (typeof kinds)[number]

export interface Column {
  readonly name: string
  readonly kind: Kind
  /** Every row has a value. */
  readonly isFull: boolean
  /** No two rows have the same value. */
  readonly isUnique: boolean
  /** All values, where they are few and each comes often; undefined: not so. */
  readonly choices: readonly string[] | undefined
  /** The first few. */
  readonly examples: readonly unknown[]
}

/** No zeros in front, which are part of a code, and few enough digits to be exact. */
const integer = /^-?(?:0|[1-9]\d{0,14})$/
const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/
const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** Whether a calendar has the day: there is no 30th of February. */
const isDay = (text: string): boolean => {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text.slice(0, 10)
}

/** The narrowest kind that one value has. */
function kindOf(value: unknown): Kind {
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number'
  if (typeof value !== 'string') return 'any'
  if (value === 'true' || value === 'false') return 'boolean'
  if (integer.test(value)) return 'integer'
  if (number.test(value)) return 'number'
  if (date.test(value) && isDay(value)) return 'date'
  return dateTime.test(value) && isDay(value) ? 'date-time' : 'string'
}

/** The kind that values of two kinds have in common. */
function widened(a: Kind, b: Kind): Kind {
  if (a === b) return a
  if ((a === 'integer' && b === 'number') || (a === 'number' && b === 'integer')) return 'number'
  return a === 'any' || b === 'any' ? 'any' : 'string'
}

const choicesMax = 12
/** Each choice comes so often on average, or it is no choice but a coincidence. */
const rowsAChoice = 8
const examplesMax = 5

/** The columns in the order in which the rows first have them. */
export function columnsOf(rows: readonly Row[]): Column[] {
  const names = new Set<string>()
  for (const row of rows) for (const name of Object.keys(row)) names.add(name)
  return [...names].map((name) => columnOf(name, rows))
}

function columnOf(name: string, rows: readonly Row[]): Column {
  let kind: Kind | undefined
  let count = 0
  let isText = true
  const seen = new Set<string>()
  const examples: unknown[] = []
  for (const row of rows) {
    const value = row[name]
    if (value === undefined || value === null) continue
    count++
    kind = kind === undefined ? kindOf(value) : widened(kind, kindOf(value))
    // Numbers beside texts that look like other things: as they are, they have nothing in common.
    isText &&= typeof value === 'string'
    seen.add(typeof value === 'string' ? value : JSON.stringify(value))
    if (examples.length < examplesMax) examples.push(value)
  }
  const isMixed = kind === 'string' && !isText
  const isChoice = kind === 'string' && isText && seen.size <= choicesMax && count >= seen.size * rowsAChoice
  return {
    name,
    kind: isMixed ? 'any' : (kind ?? 'string'),
    isFull: count === rows.length,
    isUnique: seen.size === count,
    choices: isChoice ? [...seen].sort() : undefined,
    examples,
  }
}

const idNames = /^(?:id|_id|uuid|guid|key|code|slug|identifier)$/i

/** Columns whose values can be ids, those that are called so first. */
export const idCandidates = (columns: readonly Column[]): Column[] =>
  columns
    .filter(
      ({ isFull, isUnique, kind }) =>
        isFull && isUnique && kind !== 'any' && kind !== 'boolean' && kind !== 'number',
    )
    .sort((a, b) => Number(idNames.test(b.name)) - Number(idNames.test(a.name)))
