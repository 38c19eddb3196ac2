/**
 * Writes records as CSV (RFC 4180), such that reading it with the same fields returns the same records.
 *
 * An empty cell is a missing value; so null and a missing member are written the same way, and read as missing. `""` is the empty text.
 * Lists and objects are JSON texts. In a field of any kind a text is written as it is, unless it would be read as JSON: `"1"` for the text,
 * `1` for the number.
 */
import { parseJson } from '@ulmus/content'
import { registryId } from '../inference/ids.ts'
import type { Kind } from '../inference/kinds.ts'
import { TableError } from '../reading/table-error.ts'
import type { Field } from './field-states.ts'

interface Content {
  readonly id: string
  readonly data: unknown
}

/** Approximate size of a written piece. Characters. */
const pieceCharacters = 64 * 1024

/** Includes other delimiters, so that a reader that guesses the delimiter finds only commas. */
const special = /[",;|\t\r\n]/

const cellOf = (text: string): string =>
  text === '' || special.test(text) ? `"${text.replaceAll('"', '""')}"` : text

const columnOf = ({ name, column = name }: Field): string => column

/** Name of the column of ids: `_id`, as in every table, with as many more leading `_` as it needs to differ from all fields. */
export function idColumnOf(fields: readonly Field[]): string {
  let name = registryId
  while (fields.some((field) => columnOf(field).trim() === name)) name = `_${name}`
  return name
}

/**
 * Names of fields are read without surrounding spaces.
 * @param fields of a schema (`fieldsOf`) or a plan: all members that a record may have
 * @throws TableError for a record that the columns cannot represent: with a member outside the fields, or with data that is not an object
 */
export async function* csvOf(
  records: AsyncIterable<Content> | Iterable<Content>,
  fields: readonly Field[],
): AsyncGenerator<string, void> {
  let piece = `${[idColumnOf(fields), ...fields.map(columnOf)].map(cellOf).join(',')}\n`
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
    parseJson(text)
    return true
  } catch {
    return text === ''
  }
}
