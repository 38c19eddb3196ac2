/** Existing types of a working folder, for an import: schemas, ids and sample records. */
import type { Schema } from '@ulmus/content'
import { HashSet, type KnownType, statesOf } from '@ulmus/tabular'
import { recordFiles } from '../files/layout.ts'
import { lineBatches } from '../files/lines.ts'
import { idOf, parseLine } from '../files/record-line.ts'

/** Records sampled to find the fields of the id. */
const samplesMax = 100

/** @throws CommandError for an invalid record line */
export function knownType(root: string, type: string, schema: Schema): KnownType {
  const ids = new HashSet()
  const samples: { id: string; data: unknown }[] = []
  for (const file of recordFiles(root).get(type) ?? []) {
    for (const lines of lineBatches(root, file)) {
      for (const { text, number } of lines) {
        if (samples.length < samplesMax) samples.push(parseLine(text, type, { file, line: number }).record)
        const id = idOf(text)
        if (id !== undefined) ids.add(id)
      }
    }
  }
  return { type, schema: schema.source, ids, samples }
}

/** Fields that are private in any type, with that type. */
export function privateFields(schemas: ReadonlyMap<string, Schema>): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [type, { source }] of schemas)
    for (const [field, { isPrivate }] of statesOf(source)) if (isPrivate) fields.set(field, type)
  return fields
}
