/**
 * Parses the text of a line into checked values: the input rules of content-model §2. The first violation is reported.
 *
 * Text rules cannot be checked on parsed values (a rounded integer has lost data; of a repeated member only the last remains),
 * and a parser of our own would be several times slower than the engine's. So `JSON.parse` parses the text, and a quick pass over the text
 * together with a count of the value's members proves it valid. If the proof fails, the exact scan of
 * `scan.ts` decides. Only that scan reports errors.
 */
import { utf8Length } from '../hash.ts'
import { InputError } from '../json/input-error.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { numberFault } from '../json/number-fault.ts'
import { closingQuote, parseJson } from '../json/parse.ts'
import { scanText } from '../json/scan.ts'
import { isLikePrivate } from './private-likeness.ts'
import { idBytesMax, type RecordContent, typeBytesMax } from './record.ts'

/** Maximum nesting of objects and arrays in a line; its own object is level 1. */
export const lineDepthMax = 65

/** Options of `parseStrict`. */
export interface ParseOptions {
  /** Maximum nesting of objects and arrays in the text: 1 to 1,000, default `lineDepthMax`. */
  depthMax?: number
}

/** A record line: a record and whether it is pushed as private. */
export interface RecordLine extends RecordContent {
  /** As in the line; absent means false. */
  private?: boolean
}

/** A delete line, which names a record. */
export interface DeleteLine {
  id: string
  type: string
}

/**
 * The value of a JSON text that obeys the text rules. Bytes must be UTF-8 without a byte order mark (else `syntax`).
 * @throws InputError syntax, duplicate_key, unsafe_integer, too_many_digits, number_out_of_range, lone_surrogate or too_deep: the first
 * violation in the text.
 */
export function parseStrict(source: string | Uint8Array, options: ParseOptions = {}): Json {
  const depthMax = options.depthMax ?? lineDepthMax
  return parseText(typeof source === 'string' ? source : decode(source, depthMax), depthMax)
}

/**
 * For readers of texts that obey no other rule. The last of repeated members counts, so the first one would be lost.
 * @param value of `text`, by `parseJson`
 * @throws InputError duplicate_key
 */
export function refuseRepeatedMembers(text: string, value: Json): void {
  const members = skim(text, lineDepthMax)
  // Skip the recursive count for text that may nest too deep.
  if (members >= 0 && members === countMembers(value)) return
  try {
    scanText(text, lineDepthMax)
  } catch (error) {
    if (error instanceof InputError && error.code === 'duplicate_key') throw error
  }
}

/** Members of a record line. */
const members: ReadonlySet<string> = new Set(['id', 'type', 'data', 'private'])

/**
 * A record line `{id, type, data, private?}`. Other members are ignored, unless one looks like a misspelt `private`,
 * because its author believes that the record is hidden.
 * @throws InputError every code of content-model §2 except `record_too_large`, which `recordOf` reports.
 */
export function parseRecordLine(source: string | Uint8Array): RecordLine {
  const line = parseEnvelope(source)
  const { data, private: isPrivate } = line
  if (data === undefined) throw new InputError('bad_envelope', 'The line has no member "data".')
  const meant = Object.keys(line).find((name) => !members.has(name) && isLikePrivate(name))
  if (meant !== undefined) {
    const message = `The member ${JSON.stringify(meant)} hides nothing: write "private", or leave it out.`
    throw new InputError('bad_envelope', message)
  }
  const record: RecordLine = { id: line['id'] as string, type: line['type'] as string, data }
  if (isPrivate === undefined) return record
  if (typeof isPrivate !== 'boolean')
    throw new InputError('bad_envelope', 'The member "private" must be true or false.')
  record.private = isPrivate
  return record
}

/**
 * A delete line `{id, type}`; other members are ignored.
 * @throws InputError as `parseRecordLine`, except for the rules about `data` and `private`.
 */
export function parseDeleteLine(source: string | Uint8Array): DeleteLine {
  const line = parseEnvelope(source)
  return { id: line['id'] as string, type: line['type'] as string }
}

/** Fault of `id` as a record's id, as a sentence; undefined if there is none. Does not check for lone surrogates. */
export function idFault(id: Json | undefined): string | undefined {
  if (typeof id !== 'string')
    return id === undefined ? 'There is no member "id".' : 'The id must be a string.'
  if (id === '') return 'The id must not be empty.'
  // A UTF-16 code unit takes at most 3 bytes.
  if (id.length * 3 <= idBytesMax || utf8Length(id) <= idBytesMax) return undefined
  return `The id takes ${utf8Length(id)} bytes in UTF-8; at most ${idBytesMax} are allowed.`
}

/** Fault of `type` as a type's name, as a sentence; undefined if there is none. Does not check for lone surrogates. */
export function typeFault(type: Json | undefined): string | undefined {
  if (typeof type !== 'string')
    return type === undefined ? 'There is no member "type".' : 'The type must be a string.'
  if (type === '') return 'The type must not be empty.'
  if (type.startsWith('.')) return 'The type must not start with a full stop.'
  if (/[/\\\u0000-\u001f\u007f]/.test(type))
    return 'The type must hold no slash, backslash or control character.'
  if (type.length * 3 <= typeBytesMax || utf8Length(type) <= typeBytesMax) return undefined
  return `The type takes ${utf8Length(type)} bytes in UTF-8; at most ${typeBytesMax} are allowed.`
}

function parseEnvelope(source: string | Uint8Array): JsonObject {
  const line = parseStrict(source)
  if (!isJsonObject(line)) throw new InputError('bad_envelope', 'The line is no JSON object.')
  const badId = idFault(line['id'])
  if (badId !== undefined) throw new InputError('bad_id', badId)
  const badType = typeFault(line['type'])
  if (badType !== undefined) throw new InputError('bad_type', badType)
  return line
}

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenientDecoder = new TextDecoder('utf-8', { ignoreBOM: true })

function decode(bytes: Uint8Array, depthMax: number): string {
  try {
    return strictDecoder.decode(bytes)
  } catch {
    const good = wellFormedPrefix(bytes)
    // A violation before the invalid bytes is reported first.
    scanText(good, depthMax)
    throw new InputError('syntax', `After character ${good.length}: the bytes are not UTF-8.`)
  }
}

/** The longest prefix of `bytes` that is valid UTF-8, decoded. `bytes` as a whole must be invalid. */
function wellFormedPrefix(bytes: Uint8Array): string {
  const lenient = lenientDecoder.decode(bytes)
  // The source may contain U+FFFD itself; the first one that is not in the source marks the invalid bytes.
  let offset = 0
  let from = 0
  for (;;) {
    const at = lenient.indexOf('\ufffd', from)
    offset += utf8Length(lenient.slice(from, at))
    const isInSource = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd
    if (!isInSource) return lenient.slice(0, at)
    offset += 3
    from = at + 1
  }
}

function parseText(text: string, depthMax: number): Json {
  let value: Json
  try {
    value = parseJson(text) as Json
  } catch (cause) {
    scanText(text, depthMax)
    throw new InputError('syntax', `The text is not JSON: ${cause instanceof Error ? cause.message : cause}.`)
  }
  const members = skim(text, depthMax)
  // Skip the recursive count for text that may nest too deep.
  if (members < 0 || members !== countMembers(value)) scanText(text, depthMax)
  return value
}

/** A number without an exponent loses nothing up to this many characters. */
const plainNumberLengthMax = 15
/** A fraction below 2^53 loses nothing up to this many characters. */
const plainFractionLengthMax = 18
/** An escaped surrogate, paired or not. */
const surrogateEscape = /\\u[dD][89a-fA-F]/

/**
 * Number of members of all objects in `text`, which must be JSON; −1 if the text may break a rule other than
 * `duplicate_key`. With repeated names it exceeds the result of `countMembers`. */
function skim(text: string, depthMax: number): number {
  if (!text.isWellFormed()) return -1
  const hasEscapes = text.includes('\\')
  if (hasEscapes && surrogateEscape.test(text)) return -1
  let members = 0
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0x22) i = hasEscapes ? closingQuote(text, i) : text.indexOf('"', i + 1)
    else if (unit === 0x3a) members++
    else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > depthMax) return -1
    } else if (unit === 0x7d || unit === 0x5d) depth--
    else if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) {
      const end = numberEnd(text, i)
      if (end < 0) return -1
      i = end - 1
    }
  }
  return members
}

/** End of the number that starts at `start`; −1 if the number may break a rule. */
function numberEnd(text: string, start: number): number {
  let end = start
  let hasFraction = false
  let hasExponent = false
  for (; ; end++) {
    const unit = text.charCodeAt(end)
    if ((unit >= 0x30 && unit <= 0x39) || unit === 0x2d || unit === 0x2b) continue
    if (unit === 0x2e) hasFraction = true
    else if (unit === 0x65 || unit === 0x45) hasExponent = true
    else break
  }
  if (!hasExponent && end - start <= plainNumberLengthMax) return end
  const literal = text.slice(start, end)
  const isShort = hasFraction && !hasExponent && literal.length <= plainFractionLengthMax
  if (isShort && Math.abs(Number(literal)) < 2 ** 53) return end
  return numberFault(literal) === undefined ? end : -1
}

function countMembers(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') members += countMembers(item)
    return members
  }
  for (const name of Object.keys(value)) {
    members++
    const member = value[name]!
    if (typeof member === 'object') members += countMembers(member)
  }
  return members
}
