/** Edits a range of a record tree and encodes its new leaves: the task of a worker thread for the changes of a commit. */

import {
  type Change,
  type Child,
  decodeStoredNode,
  defaultShape,
  type Edit,
  type EditRange,
  editRange,
  type Hash,
  hashBytes,
  type LeafNode,
  leafBodyOf,
  leafLines,
  type NewLeaf,
  type OpenedLeaf,
} from '@ulmus/content'
import type { EncodedLeaf, EncodedObject, PreparedObject } from '@ulmus/storage'
import { decodeChain } from '@ulmus/storage/decoding'
import {
  encodeAlone,
  encodeObjectHere,
  encodeReplacing,
  type Replaced,
  type StoredForm,
} from '@ulmus/storage/encoding'
import { free, wholeBuffers } from '../../work/buffers.ts'
import { defineTask } from '../../work/task.ts'
import { unpackEntries } from '../spills/frame.ts'
import { type LeafLine, mayRefer } from './line.ts'

/** Input of the task. */
export interface LeavesTask {
  /** The range without its edits, which `packEntries` packs. */
  range: Omit<EditRange<LeafLine>, 'edits'>
  edits: Uint8Array
  /** Sizes and referenced files of records whose lines only name objects of their own, by id. */
  apart: Map<string, { size: number; files: readonly Hash[] }>
  /** The range's old leaves as stored. */
  encoded: readonly EncodedLeaf[]
  /** Of the full view: the public leaf with the range's public records, as stored. A new leaf may be a delta to it. */
  beside?: EncodedLeaf | undefined
}

/** A change of a record that may refer to files, before it or after it. */
export interface ReferringChange {
  key: string
  before: LeafLine | undefined
  after: LeafLine | undefined
}

/** Outcome of the task. */
export interface EditedLeaves {
  /** All leaves of the range. */
  leaves: Child[]
  counts: { added: number; updated: number; removed: number }
  referring: ReferringChange[]
  /** New objects, leaves in key order; `encoded` are views of `buffer`. */
  objects: PreparedObject[]
  buffer: ArrayBuffer
}

const cut = { kind: 'records', shape: defaultShape } as const

/** Runs without database and store: the task has the stored leaves, and its caller writes the new objects. */
export const editLeaves = defineTask({
  name: 'editLeaves',
  pool: 'push',
  run: edit,
  // Stored bytes move only if they fill their buffer: others may use the rest.
  moves: ({ edits, encoded, beside }) => [
    edits.buffer,
    ...wholeBuffers(beside ? [...encoded, beside] : encoded),
  ],
  returns: ({ buffer }) => [buffer],
})

async function edit({ range: taken, edits, apart, encoded, beside }: LeavesTask): Promise<EditedLeaves> {
  const old = await Promise.all(encoded.map(readLeaf))
  const counterpart = beside && (await readLeaf(beside))
  const range = { ...taken, edits: editsOf(edits, apart) }
  const made = editedRange(range, old)
  const objects: PreparedObject[] = []
  for (const { made: leaf } of made.leaves) {
    // The public pass has written a leaf without private data.
    if (leaf !== undefined && leaf.hash !== counterpart?.hash)
      objects.push(...(await preparedLeaf(leaf, old, counterpart)))
  }
  const outcome: EditedLeaves = {
    leaves: made.leaves.map(({ made: _, ...leaf }) => leaf),
    counts: countsOf(made.changes),
    referring: made.changes.flatMap(referringChange),
    ...inOneBuffer(objects),
  }
  const read = counterpart === undefined ? old : [...old, counterpart]
  for (const bytes of [edits, ...read.flatMap(({ raws }) => raws), ...linksOf(encoded)]) free(bytes)
  if (beside !== undefined) for (const bytes of linksOf([beside])) free(bytes)
  return outcome
}

/** Result of editing a range. */
interface Made {
  leaves: (Child & { made?: MadeLeaf | undefined })[]
  changes: readonly Change<LeafLine>[]
}

/** A new leaf as stored. */
interface MadeLeaf extends Pick<NewLeaf<LeafLine>, 'hash' | 'replaces'> {
  text: Uint8Array
  body: Uint8Array
}

function editedRange(range: EditRange<LeafLine>, old: readonly OldLeaf[]): Made {
  const { leaves, changes } = editRange(range, old.map(opened), cut)
  return {
    leaves: leaves.map(({ made, ...leaf }) => ({
      ...leaf,
      made: made && {
        ...{ hash: made.hash, text: Buffer.from(made.text), replaces: made.replaces },
        body: leafBodyOf(made.payloads.map((line) => line.bytes)),
      },
    })),
    changes,
  }
}

const linksOf = (encoded: LeavesTask['encoded']): Uint8Array[] =>
  encoded.flatMap(({ node, body }) => [...node.chain, ...body.chain].map(({ bytes }) => bytes))

interface OldLeaf {
  hash: Hash
  /** Raw bytes of its node and of its body. */
  text: Uint8Array
  lines: Uint8Array
  node: Replaced
  body: Replaced
  /** Everything decoded for the leaf, to be freed. */
  raws: Uint8Array[]
}

async function readLeaf({ node, body }: EncodedLeaf): Promise<OldLeaf> {
  const nodes = await decodeChain(node, { mayHoldUp: true })
  const bodies = await decodeChain(body, { mayHoldUp: true })
  return {
    ...{ hash: node.hash, text: nodes[0]!, lines: bodies[0]! },
    node: replacedBy(node, nodes),
    body: replacedBy(body, bodies),
    raws: [...nodes, ...bodies],
  }
}

const opened = ({ hash, text, lines }: OldLeaf): OpenedLeaf<LeafLine> => ({
  hash,
  leaf: decodeStoredNode(text) as LeafNode,
  payloads: leafLines(lines).map((bytes) => ({ bytes })),
})

const replacedBy = ({ chain }: EncodedObject, raws: readonly Uint8Array[]): Replaced => ({
  chain: chain.map(({ hash, bytes }) => ({ hash, length: bytes.length })),
  raw: (i) => raws[i]!,
})

const editsOf = (packed: Uint8Array, apart: LeavesTask['apart']): Edit<LeafLine>[] =>
  unpackEntries(packed).map(({ id: key, put }) => {
    if (put === undefined) return { key }
    const { hash, canonical: bytes, refers } = put
    const large = apart.get(key)
    return large === undefined
      ? { key, put: { hash, size: bytes.length, payload: { bytes, refers } } }
      : { key, put: { hash, size: large.size, payload: { bytes, files: large.files } } }
  })

/** Encodes the node and the body of a new leaf. */
async function preparedLeaf(
  { hash, text, body: raw, replaces }: MadeLeaf,
  old: readonly OldLeaf[],
  beside: OldLeaf | undefined,
): Promise<PreparedObject[]> {
  const similar = [old.find((leaf) => leaf.hash === replaces), beside].filter((leaf) => leaf !== undefined)
  const node = await encoded(
    text,
    similar.map((leaf) => leaf.node),
  )
  const body = await encoded(
    raw,
    similar.map((leaf) => leaf.body),
  )
  const checksum = hashBytes(raw)
  free(text)
  free(raw)
  return [
    { kind: 'plain', hash, checksum: null, ...node },
    { kind: 'body', hash, checksum, ...body },
  ]
}

/** The shortest form of an object: alone, or as a delta to one of the similar objects. */
async function encoded(raw: Uint8Array, similar: readonly Replaced[]): Promise<StoredForm> {
  const forms: StoredForm[] = []
  for (const one of similar) forms.push(await encodeReplacing(raw, one, encodeObjectHere))
  forms.sort((a, b) => a.encoded.length - b.encoded.length)
  return forms[0] ?? encodeAlone(raw, encodeObjectHere)
}

function countsOf(changes: readonly Change<LeafLine>[]): EditedLeaves['counts'] {
  const counts = { added: 0, updated: 0, removed: 0 }
  for (const { before, after } of changes)
    counts[before === undefined ? 'added' : after === undefined ? 'removed' : 'updated']++
  return counts
}

function referringChange({ key, before, after }: Change<LeafLine>): ReferringChange[] {
  const [left, came] = [before?.payload, after?.payload]
  return mayRefer(left) || mayRefer(came) ? [{ key, before: copied(left), after: copied(came) }] : []
}

/** Copies the bytes: cloning a view for a message copies its whole buffer. */
const copied = (line: LeafLine | undefined): LeafLine | undefined =>
  line && { ...line, bytes: new Uint8Array(line.bytes) }

/** Gathers the objects in one buffer that a message can transfer. */
function inOneBuffer(objects: readonly PreparedObject[]): Pick<EditedLeaves, 'objects' | 'buffer'> {
  const buffer = new ArrayBuffer(objects.reduce((sum, { encoded }) => sum + encoded.length, 0))
  let at = 0
  const moved = objects.map((object) => {
    const encoded = new Uint8Array(buffer, at, object.encoded.length)
    encoded.set(object.encoded)
    at += encoded.length
    return { ...object, encoded }
  })
  return { objects: moved, buffer }
}
