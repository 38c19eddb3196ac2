/** Values of filters in the types of their columns. */
import { parseJson } from '../json/parse.ts'
import { isDay, isInstant } from '../schemas/times.ts'
import type { ColumnType, ScalarType } from './columns.ts'

/** A value as a column has it: dates and times are texts in ISO 8601; integers beyond 2^53 need `bigint`. */
export type FilterValue = string | number | boolean | bigint

/** @returns undefined when the text is no value of the type */
export function readValue(text: string, type: ColumnType): FilterValue | undefined {
  const plain = unquoted(text)
  switch (type) {
    case 'number': {
      const value = Number(plain)
      if (plain.trim() === '' || !Number.isFinite(value)) return undefined
      return value
    }
    case 'integer': {
      if (/^[+-]?\d{1,19}$/.test(plain)) return BigInt(plain)
      // 1e3, 2.5: a bound may lie between integers.
      const value = Number(plain)
      if (plain.trim() === '' || !Number.isFinite(value)) return undefined
      return value
    }
    case 'boolean':
      if (plain !== 'true' && plain !== 'false') return undefined
      return plain === 'true'
    case 'date':
      if (!isDate(plain)) return undefined
      return plain
    case 'date-time': {
      const instant = isDate(plain) ? `${plain}T00:00:00Z` : plain
      if (!isInstant(instant) || !isDate(instant.slice(0, 10))) return undefined
      return instant
    }
    default:
      return plain
  }
}

/** A value of a type, in words. */
export const valueWords: Record<ScalarType, string> = {
  text: 'a text',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  'date-time': 'a time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  file: 'a hash such as sha256:…',
}

/** Years 1 to 9999, which a table can represent. */
const isDate = (text: string): boolean => isDay(text) && !text.startsWith('0000')

/** `"Ada"` is the text Ada; other texts are as they are. */
export function unquoted(text: string): string {
  if (!text.startsWith('"')) return text
  try {
    const value: unknown = parseJson(text)
    return typeof value === 'string' ? value : text
  } catch {
    return text
  }
}
