/**
 * Checks entries of a snapshot's manifest: the task of a worker thread for every NDJSON chunk. An inline manifest is checked with
 * its body.
 */
import {
  InputError,
  idFault,
  isJsonObject,
  type Json,
  parseHash,
  parseStrict,
  typeFault,
} from '@ulmus/content'
import { buffersOf, type InPieces, joined } from '../../work/buffers.ts'
import { defineTask } from '../../work/task.ts'
import { compareEntries } from '../spills/entries.ts'
import type { SpillEntry } from '../spills/frame.ts'
import { encodeSpill } from '../spills/spill.ts'
import { type LineError, lineErrorsMax, linesOf } from './check-batch.ts'

export interface ManifestTask {
  /** NDJSON. */
  bytes: Uint8Array
  /** Types that entries may name. */
  types: readonly string[]
  entriesMax: number
}

/** Either a spill of all entries or a refusal. */
export type ManifestOutcome =
  | { kind: 'spill'; spill: Uint8Array<ArrayBuffer>; entries: number; received: number }
  | { kind: 'refused'; errors: LineError[]; totalErrors: number }
  | { kind: 'conflict'; id: string; type: string; hashes: string[] }
  | { kind: 'too_many' }

type Refused = Omit<LineError, 'line'>

export const checkManifest = defineTask({
  name: 'checkManifest',
  pool: 'push',
  run: (task: InPieces<ManifestTask>) => checkChunk({ ...task, bytes: joined(task.bytes) }),
  moves: buffersOf,
  returns: (outcome) => (outcome.kind === 'spill' ? [outcome.spill.buffer] : []),
})

function checkChunk(task: ManifestTask): ManifestOutcome {
  const values = function* (): Generator<{ line: number; value: () => Json }> {
    for (const { line, bytes } of linesOf(task.bytes)) yield { line, value: () => parseStrict(bytes) }
  }
  return checkEntries(values(), task)
}

/** @param values read one by one; each counts as a line */
export function checkEntries(
  values: Iterable<{ line: number; value: () => Json }>,
  task: { types: readonly string[]; entriesMax: number },
): ManifestOutcome {
  const types = new Set(task.types)
  const entries: SpillEntry[] = []
  const errors: LineError[] = []
  let totalErrors = 0
  for (const { line, value } of values) {
    if (entries.length + totalErrors >= task.entriesMax) return { kind: 'too_many' }
    const checked = checkEntry(value, types)
    if ('code' in checked) {
      totalErrors++
      if (errors.length < lineErrorsMax) errors.push({ line, ...checked })
    } else if (totalErrors === 0) entries.push(checked)
  }
  if (totalErrors > 0) return { kind: 'refused', errors, totalErrors }
  return sortedSpill(entries)
}

function checkEntry(read: () => Json, types: ReadonlySet<string>): SpillEntry | Refused {
  let entry: Json
  try {
    entry = read()
  } catch (error) {
    if (error instanceof InputError) return { id: null, type: null, code: error.code, message: error.message }
    throw error
  }
  if (!isJsonObject(entry)) return refuse('bad_envelope', 'The entry is no JSON object.')
  const { id, type, hash, private: hidden } = entry
  const badId = idFault(id)
  if (badId !== undefined) return refuse('bad_id', badId)
  const badType = typeFault(type)
  if (badType !== undefined) return refuse('bad_type', badType)
  const named = { id: id as string, type: type as string }
  const digest = typeof hash === 'string' ? parseHash(hash) : undefined
  if (digest === undefined)
    return refuse('bad_envelope', 'The hash must be 64 lowercase hexadecimal digits.', named)
  if (hidden !== undefined && typeof hidden !== 'boolean') {
    return refuse('bad_envelope', 'The member "private" must be true or false.', named)
  }
  if (!types.has(named.type))
    return refuse('unknown_type', `there is no schema for type ${JSON.stringify(type)}`, named)
  // A hash does not show whether the record refers to files.
  return { ...named, put: { hash: digest, canonical: '', private: hidden === true, refers: true } }
}

const refuse = (code: string, message: string, named?: { id: string; type: string }): Refused => ({
  id: named?.id ?? null,
  type: named?.type ?? null,
  code,
  message,
})

/** Keeps each (type, id) once. A repeated entry is harmless with the same hash, and a conflict with another. */
function sortedSpill(entries: SpillEntry[]): ManifestOutcome {
  const sorted = entries.toSorted(compareEntries)
  const once: SpillEntry[] = []
  for (const entry of sorted) {
    const last = once.at(-1)
    if (last === undefined || compareEntries(last, entry) !== 0) once.push(entry)
    else if (last.put!.hash === entry.put!.hash) once[once.length - 1] = entry
    else {
      const { id, type } = entry
      return { kind: 'conflict', id, type, hashes: [last.put!.hash, entry.put!.hash] }
    }
  }
  return { kind: 'spill', spill: encodeSpill(once), entries: once.length, received: entries.length }
}
