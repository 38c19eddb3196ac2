/** Many sorted spills into one sorted stream, of the same (type, id) the entry of the latest spill alone. */
import { giveWay } from '@ulmus/storage'
import { compareEntries, EntryBatch, type PushEntry } from './entries.ts'

/** Runs read side by side: each has a frame and its read-ahead in memory, half a megabyte. */
export const spillsAtOnceMax = 128

/**
 * Neighbours to merge into one spill each, so that few enough are left to be read at once: from the first on, and no more than that
 * takes. Of very many, what comes of it is to be asked about again.
 */
export function groupsToMerge<Run>(spills: readonly Run[], most = spillsAtOnceMax): Run[][] {
  const groups: Run[][] = []
  let left = spills.length
  for (let at = 0; left > most && at < spills.length - 1; ) {
    const group = spills.slice(at, at + Math.min(most, left - most + 1))
    groups.push(group)
    at += group.length
    left -= group.length - 1
  }
  return groups
}

/** Called for every entry that one of a later spill replaces. May throw. */
export type Superseded = (entry: PushEntry, by: PushEntry) => void

/** Frames of a spill, one in memory at a time; each entry must be finished before the next is requested. */
type Frames = AsyncGenerator<Iterable<PushEntry>>

/** A spill being read: its position and its age. */
interface Cursor {
  readonly frames: Frames
  /** Of the same (type, id) the higher one counts. */
  readonly sequence: number
  rest: Iterator<PushEntry>
  entry: PushEntry
}

/**
 * Merges spills, given in the order in which they arrived, holding one frame of each. Batches hold entries of one type only and
 * are not empty; together they ascend strictly by (type, id). The spills are closed when the merge ends or is abandoned.
 * Gives way between batches and frames.
 */
export async function* mergeSpills(
  spills: readonly Frames[],
  superseded?: Superseded,
): AsyncGenerator<PushEntry[]> {
  const heap: Cursor[] = []
  try {
    for (const [sequence, frames] of spills.entries()) {
      const begun = await nextFrame(frames)
      if (begun !== undefined) pushUp(heap, { frames, sequence, ...begun })
    }
    yield* mergedBatches(heap, superseded)
  } finally {
    await Promise.all(spills.map((frames) => frames.return(undefined)))
  }
}

async function* mergedBatches(heap: Cursor[], superseded?: Superseded): AsyncGenerator<PushEntry[]> {
  const batch = new EntryBatch()
  let last: PushEntry | undefined
  while (heap.length > 0) {
    const top = heap[0]!
    const { entry } = top
    // Of equal keys the heap gives the latest spill first: the ones that follow are superseded.
    if (last === undefined || compareEntries(last, entry) !== 0) {
      if (batch.isFull || (last !== undefined && last.type !== entry.type)) {
        yield batch.take()
        await giveWay()
      }
      batch.add(entry)
      last = entry
    } else superseded?.(entry, last)
    const next = top.rest.next()
    if (next.done !== true) top.entry = next.value
    else {
      const begun = await nextFrame(top.frames)
      if (begun !== undefined) Object.assign(top, begun)
      else {
        const tail = heap.pop()!
        if (heap.length === 0) break
        heap[0] = tail
      }
    }
    sinkDown(heap)
  }
  if (!batch.isEmpty) yield batch.take()
}

/** The next frame that holds an entry, begun; undefined at the end of the spill. */
async function nextFrame(frames: Frames): Promise<Pick<Cursor, 'entry' | 'rest'> | undefined> {
  for (;;) {
    const frame = await frames.next()
    if (frame.done) return undefined
    // Frames of spills that resemble each other end together: decoding the next ones takes a millisecond each.
    await giveWay()
    const rest = frame.value[Symbol.iterator]()
    const first = rest.next()
    if (first.done !== true) return { entry: first.value, rest }
  }
}

function before(a: Cursor, b: Cursor): boolean {
  const order = compareEntries(a.entry, b.entry)
  return order === 0 ? a.sequence > b.sequence : order < 0
}

function pushUp(heap: Cursor[], cursor: Cursor): void {
  let at = heap.push(cursor) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!before(heap[at]!, heap[parent]!)) return
    swap(heap, at, parent)
    at = parent
  }
}

function sinkDown(heap: Cursor[]): void {
  let at = 0
  for (;;) {
    let least = at
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && before(heap[child]!, heap[least]!)) least = child
    }
    if (least === at) return
    swap(heap, at, least)
    at = least
  }
}

function swap(heap: Cursor[], a: number, b: number): void {
  const moved = heap[a]!
  heap[a] = heap[b]!
  heap[b] = moved
}
