/** Record differences between two views, by type, then id, for diffs and for deltas of manifests. */
import {
  compareUtf8,
  type DiffReader,
  diffTrees,
  emptyTree,
  type Hash,
  type Tree,
  type ViewRoots,
} from '@ulmus/content'
import { giveWay, type ObjectReader } from '@ulmus/storage'
import { type RecordPosition, typeTree } from '../../answers/places.ts'
import { countAnswer } from '../../budgets/answer-budget.ts'
import type { Context } from '../../context.ts'
import type { LeafChange } from '../../stored-leaves/changed-lines.ts'

/** A record that differs between two views. */
export interface RecordDifference extends LeafChange {
  type: string
}

/** Pairs of leaves compared on the calling thread: so few are done before a thread would answer. */
const pairsHere = 12

/**
 * Reader for one walk along the differences of record trees. If many leaves differ, threads compare them. Until a thread has
 * started, the calling thread does, unless lines are requested: decoding bodies would block it for longer.
 * @param owner owner in the fair queue for threads (`readerOf`)
 * @param options.lines true: differences found in threads include the lines of both sides
 */
export function differenceReader(
  { objects, work, leafPairs }: Pick<Context, 'objects' | 'work' | 'leafPairs'>,
  owner: string,
  { lines = false }: { lines?: boolean } = {},
): DiffReader<LeafChange> {
  let pairs = 0
  return {
    node: (hash) => objects.node(hash),
    prefetch: (leaves) => objects.prefetch(leaves),
    compareLeaves(before, after) {
      const pair = { before, after }
      if (leafPairs.isCached(pair) || (++pairs > pairsHere && (lines || work.hasReader())))
        return leafPairs.compare(pair, { owner, lines })
      return undefined
    },
  }
}

/** A type whose tree may differ between two views, and the id after which to begin. */
export interface TypePair {
  type: string
  before: Tree
  after: Tree
  startAfter?: string
}

/** Types of either view in order, from that of `beyond` on. A view that lacks a type has an empty tree for it. */
export function* typePairs(
  before: ViewRoots,
  after: ViewRoots,
  beyond: RecordPosition | undefined,
): Generator<TypePair> {
  const types = new Set([...Object.keys(before.types), ...Object.keys(after.types)])
  for (const type of [...types].sort(compareUtf8)) {
    const order = beyond === undefined ? 1 : compareUtf8(type, beyond.type)
    if (order < 0) continue
    const pair = {
      type,
      before: typeTree(before, type) ?? emptyTree,
      after: typeTree(after, type) ?? emptyTree,
    }
    yield order === 0 ? { ...pair, startAfter: beyond!.id } : pair
  }
}

/** Records that differ between `before` and `after`, beyond a position. The cost is about that of the differences. */
export async function* recordDifferences(
  reader: DiffReader<LeafChange>,
  before: ViewRoots,
  after: ViewRoots,
  beyond: RecordPosition | undefined,
): AsyncGenerator<RecordDifference> {
  for (const pair of typePairs(before, after, beyond)) {
    const changes = diffTrees(pair.before, pair.after, reader, { after: pair.startAfter })
    for await (const change of changes) yield { type: pair.type, ...change }
  }
}

/** Numbers of records that differ. */
export interface DifferenceTotals {
  added: number
  updated: number
  removed: number
}

/** Limit of a count, which keeps it within some tenths of a second. */
const countedMax = 100_000
/** Differences counted between two yields to the event loop. */
const countedAtOnce = 256

/** Counts added, updated and removed records. Null if more than `most` differ in types that both views have. */
export async function countDifferences(
  reader: DiffReader<LeafChange>,
  before: ViewRoots,
  after: ViewRoots,
  most = countedMax,
): Promise<DifferenceTotals | null> {
  const totals = { added: 0, updated: 0, removed: 0 }
  let counted = 0
  for (const pair of typePairs(before, after, undefined)) {
    if (pair.before.count === 0) totals.added += pair.after.count
    else if (pair.after.count === 0) totals.removed += pair.before.count
    else {
      for await (const change of diffTrees(pair.before, pair.after, reader)) {
        if (++counted > most) return null
        if (counted % countedAtOnce === 0) await giveWay()
        totals[change.before === undefined ? 'added' : change.after === undefined ? 'removed' : 'updated']++
      }
    }
  }
  return totals
}

/** Size of `sha256:…` in an answer. Bytes. */
export const fileNameBytes = 71

/** Files by which two views differ, as `sha256:…`, ascending. @throws busy. */
export async function fileDifferences(
  objects: ObjectReader,
  before: ViewRoots,
  after: ViewRoots,
): Promise<{ added: string[]; removed: string[] }> {
  const added: string[] = []
  const removed: string[] = []
  // No `prefetch`: it would look up bodies each time, which leaves of file trees do not have.
  const nodes = { node: (hash: Hash) => objects.node(hash) }
  for await (const change of diffTrees(before.files, after.files, nodes)) {
    countAnswer(fileNameBytes)
    const list = change.before === undefined ? added : removed
    list.push(`sha256:${change.key}`)
  }
  return { added, removed }
}
