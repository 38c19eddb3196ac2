/**
 * Records as CSV (RFC 4180), so that reading it with the same fields gives the same records.
 *
 * An empty cell is no value; so null and a missing member are written alike, and read as missing. `""` is the empty text. Lists and objects
 * are JSON texts. In a field of any kind a text stands as it is, unless it would be read as JSON: `"1"` for the text, `1` for the number.
 */
import type { Kind } from '../inference/kinds.ts'
import { TableError } from '../reading/table-error.ts'
import type { Field } from './schema.ts'

interface Content {
  readonly id: string
  readonly data: unknown
}

/** Characters that are handed on at once, about. */
const pieceCharacters = 64 * 1024

/** Semicolons and tabs as well: a reader that guesses the delimiter must find commas alone. */
const special = /[",;\t\r\n]/

const cellOf = (text: string): string =>
  text === '' || special.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** The column of ids: `id`, with as many `_` before it as it takes to be called like no field. */
export function idColumnOf(fields: readonly Field[]): string {
  let name = 'id'
  while (fields.some((field) => field.name.trim() === name)) name = `_${name}`
  return name
}

/**
 * Names of fields are read without the spaces around them.
 * @param fields of a schema (`fieldsOf`) or a plan: every member that a record has
 * @throws TableError for a record that the columns cannot hold: with a member that is none of the fields, or of data that is no object
 */
export async function* csvOf(
  records: AsyncIterable<Content> | Iterable<Content>,
  fields: readonly Field[],
): AsyncGenerator<string, void> {
  let piece = `${[idColumnOf(fields), ...fields.map(({ name }) => name)].map(cellOf).join(',')}\n`
  const names = new Set(fields.map(({ name }) => name))
  for await (const { id, data } of records) {
    const members = membersOf(id, data, names)
    piece += cellOf(id)
    for (const { name, kind } of fields)
      piece += `,${Object.hasOwn(members, name) ? textOf(members[name], kind) : ''}`
    piece += '\n'
    if (piece.length < pieceCharacters) continue
    yield piece
    piece = ''
  }
  yield piece
}

function membersOf(id: string, data: unknown, names: ReadonlySet<string>): Record<string, unknown> {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new TableError(`The data of ${JSON.stringify(id)} is no object, and has no columns.`)
  for (const name of Object.keys(data))
    if (!names.has(name))
      throw new TableError(
        `${JSON.stringify(id)} has the member ${JSON.stringify(name)}, for which there is no column.`,
      )
  return data as Record<string, unknown>
}

function textOf(value: unknown, kind: Kind): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return cellOf(JSON.stringify(value))
  return cellOf(kind === 'any' && isJson(value) ? JSON.stringify(value) : value)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return text === ''
  }
}
