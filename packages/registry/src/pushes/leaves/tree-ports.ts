/**
 * Ports through which `editTree` of the content package reads and writes nodes in a commit. That package does no I/O and knows
 * neither stores nor threads.
 */
import {
  type Child,
  type Edit,
  type EditedElsewhere,
  type EditPort,
  type Hash,
  leafBodyOf,
  leafLines,
} from '@ulmus/content'
import { type EncodedLeaf, giveWay, type ObjectReader, type ObjectWriter } from '@ulmus/storage'
import { free } from '../../work/buffers.ts'
import type { Work } from '../../work/work.ts'
import { packEntries, type SpillEntry } from '../spills/frame.ts'
import { type EditedLeaves, editLeaves, type LeavesTask, type ReferringChange } from './edit-leaves.ts'
import { type LeafLine, mayRefer } from './line.ts'
import type { PublicLeaves } from './public-leaves.ts'

/** Share of edited records from which zstd takes longer for the changes of a leaf than for a leaf (storage's packs/patch.ts). */
const editedShareMin = 1 / 8

/** Access to stored objects and threads for one commit. Its caller finishes or aborts the writer. */
export interface BuildIo {
  objects: ObjectReader
  writer: ObjectWriter
  work: Pick<Work, 'run'>
  /** Account in the fair queue for worker threads. */
  owner: string
}

/** Receives the number of changed records from the edit of a record tree, and the changes that may affect references to files. */
export interface ChangeNotes {
  count(changes: EditedLeaves['counts']): void
  /** Calls never overlap. */
  referring(change: ReferringChange): void | Promise<void>
}

/**
 * Port for record trees: nodes, bodies, and large records beside them. Worker threads edit and encode the leaves.
 * @param options.isDense true: if one edit falls under a node, edits fall into most of its leaves, so these are fetched together
 * @param options.writes gets the new leaves of a public tree
 * @param options.beside the public leaves beside which a full tree is stored
 */
export function recordPort(
  { objects, writer, work, owner }: BuildIo,
  notes: ChangeNotes,
  { isDense, writes, beside }: { isDense: boolean; writes?: PublicLeaves; beside?: PublicLeaves },
): EditPort<LeafLine> {
  return {
    async node(hash) {
      const node = await objects.node(hash)
      if (isDense && node.kind === 'node' && node.level === 1) await objects.prefetch(node.children)
      return node
    },
    payloads: async (leaf: Hash) => leafLines(await objects.body(leaf)).map((bytes) => ({ bytes })),
    leaf: async ({ hash, text, leaf, payloads, replaces }) => {
      const body = leafBodyOf(payloads.map((line) => line.bytes))
      await writer.add('plain', hash, text, { replaces })
      await writer.add('body', hash, body, { replaces })
      writes?.add({ hash, lastKey: leaf.keys.at(-1)!, bytes: body.length })
    },
    interior: (made) => writer.add('plain', made.hash, made.text, { replaces: made.replaces }),
    change({ key, before, after }) {
      const [left, came] = [before?.payload, after?.payload]
      const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'updated'
      notes.count({ added: 0, updated: 0, removed: 0, [kind]: 1 })
      return mayRefer(left) || mayRefer(came)
        ? notes.referring({ key, before: left, after: came })
        : undefined
    },
    edit({ edits, ...range }) {
      // Long runs of keys that end no leaf are rare: such ranges are edited here, one after another.
      if (range.goesOn || !range.ends) return undefined
      const counterpart = isMostlyNew(range.leaves, edits)
        ? beside?.around(edits[0]!.key, bytesOf(edits))
        : undefined
      // It is awaited later.
      counterpart?.catch(() => undefined)
      const task = { range, edits: packEntries(edits.map(entryOf)), apart: apartIn(edits) }
      // The task has copies, and nothing else uses the edits of a range.
      for (const { put } of edits) put?.payload.buffer?.release()
      return elsewhere(task, counterpart)
    },
  }

  async function elsewhere(
    task: Omit<LeavesTask, 'encoded' | 'beside'>,
    counterpart: Promise<EncodedLeaf | undefined> | undefined,
  ): Promise<EditedElsewhere> {
    const { leaves } = task.range
    const encoded = await Promise.all(leaves.map(({ hash }) => objects.encodedLeaf(hash)))
    const given = { ...task, encoded, beside: await counterpart }
    await giveWay()
    const edited = await work.run(editLeaves, given, { owner })
    return {
      leaves: edited.leaves,
      async keep() {
        notes.count(edited.counts)
        for (const change of edited.referring) await notes.referring(change)
        let left = edited.objects.length
        const done = () => {
          if (--left === 0) free(new Uint8Array(edited.buffer))
        }
        for (const object of edited.objects) await writer.addEncoded(object, done)
        const added = new Set(edited.objects.map(({ hash }) => hash))
        for (const leaf of edited.leaves) if (added.has(leaf.hash)) writes?.add(leaf)
      },
    }
  }
}

/** True if so many of a range's records are edited that its new leaf may resemble the public one more than the old one. */
const isMostlyNew = (old: readonly Pick<Child, 'count'>[], edits: readonly unknown[]): boolean =>
  edits.length > old.reduce((sum, { count }) => sum + count, 0) * editedShareMin

const bytesOf = (edits: readonly Edit<LeafLine>[]): number =>
  edits.reduce((sum, { put }) => sum + (put?.size ?? 0), 0)

/** @throws Error for a line whose memory was released: its bytes are lost. */
function entryOf({ key: id, put }: Edit<LeafLine>): SpillEntry {
  if (put === undefined) return { type: '', id }
  const { hash, payload } = put
  if (payload.files === undefined && payload.bytes.length === 0)
    throw new Error(`The line of ${JSON.stringify(id)} is empty.`)
  return { type: '', id, put: { hash, canonical: payload.bytes, private: false, refers: mayRefer(payload) } }
}

/** Data that the lines lack of records that are objects of their own. */
function apartIn(edits: readonly Edit<LeafLine>[]): LeavesTask['apart'] {
  const apart: LeavesTask['apart'] = new Map()
  for (const { key, put } of edits) {
    const files = put?.payload.files
    if (files !== undefined) apart.set(key, { size: put!.size, files })
  }
  return apart
}

/** Port for set trees (files, references): keys with a size and no payload. */
export function setPort(objects: ObjectReader, writer: ObjectWriter): EditPort<null> {
  return {
    node: (hash) => objects.node(hash),
    payloads: async (_hash, leaf) => leaf.keys.map(() => null),
    leaf: (made) => writer.add('plain', made.hash, made.text, { replaces: made.replaces }),
    interior: (made) => writer.add('plain', made.hash, made.text, { replaces: made.replaces }),
  }
}
