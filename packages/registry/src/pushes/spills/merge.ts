/** Merges sorted spills into one sorted stream. Of several entries with one (type, id), only the one in the latest spill counts. */
import { giveWay } from '@ulmus/storage'
import { compareEntries, EntryBatch, type PushEntry } from './entries.ts'

/** Spills read concurrently: each has a frame and its read-ahead in memory, half a megabyte. */
export const spillsAtOnceMax = 128

/**
 * Groups of adjacent spills to merge into one each, so that few enough remain to be read concurrently. Begins with the first and
 * merges no more than needed. If there are very many, call it again with the result.
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

/** Called for every entry replaced by one of a later spill. May throw. */
export type Superseded = (entry: PushEntry, by: PushEntry) => void

/** Frames of a spill, one in memory at a time; each entry must be finished before the next is requested. */
type Frames = AsyncGenerator<Iterable<PushEntry>>

/** Reading position in a spill, and the spill's age. */
interface Cursor {
  readonly frames: Frames
  /** Of several entries with one (type, id), that of the highest sequence counts. */
  readonly sequence: number
  rest: Iterator<PushEntry>
  entry: PushEntry
}

/**
 * Merges spills, given in order of arrival, with one frame of each in memory. Batches are not empty and of one type each;
 * together they ascend strictly by (type, id). Closes the spills when the merge ends or is abandoned. Yields to the event loop
 * between batches and frames.
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
    // For equal keys, the heap returns the latest spill first: the following entries are superseded.
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

/** The next frame with an entry, at its first entry; undefined at the end of the spill. */
async function nextFrame(frames: Frames): Promise<Pick<Cursor, 'entry' | 'rest'> | undefined> {
  for (;;) {
    const frame = await frames.next()
    if (frame.done) return undefined
    // Frames of similar spills end at the same time, and decoding each next one takes a millisecond.
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
