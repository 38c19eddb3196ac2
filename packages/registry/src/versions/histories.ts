/** History of a record: the versions in which it changed (http-api §7), in the caller's view. */

import { emptyTree, findEntry, type Hash, idFault, parseSemver, type Tree, typeFault } from '@ulmus/content'
import { listVersions, type VersionRow } from '@ulmus/storage'
import type { HistoryItem } from '@ulmus/wire'
import { findVisibleCollection, type VisibleCollection } from '../access/find-collection.ts'
import {
  mapPage,
  type Page,
  type PageAsk,
  type PageOrder,
  type PageSlice,
  pageOf,
  type Stopped,
} from '../answers/pages.ts'
import { type RecordPosition, typeTree } from '../answers/places.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import { rootsOf, semverOf } from './content.ts'

/** Versions read in one query. */
const versionsAtOnce = 100
/** Versions visited for one page; the next page continues. */
const versionsMax = 300
/** Versions whose roots are read concurrently. Only the part about one type is kept. */
const rootsAtOnce = 8

const newestFirst: PageOrder = {
  name: 'history',
  read: (text) => (parseSemver(text) === undefined ? undefined : text),
}

interface Change {
  version: VersionRow
  change: HistoryItem['change']
  hash: Hash
}

export type Histories = ReturnType<typeof historiesOf>

export function historiesOf(context: Context) {
  return {
    /**
     * Lists the changes, newest first. For a version that did not change the record's type, it reads only the roots; for one that
     * changed only metadata, less. A page ends after `versionsMax` versions, with fewer items than requested, perhaps none, and a
     * link to the next.
     * @throws collection_not_found; record_not_found if no version has had the record in the caller's view, or none can;
     * invalid_request for an offset beyond the versions that one answer visits.
     */
    async list(
      who: Principal,
      path: { owner: string; slug: string } & RecordPosition,
      ask: PageAsk,
    ): Promise<Page<HistoryItem>> {
      const seen = await findVisibleCollection(context, who, path)
      // Check this on every page: no version needs to be read.
      if (idFault(path.id) !== undefined || typeFault(path.type) !== undefined) throw notFound(path)
      const page = await pageOf(
        ask,
        newestFirst,
        (slice) => readSlice(context, seen, path, slice),
        ({ version }) => placeOf(version),
      )
      const isWhole = ask.cursor === undefined && (ask.offset ?? 0) === 0
      if (page.items.length === 0 && isWhole && page.links.next === undefined) {
        throw notFound(path)
      }
      return mapPage(page, ({ version, change, hash }) => ({
        semver: semverOf(version),
        change,
        hash,
        createdAt: instantText(version.createdAt),
      }))
    },
  }
}

const notFound = ({ type, id }: RecordPosition) =>
  new RegistryError('record_not_found', { say: { type, id } })

async function readSlice(
  context: Context,
  seen: VisibleCollection,
  place: RecordPosition,
  slice: PageSlice,
): Promise<Change[] | Stopped<Change>> {
  const found: Change[] = []
  let passed = 0
  let looked = 0
  for await (const [read, base] of successions(context, seen, place.type, slice)) {
    const change = await changeIn(context, place, read, base)
    if (change !== undefined && passed++ >= slice.offset) found.push(change)
    if (found.length === slice.limit) break
    if (++looked < versionsMax) continue
    if (passed < slice.offset) throw tooFar()
    return { rows: found, at: placeOf(read.version) }
  }
  return found
}

/** A version and its tree of the record's type. */
interface Read {
  version: VersionRow
  tree: Tree
}

/** Versions beyond a position, in the slice's direction, each with its predecessor. */
async function* successions(
  context: Context,
  seen: VisibleCollection,
  type: string,
  slice: PageSlice,
): AsyncGenerator<[version: Read, base: Read | undefined]> {
  let last: Read | undefined
  for await (const one of versionsBeyond(context, seen, type, slice)) {
    if (slice.backwards) yield [one, last ?? (await versionBefore(context, seen, type, one))]
    else if (last !== undefined) yield [last, one]
    last = one
  }
  if (!slice.backwards && last !== undefined) yield [last, undefined]
}

async function* versionsBeyond(
  context: Context,
  seen: VisibleCollection,
  type: string,
  { beyond, backwards }: Pick<PageSlice, 'beyond' | 'backwards'>,
): AsyncGenerator<Read> {
  let place = beyond && parseSemver(String(beyond.value))
  for (;;) {
    const rows = await listVersions(context.database, seen.collection.id, {
      limit: versionsAtOnce,
      offset: 0,
      beyond: place,
      backwards,
    })
    const trees = new Map<string, Promise<Tree>>()
    const readable = rows.filter(({ withdrawnAt }) => withdrawnAt === null)
    for (let i = 0; i < readable.length; i += rootsAtOnce) {
      const some = readable.slice(i, i + rootsAtOnce)
      yield* await Promise.all(some.map((version) => read(context, seen, type, version, trees)))
    }
    if (rows.length < versionsAtOnce) return
    place = rows.at(-1)
  }
}

const placeOf = (version: VersionRow) => ({ value: semverOf(version), id: version.id })

async function versionBefore(
  context: Context,
  seen: VisibleCollection,
  type: string,
  { version }: Read,
): Promise<Read | undefined> {
  for await (const older of versionsBeyond(context, seen, type, {
    beyond: placeOf(version),
    backwards: false,
  }))
    return older
  return undefined
}

/** @param trees by sidecar: versions that differ only in metadata share one */
async function read(
  context: Context,
  seen: VisibleCollection,
  type: string,
  version: VersionRow,
  trees = new Map<string, Promise<Tree>>(),
): Promise<Read> {
  let tree = trees.get(version.sidecar)
  if (tree === undefined) {
    tree = rootsOf(context, version, seen.view).then((roots) => typeTree(roots, type) ?? emptyTree)
    trees.set(version.sidecar, tree)
  }
  return { version, tree: await tree }
}

async function changeIn(
  context: Context,
  { id }: RecordPosition,
  { version, tree }: Read,
  base: Read | undefined,
) {
  const baseTree = base?.tree ?? emptyTree
  if (tree.root === baseTree.root) return undefined
  const is = await findEntry(tree, id, context.objects)
  const was = await findEntry(baseTree, id, context.objects)
  return changeOf(version, was?.hash, is?.hash)
}

function tooFar(): RegistryError {
  const message = `passes over more than ${versionsMax} versions; follow the \`Link\` headers instead`
  return new RegistryError('invalid_request', { details: { issues: [{ path: 'offset', message }] } })
}

function changeOf(version: VersionRow, was: Hash | undefined, is: Hash | undefined): Change | undefined {
  if (was === is) return undefined
  if (is === undefined) return { version, change: 'removed', hash: was! }
  return { version, change: was === undefined ? 'added' : 'updated', hash: is }
}
