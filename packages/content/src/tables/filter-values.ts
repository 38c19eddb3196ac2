/** Values of filters in the types of their columns. */
import { parseJson } from '../json/parse.ts'
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
      if (!isInstant(instant)) return undefined
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

/** Years 1 to 9999, as JSON Schema's format `date` has them. RFC 3339 */
function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year === undefined || year === '0000') return false
  const date = new Date(`${text}T00:00:00Z`)
  return (
    !Number.isNaN(date.getTime()) &&
    date.getUTCMonth() + 1 === Number(month) &&
    date.getUTCDate() === Number(day)
  )
}

/** RFC 3339 with `T`, a zone and no leap second. */
function isInstant(text: string): boolean {
  const [, date, hour, minute, second, zoneHour, zoneMinute] =
    /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2}))$/.exec(text) ?? []
  if (date === undefined || !isDate(date)) return false
  return (
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    Number(zoneHour ?? 0) < 24 &&
    Number(zoneMinute ?? 0) < 60
  )
}

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
