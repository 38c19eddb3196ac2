/** Lines of `records/<Type>.ndjson`: `{"id", "data", "private"?}`, one record each. */
import {
  canonicalize,
  InputError,
  isJsonObject,
  type Json,
  parseJson,
  parseRecordLine,
  type RecordText,
  recordOf,
} from '@ulmus/content'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'

/** A record of a working folder. Its file determines its type. */
export interface FolderRecord {
  readonly id: string
  readonly data: Json
  readonly private: boolean
}

/** Formats a record's line: id first, canonical, so that equal records have equal lines. */
export const lineOf = (record: FolderRecord): string =>
  `{"id":${canonicalize(record.id)},"data":${canonicalize(record.data)}${record.private ? ',"private":true' : ''}}`

/** Position of a line for messages. */
export interface LinePosition {
  readonly file: string
  readonly line: number
}

export const positionText = ({ file, line }: LinePosition): string => `${file}, line ${line}`

/** Members of record lines; `hash` is written by the registry and ignored here. */
const known = new Set(['id', 'data', 'private', 'type', 'hash'])

/** @throws CommandError for a line that violates an input rule, has another type or an unknown member */
export function parseLine(
  text: string,
  type: string,
  place: LinePosition,
): { record: FolderRecord; content: RecordText } {
  try {
    const line = parseRecordLine(withType(text, type))
    if (line.type !== type)
      throw new InputError(
        'bad_type',
        `The record says that it is of the type ${JSON.stringify(line.type)}, and stands in a file of ${JSON.stringify(type)}.`,
      )
    const record = { id: line.id, data: line.data, private: line.private ?? false }
    return { record, content: recordOf(line.id, type, line.data) }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new CommandError(`${positionText(place)}: ${error.message}`, {
      exitCode: exitCodes.refused,
      code: error.code,
      cause: error,
    })
  }
}

/** Adds the type to a line that omits it. Keeps the text of the line, because the input rules apply to text. */
function withType(text: string, type: string): string {
  const start = text.indexOf('{')
  let parsed: Json
  try {
    parsed = parseJson(text) as Json
  } catch {
    return text
  }
  if (!isJsonObject(parsed)) return text
  const strange = Object.keys(parsed).find((name) => !known.has(name))
  if (strange !== undefined)
    throw new InputError(
      'bad_envelope',
      `The member ${JSON.stringify(strange)} has no meaning here: fields of a record stand in "data".`,
    )
  if (Object.hasOwn(parsed, 'type') || Object.keys(parsed).length === 0) return text
  return `{"type":${JSON.stringify(type)},${text.slice(start + 1)}`
}

const plainStart = '{"id":"'

/** Id of a line; undefined if it has none, which `parseLine` reports. */
export function idOf(text: string): string | undefined {
  if (text.startsWith(plainStart)) {
    const end = text.indexOf('"', plainStart.length)
    const id = text.slice(plainStart.length, end)
    if (end > 0 && !id.includes('\\')) return id
  }
  try {
    const parsed = parseJson(text) as Json
    return isJsonObject(parsed) && typeof parsed['id'] === 'string' ? parsed['id'] : undefined
  } catch {
    return undefined
  }
}
