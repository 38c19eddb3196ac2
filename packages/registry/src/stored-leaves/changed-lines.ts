/** Reads the lines of changed records from the stored bodies of two leaves: a task for a reading thread, which decodes them there. */
import { isLeafLineOf, leafLineLength, type TreeChange } from '@ulmus/content'
import type { EncodedObject } from '@ulmus/storage'
import { decodeChainInParts, ObjectCorruptError, type RawParts } from '@ulmus/storage/decoding'
import { free, freeParts, wholeBuffers } from '../work/buffers.ts'
import { defineTask } from '../work/task.ts'
import type { LineChange, LineLocated } from './compare-leaves.ts'

/** A record that differs, with the lines of both bodies if requested. */
export interface LeafChange extends TreeChange {
  lines?: { before: Uint8Array | undefined; after: Uint8Array | undefined }
}

type WantedLine = Pick<LineLocated, 'hash' | 'size' | 'lineStart'>

export interface LinesTask {
  before: EncodedObject
  after: EncodedObject
  /** Lines of either body. */
  wanted: { before: WantedLine[]; after: WantedLine[] }
}

/** Returns the lines end to end, those of `before` first: a message of many small arrays takes longer. */
export const changedLines = defineTask({
  name: 'changedLines',
  pool: 'read',
  run: read,
  moves: ({ before, after }) => wholeBuffers([{ node: before }, { node: after }]),
  returns: (lines) => [lines.buffer],
})

export const wantedLines = (changes: readonly LineChange[]): LinesTask['wanted'] => ({
  before: changes.flatMap(({ before }) => (before === undefined ? [] : wantedOf(before))),
  after: changes.flatMap(({ after }) => (after === undefined ? [] : wantedOf(after))),
})

const wantedOf = ({ hash, size, lineStart }: LineLocated): WantedLine => ({ hash, size, lineStart })

/** Adds the lines that the task returned. */
export function withLines<Change extends TreeChange>(
  changes: readonly Change[],
  lines: Uint8Array,
): (Change & LeafChange)[] {
  let at = 0
  const next = (entry: { size: number } | undefined): Uint8Array | undefined => {
    if (entry === undefined) return undefined
    const start = at
    at += leafLineLength(entry.size)
    return lines.subarray(start, at)
  }
  const former = changes.map(({ before }) => next(before))
  return changes.map((change, index) => ({
    ...change,
    lines: { before: former[index], after: next(change.after) },
  }))
}

function read({ before, after, wanted }: LinesTask): Uint8Array<ArrayBuffer> {
  const [whole, base] = before.chain.length > after.chain.length ? [before, after] : [after, before]
  const raws = decodeChainInParts(whole)
  // Often one is stored as a delta against the other.
  const link = whole.chain.findIndex(({ hash }) => hash === base.hash)
  const others = link > 0 ? raws.slice(link) : decodeChainInParts(base)
  const [old, next] = whole === after ? [others[0]!, raws[0]!] : [raws[0]!, others[0]!]
  const lines = Buffer.concat([
    ...wanted.before.map((line) => checkedLine(before, old, line)),
    ...wanted.after.map((line) => checkedLine(after, next, line)),
  ])
  freeParts([...raws, ...others])
  for (const { bytes } of [...before.chain, ...after.chain]) free(bytes)
  // Buffers of Node's pool cannot be transferred.
  return new Uint8Array(lines)
}

/**
 * A line of a body, verified against the record's hash. Hashing a few lines takes a fraction of the time for the whole body.
 * @throws ObjectCorruptError.
 */
export function checkedLine(body: EncodedObject, raw: RawParts, wanted: WantedLine): Uint8Array {
  const line = raw.subarray(wanted.lineStart, wanted.lineStart + leafLineLength(wanted.size))
  if (!isLeafLineOf(line, wanted)) throw new ObjectCorruptError('body', body.hash, body.chain[0]!.pack)
  return line
}
