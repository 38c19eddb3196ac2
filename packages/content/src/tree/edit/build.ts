/**
 * Builds trees and digests from complete data. Clients verify a downloaded version with it; the registry edits trees instead (edit.ts) and
 * must get the same digests.
 */
import { compareUtf8, type Hash, hashText, parseHash } from '../../hash.ts'
import { canonicalize } from '../../json/canonical.ts'
import type { JsonObject } from '../../json/json.ts'
import { digestLabel, documentDigest, type TypeEntry, type ViewName } from '../../versions/document.ts'
import { emptyTree, noHash, type Tree, type TreeKind } from '../node.ts'
import { type EditPort, editTree } from './edit.ts'

/** An entry of a tree; for a record its id, hash and the size of its canonical form. */
export interface TreeEntry {
  readonly key: string
  readonly hash: Hash
  /** Bytes. */
  readonly size: number
}

const nothingToRead = () => Promise.reject(new Error('a tree built from nothing reads nothing'))
const forget = () => undefined
const building: EditPort<null> = {
  node: nothingToRead,
  payloads: nothingToRead,
  leaf: forget,
  interior: forget,
}

/** Builds the tree of the given entries, in any order, without keeping its nodes. @param kind default: `records` */
export function treeOf(entries: Iterable<TreeEntry>, kind: TreeKind = 'records'): Promise<Tree> {
  return treeOfBatches([Array.from(entries).sort((a, b) => compareUtf8(a.key, b.key))], kind)
}

/**
 * Builds the tree of streamed entries: across all batches, keys ascend strictly by their UTF-8 bytes. Keeps one batch and the
 * unfinished nodes in memory. @param kind default: `records` @throws TreeError for keys out of order
 */
export function treeOfBatches(
  batches: Iterable<TreeEntry[]> | AsyncIterable<TreeEntry[]>,
  kind: TreeKind = 'records',
): Promise<Tree> {
  return editTree(emptyTree, editsOf(batches), building, { kind })
}

async function* editsOf(batches: Iterable<TreeEntry[]> | AsyncIterable<TreeEntry[]>) {
  for await (const batch of batches) {
    yield batch.map(({ key, hash, size }) => ({ key, put: { hash, size, payload: null } }))
  }
}

/** One view of a version, complete. */
export interface VersionParts {
  /** In any order. `size`: bytes of the canonical form. */
  readonly records: Iterable<{
    readonly id: string
    readonly type: string
    readonly hash: Hash
    readonly size: number
  }>
  /** JSON Schemas by type. */
  readonly schemas: Readonly<Record<string, JsonObject>>
  readonly metadata: JsonObject
  /** `hash`: `sha256:<hex>`. In any order. */
  readonly files: Iterable<{ readonly hash: string; readonly size: number }>
}

/** Digest of one view of a version, with its prefix (content-model §5, §7). @throws TypeError for an invalid file hash */
export async function versionDigest(view: ViewName, parts: VersionParts): Promise<string> {
  const byType = new Map<string, TreeEntry[]>(Object.keys(parts.schemas).map((type) => [type, []]))
  for (const { type, id, hash, size } of parts.records) byType.get(type)?.push({ key: id, hash, size })
  const trees = new Map<string, Tree>()
  for (const [type, entries] of byType) trees.set(type, await treeOf(entries))
  return digestOfTrees(view, { ...parts, trees })
}

/** One view of a version, with its records as trees. `trees`: by type; a type without one has no records. */
export interface VersionTrees extends Omit<VersionParts, 'records'> {
  readonly trees: ReadonlyMap<string, Tree>
}

/** Like `versionDigest`, for trees that are built already. @throws TypeError for an invalid file hash */
export async function digestOfTrees(view: ViewName, parts: VersionTrees): Promise<string> {
  const types = Object.entries(parts.schemas).map(([type, schema]): [string, TypeEntry] => [
    type,
    { schema: hashText(canonicalize(schema)), ...(parts.trees.get(type) ?? emptyTree) },
  ])
  const files = Array.from(parts.files, ({ hash, size }) => ({ key: bareHash(hash), hash: noHash, size }))
  const document = {
    files: await treeOf(files, 'set'),
    metadata: parts.metadata,
    types: Object.fromEntries(types),
  }
  return digestLabel(view, documentDigest(document))
}

function bareHash(name: string): Hash {
  const hash = parseHash(name.replace(/^sha256:/, ''))
  if (hash === undefined) throw new TypeError(`\`${name}\` names no file.`)
  return hash
}
