import { crc32 } from 'node:zlib'
import { type Child, type Hash, hashBytes, type JsonObject, recordOf } from '@ulmus/content'
import type { EncodedObject } from '@ulmus/storage'
import { decodeEncoded } from '@ulmus/storage/decoding'
import { expect, test } from 'vitest'
import { type Contents, leafOf, rawOf } from '../../stored-leaves/stored-leaf.fixture.ts'
import { packEntries } from '../spills/frame.ts'
import { editLeaves, type LeavesTask } from './edit-leaves.ts'

const contents: Contents = Object.fromEntries(
  Array.from({ length: 400 }, (_, n) => [
    `k${n + 1000}`,
    { text: [1, 2, 3, 4, 5, 6].map((part) => hashBytes(Buffer.from(`${part} ${n}`))).join('') },
  ]),
)
const raw = rawOf(contents)

/** The leaf as read from a pack: its node and its body are in one buffer. */
function readTogether(): LeavesTask['encoded'][number] {
  const { node, body } = leafOf(raw)
  const [text, lines] = [node.chain[0]!, body.chain[0]!]
  const both = Buffer.concat([text.bytes, lines.bytes])
  const all = new Uint8Array(new ArrayBuffer(both.length))
  all.set(both)
  const at = text.bytes.length
  return {
    node: { ...node, chain: [{ ...text, bytes: all.subarray(0, at) }] },
    body: { ...body, chain: [{ ...lines, bytes: all.subarray(at) }] },
  }
}

function taskOf(id: string, data: JsonObject, encoded = readTogether()): LeavesTask {
  const { canonical, hash } = recordOf(id, 'T', data)
  const leaf = { hash: raw.hash, lastKey: raw.lastKey, count: raw.lines.length } as Child
  return {
    range: { after: undefined, through: undefined, leaves: [leaf], goesOn: false, ends: true },
    edits: packEntries([{ type: '', id, put: { hash, canonical, private: false, refers: false } }]),
    ...{ apart: new Map(), encoded: [encoded] },
  }
}

test('a leaf whose node and body lie in one buffer is edited, and that is given back', async () => {
  const task = taskOf('k1007', { text: 'other' })
  const buffer = task.encoded[0]!.node.chain[0]!.bytes.buffer as ArrayBuffer
  expect(buffer.byteLength).toBeGreaterThan(Buffer.poolSize)
  const outcome = await editLeaves.run(task)
  expect(buffer.detached).toBe(true)
  const { leaves, counts, objects } = outcome
  const next = rawOf({ ...contents, k1007: { text: 'other' } })
  expect(leaves).toMatchObject([{ hash: next.hash, lastKey: next.lastKey, count: 400 }])
  expect(counts).toEqual({ added: 0, updated: 1, removed: 0 })
  const [node, body] = await Promise.all(objects.map((object) => decoded(object, leafOf(raw))))
  expect(node).toBe(next.text.toString())
  expect(body).toBe(next.lines.map((line) => `${line}\n`).join(''))
})

async function decoded(
  made: { kind: 'plain' | 'body'; hash: Hash; checksum: Hash | null; encoded: Uint8Array },
  old: { node: EncodedObject; body: EncodedObject },
): Promise<string> {
  const base = made.kind === 'plain' ? old.node : old.body
  const link = { hash: made.hash, pack: 'pack', crc: crc32(made.encoded), bytes: made.encoded }
  const checksum = made.checksum ?? made.hash
  const raw = await decodeEncoded({ ...made, checksum, chain: [link, ...base.chain], base: undefined })
  return Buffer.from(raw).toString()
}
