/**
 * Strict reader for the body that opens a push session, delta or snapshot. A task for a worker thread, since the body may have
 * many MiB. Returns a small object and texts, so that the calling thread has nothing to parse.
 */
import {
  canonicalize,
  InputError,
  isJsonObject,
  type Json,
  type JsonObject,
  parseStrict,
} from '@ulmus/content'
import { requestedFile, requestedFileRule } from '../../files/requested-file.ts'
import { buffersOf, type InPieces, joined, lengthOf } from '../../work/buffers.ts'
import { defineTask, shortBytesMax } from '../../work/task.ts'
import { checkEntries, type ManifestOutcome } from '../receiving/check-manifest.ts'
import { type SchemaTexts, typesBytesMax, typesMax } from '../schemas/accept-schemas.ts'

export interface OpeningTask {
  /** The whole JSON body. */
  bytes: Uint8Array
  /** Levels of objects and arrays that the body may nest. */
  depthMax: number
  /** Present for a snapshot, which requires a body that may include the manifest. */
  snapshot?: { entriesMax: number }
}

export type OpeningOutcome =
  | Opening
  | { kind: 'malformed'; issues: { path: string; message: string; rule?: string }[] }
  | { kind: 'too_many_types'; types: number }
  | { kind: 'too_large'; what: string; limit: string }

/** A well-formed body, in parts. */
export interface Opening {
  kind: 'opening'
  /** The body without its manifest; null if the request has none. `{}` replaces schemas and metadata. */
  body: Json
  /** Absent if the body has none. */
  schemas?: SchemaTexts
  /** Canonical JSON. */
  metadata?: string
  manifest?: ManifestOutcome
}

/**
 * Maximum metadata patch in canonical form: 1 MiB of merged metadata, and as much for removals. Change it together with
 * `patchBytesMax` of metadata updates. Bytes.
 */
export const metadataPatchBytesMax = 2 * 1024 ** 2
/** Size limit of the rest of the body, as of any other JSON body. UTF-16 units of JSON. */
const restUnitsMax = 256 * 1024
/** Maximum faulty file names in the answer. */
const faultsMax = 100

/** Manifest entries are checked against the schemas in the same body. */
export const checkOpening = defineTask({
  name: 'checkOpening',
  pool: 'push',
  run: (task: InPieces<OpeningTask>) => readBody({ ...task, bytes: joined(task.bytes) }),
  isShort: ({ bytes }) => lengthOf(bytes) <= shortBytesMax,
  moves: buffersOf,
  returns: (outcome) =>
    outcome.kind === 'opening' && outcome.manifest?.kind === 'spill' ? [outcome.manifest.spill.buffer] : [],
})

function readBody({ bytes, depthMax, snapshot }: OpeningTask): OpeningOutcome {
  if (snapshot === undefined && bytes.length === 0) return { kind: 'opening', body: null }
  let body: Json
  try {
    body = parseStrict(bytes, { depthMax })
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { kind: 'malformed', issues: [{ path: '', message: error.message, rule: error.code }] }
  }
  if (!isJsonObject(body)) return { kind: 'opening', body: Array.isArray(body) ? [] : body }
  if (snapshot === undefined) return openingOf(body)
  const { manifest, ...rest } = body
  if (manifest === undefined) return openingOf(rest)
  if (!Array.isArray(manifest)) {
    const issue = { path: 'manifest', message: 'must be an array of {id, type, hash, private?}' }
    return { kind: 'malformed', issues: [issue] }
  }
  const opening = openingOf(rest)
  if (opening.kind !== 'opening') return opening
  const types = opening.schemas?.map(([type]) => type) ?? []
  const values = manifest.map((value, index) => ({ line: index + 1, value: () => value }))
  return { ...opening, manifest: checkEntries(values, { types, entriesMax: snapshot.entriesMax }) }
}

function openingOf({
  schemas,
  metadata,
  files,
  ...rest
}: JsonObject): Exclude<OpeningOutcome, { manifest: ManifestOutcome }> {
  const opening: Opening & { body: JsonObject } = { kind: 'opening', body: rest }
  if (isJsonObject(schemas)) {
    const types = Object.keys(schemas).length
    if (types > typesMax) return { kind: 'too_many_types', types }
    opening.schemas = Object.entries(schemas).map(([type, schema]) => [type, canonicalize(schema)])
    const bytes = opening.schemas.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0)
    if (bytes > typesBytesMax) return { kind: 'too_many_types', types }
  } else if (schemas !== undefined) rest['schemas'] = schemas
  if (isJsonObject(metadata)) {
    opening.metadata = canonicalize(metadata)
    if (Buffer.byteLength(opening.metadata) > metadataPatchBytesMax)
      return { kind: 'too_large', what: 'The metadata', limit: '2 MiB (1 MiB once it is merged)' }
  } else if (metadata !== undefined) rest['metadata'] = metadata
  const faults = Array.isArray(files) ? faultsOf(files) : []
  if (faults.length > 0) return { kind: 'malformed', issues: faults }
  if (files !== undefined && !Array.isArray(files)) rest['files'] = files
  if (JSON.stringify(rest).length > restUnitsMax) {
    const what = 'What comes beside `schemas`, `metadata`, `files` and `manifest`'
    return { kind: 'too_large', what, limit: '256 KiB' }
  }
  if (opening.schemas !== undefined) rest['schemas'] = {}
  if (opening.metadata !== undefined) rest['metadata'] = {}
  // Sort here, so that sorting again on the event loop is cheap.
  if (Array.isArray(files)) rest['files'] = files.toSorted()
  return opening
}

function faultsOf(files: readonly Json[]): { path: string; message: string }[] {
  const faults: { path: string; message: string }[] = []
  for (const [index, file] of files.entries()) {
    if (typeof file === 'string' && requestedFile(file) !== undefined) continue
    if (faults.push({ path: `files.${index}`, message: requestedFileRule }) === faultsMax) break
  }
  return faults
}
