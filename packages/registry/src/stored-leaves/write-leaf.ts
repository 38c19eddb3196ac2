/** Writes a leaf's records as NDJSON from its stored form, for `records/stream.ts`: a task for a reading thread. */

import { checkPlace, decodeStoredNode, firstAfter, type LeafNode, recordInlineBytesMax } from '@ulmus/content'
import { type LineForm, lineBytes, writeLines } from '@ulmus/content/stored'
import type { EncodedObject } from '@ulmus/storage'
import { decodeEncoded, ObjectCorruptError } from '@ulmus/storage/decoding'
import { free, wholeBuffers } from '../work/buffers.ts'
import { defineTask } from '../work/task.ts'

/** Input of the task: a leaf in stored form. */
export interface LeafTask {
  node: EncodedObject
  body: EncodedObject
  /** The leaf's last key, from its parent. */
  lastKey: string
  /** Only records with a larger id. */
  after: string | undefined
  form: LineForm
  /** Used for the lines if they fit, and returned with them. */
  buffer: ArrayBuffer | undefined
}

export type LeafOutcome =
  | { kind: 'lines'; buffer: ArrayBuffer; bytes: number }
  /** Some records are objects of their own. */
  | { kind: 'scattered' }

/** Minimum size of a new buffer, so that it fits the next leaf as well. Bytes. */
const roomBytesMin = 1_048_576

export const writeLeaf = defineTask({
  name: 'writeLeaf',
  pool: 'read',
  run: write,
  moves: (task) => [...wholeBuffers([task]), ...(task.buffer === undefined ? [] : [task.buffer])],
  returns: (outcome) => (outcome.kind === 'lines' ? [outcome.buffer] : []),
})

async function write({ node, body, lastKey, after, form, buffer }: LeafTask): Promise<LeafOutcome> {
  const text = await decodeEncoded(node, { mayHoldUp: true })
  const leaf = decodeStoredNode(text) as LeafNode
  checkPlace(node.hash, leaf, { level: 0, lastKey })
  const start = after === undefined ? 0 : firstAfter(leaf.keys, after)
  if (leaf.sizes.some((size) => size > recordInlineBytesMax)) return { kind: 'scattered' }
  const raw = await decodeEncoded(body, { mayHoldUp: true })
  const bytes = lineBytes(leaf, start, form)
  const to = buffer !== undefined && buffer.byteLength >= bytes ? buffer : bufferFor(bytes)
  if (!writeLines(Buffer.from(to), { leaf, start, form, body: raw }))
    throw new ObjectCorruptError('body', body.hash, body.chain[0]!.pack)
  for (const bytes of [text, raw, ...[...node.chain, ...body.chain].map((link) => link.bytes)]) free(bytes)
  return { kind: 'lines', buffer: to, bytes }
}

/** Not zeroed: all bytes that are used get written. */
const bufferFor = (bytes: number): ArrayBuffer =>
  Buffer.allocUnsafeSlow(Math.max(roomBytesMin, bytes)).buffer as ArrayBuffer
