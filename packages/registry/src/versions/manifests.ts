/** Manifests: the content of a version by hash (http-api §7), for clients that compare it with theirs. */

import {
  compareUtf8,
  diffTrees,
  emptyTree,
  type Hash,
  type Tree,
  type TreeChange,
  type ViewRoots,
  walkLeaves,
} from '@ulmus/content'
import { LeafCursor } from '@ulmus/content/stored'
import type { VersionRow } from '@ulmus/storage'
import type { ListedRecord, Manifest, VersionPath } from '@ulmus/wire'
import { findVisibleCollection } from '../access/find-collection.ts'
import type { View } from '../access/policy.ts'
import {
  PageBudget,
  type RecordPosition,
  readCursor,
  treesFrom,
  typeTree,
  writeCursor,
} from '../answers/places.ts'
import { countAnswer, readerOf } from '../budgets/answer-budget.ts'
import type { Context } from '../context.ts'
import type { Principal } from '../principal.ts'
import { digestOfView, rootsOf, semverOf, storedHash } from './content.ts'
import { differenceReader, fileNameBytes, type TypePair, typePairs } from './differences/changes.ts'
import { readSidecar } from './sidecar.ts'
import { type VisibleVersion, versionIn } from './versions.ts'

export interface ManifestAsk {
  /** A version that the caller has: the answer has only the changes since. */
  since?: string
  /** `nextCursor` of a page, or base64url of JCS([type, id]). */
  cursor?: string
  /** 1 – 10,000. A page of long ids has fewer. */
  limit: number
}

type ManifestDelta = NonNullable<Manifest['delta']>

/** Approximate size of an entry without its id. Bytes. */
const entryBytes = 128
/** Size limit of a page's entries, which are serialized without yielding to the event loop. Bytes. */
const pageEntriesBytesMax = 2_097_152

export type Manifests = ReturnType<typeof manifestsOf>

export function manifestsOf(context: Context) {
  return {
    /** @throws collection_not_found, version_not_found, invalid_request for a malformed cursor, busy. */
    async page(who: Principal, path: VersionPath, ask: ManifestAsk): Promise<Manifest> {
      const seen = await findVisibleCollection(context, who, path)
      const requested = await versionIn(context, seen, path.v)
      const known = ask.since === undefined ? undefined : await versionIn(context, seen, ask.since)
      const beyond = ask.cursor === undefined ? undefined : readCursor(ask.cursor, 'cursor')
      const { nextCursor, ...entries } =
        known === undefined
          ? await recordsPage(context, requested, beyond, ask.limit)
          : await deltaPage(context, { known, requested, reader: readerOf(who) }, beyond, ask.limit)
      const schemas = Object.entries(requested.roots.types).map(([type, { schema }]) => [type, schema])
      return {
        semver: semverOf(requested.version),
        hash: digestOfView(requested.version, seen.view),
        schemas: Object.fromEntries(schemas),
        ...(known !== undefined && { since: semverOf(known.version) }),
        ...entries,
        ...(beyond === undefined && { files: await filesOf(context, requested.roots) }),
        pagination: { limit: ask.limit, hasMore: nextCursor !== null, nextCursor },
      }
    },
  }
}

async function recordsPage(
  context: Context,
  { seen, version, roots }: VisibleVersion,
  beyond: RecordPosition | undefined,
  limit: number,
) {
  const shadowOf = await shadowsOf(context, version, seen.view)
  const budget = new PageBudget(limit, pageEntriesBytesMax)
  const records: ListedRecord[] = []
  for (const { type, tree, startAfter } of treesFrom(roots, undefined, beyond)) {
    const hiddenTree = shadowOf(type) ?? tree
    const shown = hiddenTree.root === tree.root ? undefined : new LeafCursor(context.objects, hiddenTree)
    for await (const { leaf, start } of walkLeaves(tree, context.objects, { after: startAfter })) {
      for (let index = start; index < leaf.keys.length; index++) {
        const id = leaf.keys[index]!
        if (!budget.take(entryBytes + id.length)) return { records, nextCursor: writeCursor(records.at(-1)!) }
        countAnswer(entryBytes + id.length)
        const hidden = shown !== undefined && (await shown.find(id)) === undefined
        records.push(entryOf(type, id, leaf.hashes[index]!, hidden))
      }
    }
  }
  return { records, nextCursor: null }
}

async function deltaPage(
  context: Context,
  { known, requested, reader }: { known: VisibleVersion; requested: VisibleVersion; reader: string },
  beyond: RecordPosition | undefined,
  limit: number,
) {
  const delta: ManifestDelta = { added: [], updated: [], removed: [] }
  const hiddenTrees = {
    before: await shadowsOf(context, known.version, known.seen.view),
    after: await shadowsOf(context, requested.version, requested.seen.view),
  }
  const budget = new PageBudget(limit, pageEntriesBytesMax)
  let last: RecordPosition | undefined
  for (const pair of typePairs(known.roots, requested.roots, beyond)) {
    const before = hiddenTrees.before(pair.type) ?? pair.before
    const after = hiddenTrees.after(pair.type) ?? pair.after
    for await (const { id, was, is } of changedEntries(context, pair, { before, after }, reader)) {
      if (!budget.take(entryBytes + id.length)) return { delta, nextCursor: writeCursor(last!) }
      last = { type: pair.type, id }
      countAnswer(entryBytes + id.length)
      if (is === undefined) delta.removed.push({ ...last, hash: was!.hash })
      else (was === undefined ? delta.added : delta.updated).push(entryOf(pair.type, id, is.hash, is.hidden))
    }
  }
  return { delta, nextCursor: null }
}

interface EntryState {
  hash: Hash
  /** True: the record was pushed as private. */
  hidden: boolean
}

/** Changes of a type in the caller's view, including changes of privacy if its records can be private. */
async function* changedEntries(
  context: Context,
  pair: TypePair,
  hiddenTrees: { before: Tree; after: Tree },
  reader: string,
): AsyncGenerator<{ id: string; was: EntryState | undefined; is: EntryState | undefined }> {
  const from = { after: pair.startAfter }
  const full = diffTrees(pair.before, pair.after, differenceReader(context, reader), from)
  if (hiddenTrees.before.root === pair.before.root && hiddenTrees.after.root === pair.after.root) {
    for await (const { key, before, after } of full) {
      yield { id: key, was: openEntry(before), is: openEntry(after) }
    }
    return
  }
  const shown = {
    before: new LeafCursor(context.objects, hiddenTrees.before),
    after: new LeafCursor(context.objects, hiddenTrees.after),
  }
  const current = new LeafCursor(context.objects, pair.after)
  const hiddenTree = diffTrees(hiddenTrees.before, hiddenTrees.after, differenceReader(context, reader), from)
  for await (const { key: id, first } of joined(full, hiddenTree)) {
    const wasHidden = (await shown.before.find(id)) === undefined
    const isHidden = (await shown.after.find(id)) === undefined
    if (first === undefined && wasHidden === isHidden) continue
    const unchanged = first === undefined ? await current.find(id) : undefined
    const before = first === undefined ? unchanged : first.before
    const after = first === undefined ? unchanged : first.after
    yield {
      id,
      was: before && { hash: before.hash, hidden: wasHidden },
      is: after && { hash: after.hash, hidden: isHidden },
    }
  }
}

/**
 * Public trees of a version's types, for its full view: a record that is missing there is private. Undefined in the public view,
 * where nothing is private.
 */
async function shadowsOf(
  context: Context,
  version: VersionRow,
  view: View,
): Promise<(type: string) => Tree | undefined> {
  if (view !== 'full') return () => undefined
  const publicRoots = await rootsOf(context, version, 'public')
  const { hiddenTrees } = await readSidecar(context.objects, storedHash(version.sidecar))
  return (type) =>
    typeTree(publicRoots, type) ?? (Object.hasOwn(hiddenTrees, type) ? hiddenTrees[type] : emptyTree)
}

async function filesOf(context: Context, roots: ViewRoots): Promise<string[]> {
  countAnswer(roots.files.count * fileNameBytes)
  const files: string[] = []
  for await (const { leaf } of walkLeaves(roots.files, context.objects)) {
    for (const hash of leaf.keys) files.push(`sha256:${hash}`)
  }
  return files
}

const openEntry = (entry: { hash: Hash } | undefined) => entry && { hash: entry.hash, hidden: false }

const entryOf = (type: string, id: string, hash: Hash, hidden: boolean): ListedRecord =>
  hidden ? { id, type, hash, private: true } : { id, type, hash }

/** Keys of two streams in order, each once, with the entry of the first. */
async function* joined(
  first: AsyncGenerator<TreeChange, void>,
  second: AsyncGenerator<TreeChange, void>,
): AsyncGenerator<{ key: string; first: TreeChange | undefined }> {
  const next = async (stream: AsyncGenerator<TreeChange, void>) => (await stream.next()).value ?? undefined
  try {
    let a = await next(first)
    let b = await next(second)
    while (a !== undefined || b !== undefined) {
      const order = a === undefined ? 1 : b === undefined ? -1 : compareUtf8(a.key, b.key)
      yield { key: (order > 0 ? b! : a!).key, first: order > 0 ? undefined : a }
      if (order <= 0) a = await next(first)
      if (order >= 0) b = await next(second)
    }
  } finally {
    await Promise.all([first.return(undefined), second.return(undefined)])
  }
}
