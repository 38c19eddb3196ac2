/** Rows as records of one type, by a plan that people can change. */
import type { Column, Kind } from './columns.ts'
import type { Row } from './rows.ts'

export interface Plan {
  readonly type: string
  /** The column that holds the id; undefined: records are numbered from 1. */
  readonly id: string | undefined
  readonly columns: readonly PlannedColumn[]
}

export interface PlannedColumn {
  readonly name: string
  readonly kind: Kind
  readonly isRequired: boolean
  readonly isPrivate: boolean
  readonly choices?: readonly string[] | undefined
}

/** `world-cities.csv` → `WorldCities`: a name that schemas take. */
export function typeNameOf(file: string): string {
  const words = file
    .replace(/\.[a-z]+$/i, '')
    .normalize('NFKD')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  return /^[A-Za-z]/.test(name) ? name.slice(0, 64) : `Record${name}`.slice(0, 64)
}

/** What the columns suggest: the id is no field beside, unless its name says more than that. */
export const planOf = (type: string, columns: readonly Column[], id: string | undefined): Plan => ({
  type,
  id,
  columns: columns
    .filter(({ name }) => name !== id || !/^_?id$/i.test(name))
    .map(({ name, kind, isFull, choices }) => ({
      name,
      kind,
      isRequired: isFull,
      isPrivate: false,
      choices,
    })),
})

/** A JSON Schema that the rows of a plan fit. */
export function schemaOf({ columns }: Plan): Record<string, unknown> {
  const properties = columns.map(({ name, kind, isPrivate, choices }) => [
    name,
    { ...typeOf(kind, choices), ...(isPrivate ? { private: true } : {}) },
  ])
  const required = columns.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

function typeOf(kind: Kind, choices: readonly string[] | undefined): Record<string, unknown> {
  if (kind === 'any') return {}
  if (kind === 'date' || kind === 'date-time') return { type: 'string', format: kind }
  return kind === 'string' && choices !== undefined ? { type: kind, enum: choices } : { type: kind }
}

export interface TableRecord {
  readonly id: string
  readonly type: string
  readonly data: Record<string, unknown>
}

/** A record a row. Values that are not of their column's kind stay as they are: the schema says what is wrong with them. */
export function* recordsOf(rows: Iterable<Row>, { type, id, columns }: Plan): Generator<TableRecord> {
  let number = 0
  for (const row of rows) {
    number++
    const data: Record<string, unknown> = {}
    for (const { name, kind } of columns) {
      const value = row[name]
      if (value !== undefined) data[name] = typeof value === 'string' ? readAs(value, kind) : value
    }
    const named = id === undefined ? number : row[id]
    yield { id: typeof named === 'string' ? named : JSON.stringify(named ?? ''), type, data }
  }
}

function readAs(text: string, kind: Kind): unknown {
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (kind !== 'integer' && kind !== 'number') return text
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) ? text : value
}
