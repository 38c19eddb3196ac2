/** Compares whole versions with one type of record, digest included, with a model. */
import { canonicalize, type Json, type JsonObject, recordOf, versionDigest } from '@ulmus/content'
import { expect } from 'vitest'

const schema = { properties: { n: { type: 'integer' }, text: { type: 'string' } } }
/** The types of every model. */
export const modelSchemas = { A: schema }

/** Expected content of a version: records of type A by their ids. */
export interface Model {
  records: ReadonlyMap<string, Json>
  metadata: JsonObject
}

/** Digest of a version computed from the model. content-model §5, §7. */
function digestOf({ records, metadata }: Model): Promise<string> {
  const all = Array.from(records, ([id, data]) => recordOf(id, 'A', data))
  return versionDigest('private', { records: all, schemas: modelSchemas, metadata, files: [] })
}

/** Expects a version to match the model exactly: records, their hashes, metadata, count and digest. */
export async function expectHolds(
  model: Model,
  read: { lines: string; hash: string; recordCount: number; metadata: JsonObject },
): Promise<void> {
  const records = new Map<string, Json>()
  for (const line of read.lines.split('\n').filter(Boolean)) {
    const { id, type, data, hash } = JSON.parse(line)
    expect(hash).toBe(recordOf(id, type, data).hash)
    records.set(id, data)
  }
  expect(read.recordCount).toBe(records.size)
  expect(canonicalize(read.metadata)).toBe(canonicalize(model.metadata))
  expect(canonicalize(Object.fromEntries(records))).toBe(canonicalize(Object.fromEntries(model.records)))
  expect(read.hash).toBe(await digestOf(model))
}
