/** Tasks that read and merge patches of metadata, in a worker thread if they are long: for metadata updates and for pushes. */
import {
  canonicalize,
  InputError,
  isJsonObject,
  type Json,
  type JsonObject,
  type MetadataIssue,
  mergeMetadata,
  metadataBytes,
  metadataBytesMax,
  metadataIssues,
  parseJson,
  parseStrict,
} from '@ulmus/content'
import { buffersOf, type InPieces, joined, lengthOf } from '../work/buffers.ts'
import { defineTask, shortBytesMax } from '../work/task.ts'

export interface PatchTask {
  /** The whole JSON body. */
  bytes: Uint8Array
}

export type PatchOutcome =
  /** Canonical JSON. */
  | { kind: 'patch'; text: string }
  | { kind: 'malformed'; code: InputError['code']; message: string }
  /** Also for an empty body. */
  | { kind: 'no_object' }

/** Strictly reads a body that patches metadata. */
export const readBody = defineTask({
  name: 'readBody',
  pool: 'push',
  run: ({ bytes }: InPieces<PatchTask>) => patchIn(joined(bytes)),
  isShort: ({ bytes }) => lengthOf(bytes) <= shortBytesMax,
  moves: buffersOf,
})

function patchIn(bytes: Uint8Array): PatchOutcome {
  if (bytes.length === 0) return { kind: 'no_object' }
  let body: Json
  try {
    body = parseStrict(bytes)
  } catch (error) {
    if (error instanceof InputError) return { kind: 'malformed', code: error.code, message: error.message }
    throw error
  }
  return isJsonObject(body) ? { kind: 'patch', text: canonicalize(body) } : { kind: 'no_object' }
}

export interface MetadataTask {
  /** Strictly parsed JSON. */
  patch: string
  /** Metadata to merge into. */
  base: JsonObject
}

export type MetadataOutcome =
  /** `patch`: canonical, without removals of members that the base lacks, so no longer than merged metadata and its names. */
  { kind: 'fits'; patch: string } | { kind: 'faulty'; issues: MetadataIssue[] } | { kind: 'too_large' }

/** Merges a push's metadata into that of its base. */
export const fitMetadata = defineTask({
  name: 'fitMetadata',
  pool: 'push',
  run: fit,
  isShort: ({ patch }) => patch.length <= shortBytesMax,
})

function fit({ patch: text, base }: MetadataTask): MetadataOutcome {
  const patch = parseJson(text) as JsonObject
  const issues = metadataIssues(patch)
  if (issues.length > 0) return { kind: 'faulty', issues }
  if (metadataBytes(mergeMetadata(base, patch)) > metadataBytesMax) return { kind: 'too_large' }
  const members = Object.entries(patch).filter(([name, value]) => value !== null || Object.hasOwn(base, name))
  return { kind: 'fits', patch: canonicalize(Object.fromEntries(members)) }
}
