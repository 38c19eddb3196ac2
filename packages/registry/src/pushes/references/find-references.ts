/** Finds the references in pushed records of a type. A task for a worker thread, because it parses every record. */
import {
  eachId,
  type Json,
  leafLines,
  malformedFileReferences,
  parseCanonical,
  parseHash,
  parseJson,
  referenceFieldsOf,
} from '@ulmus/content'
import { defineTask } from '../../work/task.ts'
import { type PushWarnings, WarningList } from '../schemas/warnings.ts'

export interface ReferencesTask {
  /** Canonical forms of records of one type, each ended by a newline. */
  bytes: Uint8Array
  /** Canonical schema of that type. */
  schema: string
}

/** A referenced record. `from`, `path`: the record with the first reference to it, and the position in that record. */
export interface Referred {
  type: string
  id: string
  from: string
  path: string
  /** References to the record within the task. */
  times: number
}

export interface ReferencesFound {
  /** Each record once per field. */
  referred: Referred[]
  /** Malformed `$file` members. */
  malformed: PushWarnings
}

const decoder = new TextDecoder()

export const findReferences = defineTask({
  name: 'findReferences',
  pool: 'push',
  run: referencesIn,
  moves: ({ bytes }) => [bytes.buffer],
})

function referencesIn({ bytes, schema }: ReferencesTask): ReferencesFound {
  const fields = referenceFieldsOf(parseJson(schema) as Json)
  const byField = fields.map((field) => ({ field, referred: new Map<string, Referred>() }))
  const malformed = new WarningList()
  for (const form of leafLines(bytes)) {
    const text = decoder.decode(form)
    const { id: from, type, data } = parseCanonical(text)
    for (const { field, referred } of byField) {
      eachId(data, field, (id, path) => {
        const known = referred.get(id)
        if (known === undefined) referred.set(id, { type: field.type, id, from, path: path(), times: 1 })
        else known.times++
      })
    }
    // JCS never escapes this text.
    if (text.includes('"$file"')) noteMalformed(malformed, { type, id: from, data })
  }
  const referred = byField.flatMap((one) => [...one.referred.values()])
  return { referred, malformed: { listed: malformed.listed, total: malformed.total } }
}

function noteMalformed(
  malformed: WarningList,
  { type, id, data }: { type: string; id: string; data: Json },
): void {
  for (const { path, value } of malformedFileReferences(data)) {
    const isBare = typeof value === 'string' && parseHash(value) !== undefined
    const message = isBare
      ? `"${value}" names no file: write "sha256:${value}"`
      : `${shortened(JSON.stringify(value))} names no file: \`sha256:\` and 64 lowercase hexadecimal digits do`
    malformed.add({ code: 'file_reference_malformed', type, id, path, message })
  }
}

const shortened = (text: string): string => (text.length <= 100 ? text : `${text.slice(0, 97)}…`)
