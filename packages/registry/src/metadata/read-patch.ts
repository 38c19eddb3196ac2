/** A long body that patches metadata, read strictly: a task for a worker thread. */
import { canonicalize, InputError, isJsonObject, type Json, parseStrict } from '@ulmus/content'

export type PatchOutcome =
  /** `bytes`: of the object, canonical. */
  | { kind: 'patch'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'malformed'; code: InputError['code']; message: string }
  /** `body`: null, or `[]` for all else. */
  | { kind: 'no_object'; body: [] | null }

/** @param bytes the whole JSON body */
export function readPatch(bytes: Uint8Array): PatchOutcome {
  let body: Json
  try {
    body = parseStrict(bytes)
  } catch (error) {
    if (error instanceof InputError) return { kind: 'malformed', code: error.code, message: error.message }
    throw error
  }
  return isJsonObject(body)
    ? { kind: 'patch', bytes: encoder.encode(canonicalize(body)) }
    : { kind: 'no_object', body: body === null ? null : [] }
}

const encoder = new TextEncoder()
