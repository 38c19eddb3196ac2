/** Versions of one type of record, read back whole, held against what they should hold, digest included. */
import {
  acceptSchema,
  canonicalize,
  compareUtf8,
  documentDigest,
  type Edit,
  editTree,
  emptyTree,
  type Json,
  type JsonObject,
  recordOf,
} from '@ulmus/content'
import { expect } from 'vitest'

const schema = { properties: { n: { type: 'integer' }, text: { type: 'string' } } }
/** The types of every model. */
export const modelSchemas = { A: schema }

/** What a version should hold: records of type A by their ids. */
export interface Model {
  records: ReadonlyMap<string, Json>
  metadata: JsonObject
}

/** The digest of a version computed anew from what it should hold. content-model §5, §7. */
async function digestOf({ records, metadata }: Model): Promise<string> {
  const edits: Edit<null>[] = [...records]
    .sort(([a], [b]) => compareUtf8(a, b))
    .map(([id, data]) => {
      const { hash, size } = recordOf(id, 'A', data)
      return { key: id, put: { hash, size, payload: null } }
    })
  const unread = () => Promise.reject(new Error('an empty tree has no nodes'))
  const port = {
    node: unread,
    payloads: unread,
    leaf: async () => undefined,
    interior: async () => undefined,
  }
  const tree = await editTree(emptyTree, [edits], port, { kind: 'records' })
  const types = { A: { schema: acceptSchema(schema).hash, ...tree } }
  return `private:${documentDigest({ files: emptyTree, metadata, types })}`
}

/** What was read of a version is exactly the model: its records, their hashes, the metadata, the count and the digest. */
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
