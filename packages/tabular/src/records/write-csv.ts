/**
 * Records as CSV (RFC 4180), so that reading it with the same fields gives the same records.
 *
 * An empty cell is no value; so null and a missing member are written alike, and read as missing. `""` is the empty text. Lists and objects
 * are JSON texts. In a field of any kind a text stands as it is, unless it would be read as JSON: `"1"` for the text, `1` for the number.
 */
import type { Kind } from '../inference/kinds.ts'
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
 * Members that `fields` does not name are not written. Names of fields are read without the spaces around them.
 * @param fields of a schema (`fieldsOf`) or a plan
 */
export async function* csvOf(
  records: AsyncIterable<Content> | Iterable<Content>,
  fields: readonly Field[],
): AsyncGenerator<string, void> {
  let piece = `${[idColumnOf(fields), ...fields.map(({ name }) => name)].map(cellOf).join(',')}\n`
  for await (const { id, data } of records) {
    const members = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
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
