/** Existing types of a working folder, for an import: schemas, ids and sample records. */
import type { Schema, SchemaSources } from '@ulmus/content'
import { HashSet, type KnownType, statesOf } from '@ulmus/tabular'
import { PrivateValues, privateFieldsIn } from '@ulmus/tabular/private'
import { recordFiles } from '../files/layout.ts'
import { lineBatches } from '../files/lines.ts'
import { idOf, parseLine } from '../files/record-line.ts'

/** Records sampled to find the fields of the id. */
const samplesMax = 100

/** @throws CommandError for an invalid record line */
export function knownType(root: string, type: string, schema: Schema): KnownType {
  const ids = new HashSet()
  const samples: { id: string; data: unknown }[] = []
  for (const { text, file, line } of linesOf(root, recordFiles(root).get(type))) {
    if (samples.length < samplesMax) samples.push(parseLine(text, type, { file, line }).record)
    const id = idOf(text)
    if (id !== undefined) ids.add(id)
  }
  return { type, schema: schema.source, ids, samples }
}

function* linesOf(root: string, files: readonly string[] = []) {
  for (const file of files)
    for (const lines of lineBatches(root, file))
      for (const { text, number } of lines) yield { text, file, line: number }
}

/** Values of private fields, of all types that have some. @param filesOf paths of the records of a type @throws CommandError */
export function privateValues(
  root: string,
  schemas: SchemaSources,
  filesOf: (type: string) => readonly string[] | undefined,
): PrivateValues[] {
  return Array.from(privateFieldsIn(schemas), ([type, fields]) => {
    const values = new PrivateValues(type, schemas.get(type), fields)
    for (const { text, file, line } of linesOf(root, filesOf(type))) {
      const { id, data } = parseLine(text, type, { file, line }).record
      values.add(id, data)
    }
    return values
  })
}

/** Schemas of a working folder as JSON. */
export const sourcesOf = (schemas: ReadonlyMap<string, Schema>): SchemaSources =>
  new Map([...schemas].map(([type, { source }]) => [type, source]))

/** Fields that are private in any type, with that type. */
export function privateFields(schemas: ReadonlyMap<string, Schema>): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [type, { source }] of schemas)
    for (const [field, { isPrivate }] of statesOf(source)) if (isPrivate) fields.set(field, type)
  return fields
}
