import {
  digestLabel,
  documentDigest,
  documentText,
  editTree,
  emptyTree,
  hashText,
  recordOf,
} from '@ulmus/content'
import type { ProvenRecord } from '@ulmus/wire'
import { expect, test } from 'vitest'
import { verifyProof, verifyRecord } from './verify.ts'

const { canonical, hash, size } = recordOf('berlin', 'City', { name: 'Berlin', population: 3_700_000 })
const record = { id: 'berlin', type: 'City', data: { population: 3_700_000, name: 'Berlin' }, hash }

/** A version with this record only, and the proof that the record belongs to it. */
async function prove(): Promise<{ digest: string; proven: ProvenRecord }> {
  const nodes: string[] = []
  const tree = await editTree(
    emptyTree,
    [[{ key: record.id, put: { hash, size, payload: canonical } }]],
    {
      node: () => Promise.reject(new Error('there is nothing to read')),
      payloads: () => Promise.reject(new Error('there is nothing to read')),
      leaf: (made) => void nodes.push(made.text),
      interior: (made) => void nodes.push(made.text),
    },
    { kind: 'records' },
  )
  const document = { files: emptyTree, metadata: {}, types: { City: { schema: hashText('{}'), ...tree } } }
  const proof = { canonical, nodes, document: documentText(document) }
  return { digest: digestLabel('public', documentDigest(document)), proven: { ...record, proof } }
}

test('a record is good when its content has its hash, in whatever order its members came', () => {
  expect(verifyRecord(record)).toBe(true)
  expect(verifyRecord({ ...record, data: { ...record.data, population: 3_700_001 } })).toBe(false)
  expect(verifyRecord({ ...record, id: 'bonn' })).toBe(false)
})

test('a proven record belongs to the digest', async () => {
  const { digest, proven } = await prove()
  expect(verifyProof(digest, proven)).toEqual({ ok: true, id: 'berlin', type: 'City', hash })
})

test('a proof of another record, of another version, or none at all proves nothing', async () => {
  const { digest, proven } = await prove()
  expect(verifyProof(digest, { ...proven, data: { name: 'Bonn' } }).ok).toBe(false)
  expect(verifyProof(`public:${'0'.repeat(64)}`, proven).ok).toBe(false)
  expect(verifyProof(digest, record).ok).toBe(false)
})
