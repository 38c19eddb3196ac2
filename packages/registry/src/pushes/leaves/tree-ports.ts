/** Node readers and writers for the edits of a commit. */
import {
  type Edit,
  type EditedElsewhere,
  type EditPort,
  type Hash,
  leafBodyOf,
  leafLines,
} from '@ulmus/content'
import { giveWay, type ObjectReader, type ObjectWriter } from '@ulmus/storage'
import { free } from '../../work/buffers.ts'
import type { Work } from '../../work/work.ts'
import { packEntries, type SpillEntry } from '../spills/frame.ts'
import { type EditedLeaves, editLeaves, type LeavesTask, type ReferringChange } from './edit-leaves.ts'
import { type LeafLine, mayRefer } from './line.ts'

export interface BuildIo {
  objects: ObjectReader
  writer: ObjectWriter
  work: Pick<Work, 'run'>
  /** Account that takes turns at the worker threads. */
  owner: string
}

/** Receives from the edit of a record tree how many records changed, and which changes may affect references to files. */
export interface ChangeNotes {
  count(changes: EditedLeaves['counts']): void
  /** Calls come one after the other. */
  referring(change: ReferringChange): void | Promise<void>
}

/**
 * Record trees: nodes and bodies, and large records beside them. Leaves are edited and encoded in worker threads.
 * @param options.isDense Edits fall into most leaves under a node into which one falls: these are looked up together.
 */
export function recordPort(
  { objects, writer, work, owner }: BuildIo,
  notes: ChangeNotes,
  { isDense }: { isDense: boolean },
): EditPort<LeafLine> {
  return {
    async node(hash) {
      const node = await objects.node(hash)
      if (isDense && node.kind === 'node' && node.level === 1) await objects.prefetch(node.children)
      return node
    },
    payloads: async (leaf: Hash) => leafLines(await objects.body(leaf)).map((bytes) => ({ bytes })),
    leaf: async ({ hash, text, payloads, replaces }) => {
      await writer.add('plain', hash, text, { replaces })
      await writer.add('body', hash, leafBodyOf(payloads.map((line) => line.bytes)), { replaces })
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
      // Keys that end no leaf for so long are rare: such ranges wait for one another.
      if (range.goesOn || !range.ends) return undefined
      const task = { range, edits: packEntries(edits.map(entryOf)), apart: apartIn(edits) }
      // They are copied, and the edits of a range have no other user.
      for (const { put } of edits) put?.payload.buffer?.release()
      return elsewhere(task)
    },
  }

  async function elsewhere(task: Omit<LeavesTask, 'encoded'>): Promise<EditedElsewhere> {
    const { leaves } = task.range
    const encoded = await Promise.all(leaves.map(({ hash }) => objects.encodedLeaf(hash)))
    await giveWay()
    const edited = await work.run(editLeaves, { ...task, encoded }, { owner })
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
      },
    }
  }
}

/** @throws Error for a line whose memory was given back: nothing is made of it. */
function entryOf({ key: id, put }: Edit<LeafLine>): SpillEntry {
  if (put === undefined) return { type: '', id }
  const { hash, payload } = put
  if (payload.files === undefined && payload.bytes.length === 0)
    throw new Error(`The line of ${JSON.stringify(id)} is empty.`)
  return { type: '', id, put: { hash, canonical: payload.bytes, private: false, refers: mayRefer(payload) } }
}

/** Data that lines lack if their records are objects of their own. */
function apartIn(edits: readonly Edit<LeafLine>[]): LeavesTask['apart'] {
  const apart: LeavesTask['apart'] = new Map()
  for (const { key, put } of edits) {
    const files = put?.payload.files
    if (files !== undefined) apart.set(key, { size: put!.size, files })
  }
  return apart
}

/** Set trees (files, references): keys with a size, nothing beside them. */
export function setPort(objects: ObjectReader, writer: ObjectWriter): EditPort<null> {
  return {
    node: (hash) => objects.node(hash),
    payloads: async (_hash, leaf) => leaf.keys.map(() => null),
    leaf: (made) => writer.add('plain', made.hash, made.text, { replaces: made.replaces }),
    interior: (made) => writer.add('plain', made.hash, made.text, { replaces: made.replaces }),
  }
}
