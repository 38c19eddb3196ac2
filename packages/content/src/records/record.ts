/**
 * Records: their canonical form, hash, size and the files they refer to (content-model §3). The canonical form is what a store keeps and a
 * digest covers, so equal records must get equal bytes in every release.
 */

import { type Hash, hashText, parseHash, utf8Length } from '../hash.ts'
import { canonicalize } from '../json/canonical.ts'
import { InputError } from '../json/input-error.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { parseJson } from '../json/parse.ts'

/** Largest canonical form of a record: 8 MiB. */
export const recordBytesMax = 8_388_608
/** Longest id, in UTF-8 bytes. */
export const idBytesMax = 1_024
/** Longest name of a type, in UTF-8 bytes. */
export const typeBytesMax = 128

/** Parts of a record, the only ones that its hash covers. */
export interface RecordContent {
  id: string
  type: string
  data: Json
}

/** A record in the form that is stored and hashed. */
export interface RecordText {
  id: string
  type: string
  /** `{"id":…,"type":…,"data":…}`, each part as in RFC 8785. */
  canonical: string
  /** SHA-256 of `canonical`. */
  hash: Hash
  /** UTF-8 bytes of `canonical`. */
  size: number
}

/**
 * Makes a record from checked parts (see `parseRecordLine`).
 * @throws InputError `record_too_large` over `recordBytesMax`; `lone_surrogate`, `number_out_of_range` for values that no valid text has.
 */
export function recordOf(id: string, type: string, data: Json): RecordText {
  const canonical = `{"id":${canonicalize(id)},"type":${canonicalize(type)},"data":${canonicalize(data)}}`
  const size = utf8Length(canonical)
  if (size > recordBytesMax) {
    throw new InputError(
      'record_too_large',
      `The record takes ${size} bytes in canonical form; at most ${recordBytesMax} are allowed.`,
    )
  }
  return { id, type, canonical, hash: hashText(canonical), size }
}

/**
 * Parses a canonical form that `recordOf` made (the caller has checked its hash).
 * @throws InputError `syntax` or `bad_envelope` for text that `recordOf` could not have made.
 */
export function parseCanonical(canonical: string): RecordContent {
  let value: Json
  try {
    value = parseJson(canonical) as Json
  } catch {
    throw new InputError('syntax', 'The canonical form of the record is not JSON.')
  }
  if (isJsonObject(value)) {
    const { id, type, data } = value
    if (typeof id === 'string' && typeof type === 'string' && data !== undefined) return { id, type, data }
  }
  throw new InputError('bad_envelope', 'The canonical form of the record lacks id, type or data.')
}

const filePrefix = 'sha256:'

/** The file that `text` refers to (`sha256:` and 64 lowercase hexadecimal digits), or undefined. */
export function parseFileReference(text: string): Hash | undefined {
  return text.startsWith(filePrefix) ? parseHash(text.slice(filePrefix.length)) : undefined
}

/**
 * Hashes of the files that `data` refers to: each once, ascending. An object whose `$file` member names a file is a reference and
 * is not searched further; an object with any other `$file` is searched like any object.
 */
export function fileReferences(data: Json): Hash[] {
  const found = new Set<Hash>()
  collect(data, found)
  return found.size === 0 ? [] : [...found].sort()
}

function collect(value: Json, found: Set<Hash>): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) collect(item, found)
    return
  }
  const file = referenceOf(value)
  if (file !== undefined) found.add(file)
  else for (const name of Object.keys(value)) collect(value[name]!, found)
}

function referenceOf(value: JsonObject): Hash | undefined {
  const named = value['$file']
  return typeof named === 'string' && Object.hasOwn(value, '$file') ? parseFileReference(named) : undefined
}
