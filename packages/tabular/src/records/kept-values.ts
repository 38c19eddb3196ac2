/**
 * Keeps values of records that a downloaded table cannot tell: a cell that equals what the table wrote for the record keeps the record's
 * value. Tables write times in UTC with microseconds, null and missing alike, and nothing for what a column cannot represent.
 */
import { isJsonObject, type Json, type TableColumn, tableValue, utcText } from '@ulmus/content'
import type { Table } from '../reading/table.ts'
import type { Plan } from './plan.ts'
import { setWithin } from './set-member.ts'

type Data = Record<string, unknown>

/** The data of a row, with the values of the existing record where the row has what its table wrote. Changes `is`. */
export type KeepValues = (was: unknown, is: Data) => Data

/** Undefined for a file of another format than those of downloaded tables. */
export function keeperOf({ format, isText }: Table, { columns }: Plan): KeepValues | undefined {
  if (format !== 'csv' && format !== 'tsv' && format !== 'parquet') return undefined
  const known = columns.flatMap(({ name, field = name, path = [field], stored }) =>
    stored === undefined || path.length === 0 ? [] : [{ path, stored }],
  )
  const spread = new Map<string, typeof known>()
  for (const one of known)
    if (one.path.length > 1) spread.set(one.path[0]!, [...(spread.get(one.path[0]!) ?? []), one])
  return (was, is) => {
    for (const { path, stored } of known) {
      const value = valueAt(is, path)
      const kept = keptValue(stored, valueAt(was, path) as Json, value as Json, isText)
      if (kept !== undefined) {
        if (kept !== value) setWithin(is, path, kept)
      } else if (value !== undefined) removeWithin(is, path, was)
    }
    for (const [field, members] of spread) {
      const object = valueAt(was, [field])
      const isBlank = members.every(
        ({ path, stored }) => tableValue(stored, valueAt(was, path) as Json) === undefined,
      )
      if (isBlank && isObject(object) && !Object.hasOwn(is, field)) setWithin(is, [field], object)
    }
    return is
  }
}

function keptValue(column: Cell, was: Json | undefined, is: Json | undefined, isText: boolean) {
  const { type, items, members } = column
  const stored = tableValue(column as TableColumn, was)
  if (isNone(is, isText)) return isNone(stored, isText) || isEmptyObject(type, stored) ? was : is
  if (type === 'list' && Array.isArray(was) && Array.isArray(is) && was.length === is.length)
    return is.map((item, at): Json => keptValue({ type: items! }, was[at], item, false) ?? null)
  if (type === 'object' && isJsonObject(was!) && isJsonObject(is!)) {
    const kept: Data = { ...is }
    for (const member of members!) {
      const value = keptValue(
        member,
        valueAt(was, [member.name]) as Json,
        valueAt(is, [member.name]) as Json,
        false,
      )
      if (value === undefined) delete kept[member.name]
      else setWithin(kept, [member.name], value)
    }
    return kept as Json
  }
  return stored !== undefined && stored === writtenIn(type, is!) ? was : is
}

type Cell = Pick<TableColumn, 'type' | 'items' | 'members'>

/** An empty cell of CSV: programs write a missing value and an empty text alike. */
const isNone = (value: Json | undefined, isText: boolean): boolean =>
  value === undefined || value === null || (isText && value === '')

const isEmptyObject = (type: TableColumn['type'], value: Json | undefined): boolean =>
  type === 'object' && value !== undefined && Object.keys(value!).length === 0

/** A value of a row as a table writes it. Programs spell UTC otherwise; another zone is an edit. */
function writtenIn(type: TableColumn['type'], value: Json): Json | undefined {
  if (type === 'file') return isJsonObject(value) ? value['$file'] : undefined
  if (type !== 'date-time' || typeof value !== 'string') return value
  const utc = value.replace(/(?:z|[+-]00(?::?00)?)$/i, 'Z')
  return utc.endsWith('Z') ? (utcText(utc) ?? value) : value
}

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function valueAt(data: unknown, path: readonly string[]): unknown {
  let value = data
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

/** Removes a member, and objects that only held it and that the existing record lacks. */
function removeWithin(data: Data, path: readonly string[], was: unknown): void {
  for (let length = path.length; length > 0; length--) {
    const object = valueAt(data, path.slice(0, length - 1)) as Data
    delete object[path[length - 1]!]
    const isLeft = Object.keys(object).length > 0 || isObject(valueAt(was, path.slice(0, length - 1)))
    if (isLeft) return
  }
}
