/** A leaf's records as NDJSON, made of what is stored of the leaf: a task for a reading thread. */
import { checkPlace, decodeStoredNode, firstAfter, type LeafNode } from '@ulmus/content'
import type { EncodedObject } from '@ulmus/storage'
import { decodeEncoded, ObjectCorrupt } from '@ulmus/storage/decoding'
import { recordInlineBytesMax } from '../bodies.ts'
import { type LineForm, lineBytes, writeLines } from '../record-lines.ts'

export interface LeafTask {
  node: EncodedObject
  body: EncodedObject
  /** What the leaf's parent says of it. */
  lastKey: string
  /** Only records with an id beyond it. */
  after: string | undefined
  form: LineForm
  /** Is written to if the lines fit, and comes back with them. */
  room: ArrayBuffer | undefined
}

/** A damaged object, as ObjectCorrupt names it: errors of our own do not go from thread to thread. */
export type DamagedObject = Pick<ObjectCorrupt, 'kind' | 'hash' | 'pack'>

export type LeafOutcome =
  | { kind: 'lines'; room: ArrayBuffer; bytes: number }
  /** Some of the records lie in objects of their own. */
  | { kind: 'scattered' }
  | { kind: 'damaged'; object: DamagedObject }

/** New room has at least this size, so that it will do for the next leaf as well. Bytes. */
const roomBytesMin = 1_048_576

export async function writeLeaf(task: LeafTask): Promise<LeafOutcome> {
  try {
    return await written(task)
  } catch (error) {
    if (!(error instanceof ObjectCorrupt)) throw error
    const { kind, hash, pack } = error
    return { kind: 'damaged', object: { kind, hash, pack } }
  }
}

async function written({ node, body, lastKey, after, form, room }: LeafTask): Promise<LeafOutcome> {
  const text = await decodeEncoded(node, { mayHoldUp: true })
  const leaf = decodeStoredNode(text) as LeafNode
  checkPlace(node.hash, leaf, { level: 0, lastKey })
  const start = after === undefined ? 0 : firstAfter(leaf.keys, after)
  if (leaf.sizes.some((size) => size > recordInlineBytesMax)) return { kind: 'scattered' }
  const raw = await decodeEncoded(body, { mayHoldUp: true })
  const bytes = lineBytes(leaf, start, form)
  const to = room !== undefined && room.byteLength >= bytes ? room : roomFor(bytes)
  if (!writeLines(Buffer.from(to), { leaf, start, form, body: raw }))
    throw new ObjectCorrupt('body', body.hash, body.chain[0]!.pack)
  for (const bytes of [text, raw, ...[...node.chain, ...body.chain].map((link) => link.bytes)]) free(bytes)
  return { kind: 'lines', room: to, bytes }
}

/** Not set to zero first: all of it that is used is written. */
const roomFor = (bytes: number): ArrayBuffer =>
  Buffer.allocUnsafeSlow(Math.max(roomBytesMin, bytes)).buffer as ArrayBuffer

/**
 * Gives memory back at once, and not when it is collected: V8 collects everything, whatever the heap holds, for every 64 MB outside of
 * it, which would be for every hundred leaves. What is smaller may lie in a buffer that others share.
 */
function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}
