/** A body that patches metadata, read strictly: a task for a worker thread where it is long. */
import { canonicalize, InputError, isJsonObject, type Json, parseStrict } from '@ulmus/content'

export interface PatchTask {
  /** The whole JSON body. */
  bytes: Uint8Array
}

export type PatchOutcome =
  /** Canonical JSON. */
  | { kind: 'patch'; text: string }
  | { kind: 'malformed'; code: InputError['code']; message: string }
  /** Or no body at all. */
  | { kind: 'no_object' }

export function readPatch({ bytes }: PatchTask): PatchOutcome {
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
