/** Values of records as a table has them: what CSV and Parquet contain, in JSON. The engine does the same in SQL. */
import { isJsonObject, type Json } from '../json/json.ts'
import { isDay, isInstant } from '../schemas/times.ts'
import type { ScalarType, TableColumn } from './columns.ts'

/** Fractional digits of a second that a table keeps. */
const fractionDigits = 6

/**
 * The value of a column in its table; undefined if there is none, or none that the column can represent. Lists have null for such items,
 * objects lack such members.
 */
export function tableValue({ type, items, members }: TableColumn, value: Json | undefined): Json | undefined {
  if (value === undefined || value === null) return undefined
  if (type === 'list')
    return Array.isArray(value) ? value.map((item) => scalarValue(items!, item) ?? null) : undefined
  if (type !== 'object') return type === 'json' ? value : scalarValue(type, value)
  if (!isJsonObject(value)) return undefined
  const found = members!.flatMap((member): [string, Json][] => {
    const made = tableValue(member, Object.hasOwn(value, member.name) ? value[member.name] : undefined)
    return made === undefined ? [] : [[member.name, made]]
  })
  return Object.fromEntries(found)
}

function scalarValue(type: ScalarType, value: Json): Json | undefined {
  switch (type) {
    case 'number':
      return typeof value === 'number' ? value : undefined
    case 'integer':
      return typeof value === 'number' && value >= -(2 ** 63) && value < 2 ** 63 ? value : undefined
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'file':
      return isJsonObject(value) ? value['$file'] : undefined
    case 'date':
      return typeof value === 'string' && isDay(value) && !value.startsWith('0000') ? value : undefined
    case 'date-time':
      return typeof value === 'string' ? utcText(value, fractionDigits) : undefined
    case 'text':
      return typeof value === 'string' ? value : undefined
  }
}

/**
 * A time in UTC as `2026-01-31T12:00:00.5Z`, without zeros at the end of the fraction. Undefined for other texts, leap seconds, and times
 * outside the years 1 to 9999.
 * @param digits of the fraction, which is cut; default: all
 */
export function utcText(text: string, digits?: number): string | undefined {
  if (!isInstant(text) || text.startsWith('0000')) return undefined
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? []
  const second = text.slice(0, 19).replace(' ', 'T') + text.slice(19).replace(/^\.\d+/, '')
  const moment = new Date(second.toUpperCase())
  const year = moment.getUTCFullYear()
  if (year < 1 || year > 9999) return undefined
  const kept = fraction.slice(0, digits).replace(/0+$/, '')
  return `${moment.toISOString().slice(0, 19)}${kept === '' ? '' : `.${kept}`}Z`
}
