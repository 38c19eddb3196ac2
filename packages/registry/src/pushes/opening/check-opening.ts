/**
 * The body that opens a push session, delta or snapshot, read strictly: a task for a worker thread, since it may have many MiB. What
 * comes of it is small or bytes, so that whoever asked has nothing to parse.
 */
import {
  canonicalize,
  InputError,
  isJsonObject,
  type Json,
  type JsonObject,
  parseFileReference,
  parseStrict,
} from '@ulmus/content'
import { checkEntries, type ManifestOutcome } from '../receiving/check-manifest.ts'
import type { SnapshotOpening } from './opening-body.ts'

export interface OpeningTask {
  /** The whole JSON body. */
  bytes: Uint8Array
  /** Levels of objects and arrays that the body may nest. */
  depthMax: number
  /** For a snapshot, which cannot do without a body, and whose manifest may be in the body. `restUnitsMax`: for all else in it, UTF-16 units of JSON. */
  snapshot?: { entriesMax: number; restUnitsMax: number }
}

export type OpeningOutcome =
  | Opening
  | { kind: 'malformed'; code: string; message: string }
  | { kind: 'manifest_no_array' }
  | { kind: 'rest_too_large' }

export interface Opening {
  kind: 'opening'
  /**
   * What shapes ask about the body, without its manifest; null when there is none. `{}` and `[]` stand for every object and array, but for `files`, and texts
   * end where they are too long for anything.
   */
  outline: Json
  /** The members of these names, where they are objects: canonical JSON. */
  schemas?: Uint8Array<ArrayBuffer>
  metadata?: Uint8Array<ArrayBuffer>
  /** Absent: the body has none. */
  manifest?: ManifestOutcome
}

/** Types of entries are checked against the schemas that the same body brings. */
export function checkOpening({ bytes, depthMax, snapshot }: OpeningTask): OpeningOutcome {
  if (snapshot === undefined && bytes.length === 0) return { kind: 'opening', outline: null }
  let body: Json
  try {
    body = parseStrict(bytes, { depthMax })
  } catch (error) {
    if (error instanceof InputError) return { kind: 'malformed', code: error.code, message: error.message }
    throw error
  }
  if (!isJsonObject(body)) return { kind: 'opening', outline: hint(body) }
  if (snapshot === undefined) return openingOf(body)
  const { manifest, ...rest } = body
  if (manifest !== undefined && !Array.isArray(manifest)) return { kind: 'manifest_no_array' }
  if (JSON.stringify(rest).length > snapshot.restUnitsMax) return { kind: 'rest_too_large' }
  const opening = openingOf(rest)
  if (manifest === undefined) return opening
  const types = isJsonObject(rest['schemas'] ?? null) ? Object.keys(rest['schemas'] as JsonObject) : []
  const values = manifest.map((value, index) => ({ line: index + 1, value: () => value }))
  return { ...opening, manifest: checkEntries(values, { types, entriesMax: snapshot.entriesMax }) }
}

function openingOf(body: JsonObject): Opening {
  const opening: Opening = { kind: 'opening', outline: outlineOf(body) }
  for (const name of ['schemas', 'metadata'] as const) {
    const value = Object.hasOwn(body, name) ? body[name]! : null
    if (isJsonObject(value)) opening[name] = encoder.encode(canonicalize(value))
  }
  return opening
}

const encoder = new TextEncoder()

/** Members that some shape knows: no body has more of them than `membersMax`. */
const known: ReadonlySet<string> = new Set<keyof SnapshotOpening | 'schemas' | 'metadata'>([
  ...(['base_version', 'schemas', 'metadata', 'files', 'manifest_expected'] as const),
  ...(['message', 'app_id', 'actor_id', 'strip_unknown_fields'] as const),
])
/** Members that are told of beside those known, and faults of `files`: every one is an issue in the answer. */
const membersMax = 100
const faultsMax = 100
/** No text that any member may be is longer, when it is trimmed. UTF-16 units. */
const textUnitsMax = 65_536

function outlineOf(body: JsonObject): JsonObject {
  const members = Object.entries(body).filter(([name], index) => index < membersMax || known.has(name))
  return Object.fromEntries(
    members.map(([name, value]) => [
      name,
      name === 'files' && Array.isArray(value) ? filesOutline(value) : hint(value),
    ]),
  )
}

/** Names of files, up to the hundredth that is none. Without such, they come sorted, so that sorting them again is no work. */
function filesOutline(files: readonly Json[]): Json[] {
  const faults: number[] = []
  for (const [index, file] of files.entries()) {
    if (typeof file === 'string' && parseFileReference(file) !== undefined) continue
    if (faults.push(index) === faultsMax) break
  }
  if (faults.length === 0) return files.toSorted()
  return files.slice(0, faults.length < faultsMax ? undefined : faults.at(-1)! + 1).map(hint)
}

function hint(value: Json): Json {
  if (Array.isArray(value)) return []
  if (isJsonObject(value)) return {}
  if (typeof value !== 'string' || value.length <= textUnitsMax) return value
  const trimmed = value.trim()
  return trimmed.length <= textUnitsMax ? value : trimmed.slice(0, textUnitsMax).toWellFormed()
}
