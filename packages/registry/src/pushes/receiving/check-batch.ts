/**
 * Checks a whole batch of record or delete lines: the task of a worker thread for every NDJSON request of a push. One bad line
 * refuses the batch.
 */
import {
  InputError,
  type Json,
  newNameFault,
  parseDeleteLine,
  parseRecordLine,
  recordOf,
  type Schema,
} from '@ulmus/content'
import type { ValidationError } from '@ulmus/wire'
import { buffersOf, type InPieces, joined, lengthOf } from '../../work/buffers.ts'
import { defineTask } from '../../work/task.ts'
import { LazySchemas, type PushSchemas } from '../schemas/push-schema.ts'
import { compareEntries } from '../spills/entries.ts'
import type { SpillEntry } from '../spills/frame.ts'
import { encodeSpill } from '../spills/spill.ts'

/** Input of the task: the body, and the rules of its session. */
export interface BatchTask {
  /** The request's body. */
  bytes: Uint8Array
  kind: 'records' | 'deletes'
  /** Schemas that the lines must match. */
  schemas: PushSchemas
  /** Further types that deletes may name. */
  formerTypes: readonly string[]
  stripUnknownFields: boolean
  /** True: the outcome has `facts`. */
  facts: boolean
  linesMax: number
}

/** Error in a line; it counts from 1, including blank lines. */
export type LineError = ValidationError & { line: number }

/** Either a spill of all lines or a refusal: nothing of a refused batch is stored. */
export type BatchOutcome =
  | {
      kind: 'spill'
      spill: Uint8Array<ArrayBuffer>
      entries: number
      received: number
      facts?: LineFacts[]
      unusual: NamedFault[]
    }
  | { kind: 'refused'; errors: LineError[]; totalErrors: number; unusual: NamedFault[] }
  | { kind: 'too_many_lines' }

/** A line whose id no new record may have. The base may have it from before this rule. */
export type NamedFault = LineError & { id: string; type: string }

/** Facts of a line, to compare with a snapshot's manifest. */
export interface LineFacts {
  line: number
  id: string
  type: string
  hash: string
  /** Absent if the line does not set it. */
  private?: boolean
}

/** Maximum errors in the answer; all are counted. */
export const lineErrorsMax = 100

const newline = 0x0a

export const checkBatch = defineTask({
  name: 'checkBatch',
  pool: 'push',
  run: (task: InPieces<BatchTask>) => batchOutcome({ ...task, bytes: joined(task.bytes) }),
  costs: ({ bytes, schemas: { units, name } }) => ({
    bytes: lengthOf(bytes),
    schemaUnits: units,
    schemas: name,
  }),
  moves: buffersOf,
  returns: (outcome) => (outcome.kind === 'spill' ? [outcome.spill.buffer] : []),
})

function batchOutcome(task: BatchTask): BatchOutcome {
  const schemas = schemasOf(task.schemas)
  const former = new Set(task.formerTypes)
  const entries: SpillEntry[] = []
  const errors: LineError[] = []
  const facts: LineFacts[] = []
  const unusual: NamedFault[] = []
  let totalErrors = 0
  for (const { line, bytes } of linesOf(task.bytes)) {
    if (entries.length + totalErrors >= task.linesMax) return { kind: 'too_many_lines' }
    const checked =
      task.kind === 'records'
        ? checkRecord(bytes, schemas, task.stripUnknownFields)
        : checkDelete(bytes, schemas, former)
    if ('code' in checked) {
      totalErrors++
      if (errors.length < lineErrorsMax) errors.push({ line, ...checked })
      continue
    }
    const { id, type } = checked
    const fault = task.kind === 'records' ? newNameFault('id', id) : undefined
    if (fault !== undefined) unusual.push({ line, id, type, code: 'bad_id', message: fault })
    if (totalErrors === 0) {
      entries.push(checked)
      if (task.facts)
        facts.push({
          line,
          id: checked.id,
          type: checked.type,
          hash: checked.put!.hash,
          private: checked.isPrivate,
        })
    }
  }
  if (totalErrors > 0) return { kind: 'refused', errors, totalErrors, unusual }
  const sorted = lastOfEach(entries)
  const spill = {
    kind: 'spill',
    spill: encodeSpill(sorted),
    entries: sorted.length,
    received: entries.length,
    unusual,
  } as const
  return task.facts ? { ...spill, facts } : spill
}

type Refused = Omit<LineError, 'line'>

/** `isPrivate`: the line's own `private`. */
type CheckedEntry = SpillEntry & { isPrivate?: boolean }

function checkRecord(bytes: Uint8Array, schemas: LazySchemas, strip: boolean): CheckedEntry | Refused {
  let named: { id: string; type: string } | undefined
  try {
    const line = parseRecordLine(bytes)
    named = line
    const schema = schemas.get(line.type)
    if (schema === undefined)
      return refuse('unknown_type', `there is no schema for type ${JSON.stringify(line.type)}`, named)
    const checked = checkData(schema, line.data, strip)
    if ('code' in checked) return { ...checked, id: line.id, type: line.type }
    const record = recordOf(line.id, line.type, checked.data)
    const { hash, canonical } = record
    // JCS escapes nothing in `"$file"`: a form without it refers to no file.
    const refers = canonical.includes('"$file"')
    const put = { hash, canonical, private: line.private === true, refers }
    return { type: line.type, id: line.id, put, isPrivate: line.private }
  } catch (error) {
    if (error instanceof InputError) return refuse(error.code, error.message, named)
    throw error
  }
}

/** Checks a record's data against its type's schema, for pushes and changes of schemas. The time depends on the schema. */
export function checkData(
  schema: Schema,
  data: Json,
  strip: boolean,
): { data: Json } | Pick<Refused, 'code' | 'message' | 'errors'> {
  const unknown = schema.unknownFields(data)
  if (unknown.length > 0 && !strip) {
    const names = unknown.map((name) => JSON.stringify(name)).join(', ')
    const message = `the schema lists no ${names}; add to it, or push with strip_unknown_fields`
    return {
      code: 'unknown_fields',
      message,
      errors: [
        ...unknown.map((name) => ({ path: pointerTo(name), message: 'unknown field' })),
        ...schema.validate(schema.strip(data)),
      ],
    }
  }
  const kept = unknown.length > 0 ? schema.strip(data) : data
  const issues = schema.validate(kept)
  if (issues.length === 0) return { data: kept }
  return {
    code: 'schema_violation',
    message: `the data does not match the schema of its type: ${issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ')}`,
    errors: issues,
  }
}

const pointerTo = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

function checkDelete(
  bytes: Uint8Array,
  schemas: LazySchemas,
  former: ReadonlySet<string>,
): CheckedEntry | Refused {
  try {
    const { id, type } = parseDeleteLine(bytes)
    if (schemas.has(type) || former.has(type)) return { type, id }
    return refuse('unknown_type', `there is no type ${JSON.stringify(type)}`, { id, type })
  } catch (error) {
    if (error instanceof InputError) return refuse(error.code, error.message)
    throw error
  }
}

const refuse = (code: string, message: string, named?: { id: string; type: string }): Refused => ({
  id: named?.id ?? null,
  type: named?.type ?? null,
  code,
  message,
})

/** Lines that are not blank, with their numbers; skips a byte order mark at the start. */
export function* linesOf(bytes: Uint8Array): Generator<{ line: number; bytes: Uint8Array }> {
  let start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  for (let line = 1; start < bytes.length; line++) {
    const found = bytes.indexOf(newline, start)
    const end = found === -1 ? bytes.length : found
    if (!isBlank(bytes, start, end)) yield { line, bytes: bytes.subarray(start, end) }
    start = end + 1
  }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  }
  return true
}

/** Sorts by (type, id) and keeps the last line of each. */
function lastOfEach(entries: SpillEntry[]): SpillEntry[] {
  // Array.prototype.sort is stable: lines of the same record keep their order.
  const sorted = entries.toSorted(compareEntries)
  return sorted.filter(
    (entry, at) => at + 1 === sorted.length || compareEntries(entry, sorted[at + 1]!) !== 0,
  )
}

/** Compiled schemas of the last push: the next batch usually belongs to the same one. */
let latest: { key: string; schemas: LazySchemas } | undefined

/** Schemas of a task, cached by key. */
export function schemasOf({ key, list }: PushSchemas): LazySchemas {
  if (latest?.key !== key) latest = { key, schemas: new LazySchemas(list) }
  return latest.schemas
}
