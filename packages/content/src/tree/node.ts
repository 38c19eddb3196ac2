/**
 * Tree nodes and their encoding (content-model §5): a leaf is `{"e":[[key,hash,size],…],"t":"leaf"}` (`[key,size]` in a
 * set), an interior node `{"e":[[lastKey,childHash,count,bytes],…],"l":level,"t":"node"}`, both JCS. A node's hash is the
 * hash of that text, so every node has exactly one text: decoding refuses any other.
 */
import { compareUtf8, type Hash, parseHash } from '../hash.ts'
import type { Json } from '../json/json.ts'
import { parseJson } from '../json/parse.ts'
import { defaultShape } from './boundary.ts'
import { TreeError } from './tree-error.ts'

/** Kind of a tree, by the entries of its leaves: `[key, hash, size]` (records) or `[key, size]` (set). */
export type TreeKind = 'records' | 'set'

/** Reference to a tree in a document: its root, its number of entries, the sum of their sizes in bytes. */
export interface Tree {
  root: Hash | null
  count: number
  bytes: number
}

/** The tree without entries, which has no node. */
export const emptyTree: Tree = Object.freeze({ root: null, count: 0, bytes: 0 })

/** Entries in key order, in parallel arrays. `hashes` is empty if `tree` is 'set'. Has at least one entry. */
export interface LeafNode {
  kind: 'leaf'
  tree: TreeKind
  keys: string[]
  hashes: Hash[]
  sizes: number[]
}

/** Nodes of the level below in key order, in parallel arrays: each one's last key, hash, and the number and bytes of its entries. */
export interface InteriorNode {
  kind: 'node'
  /** 1 above leaves, one more per higher level. */
  level: number
  lastKeys: string[]
  children: Hash[]
  counts: number[]
  bytes: number[]
}

/** Any node of a tree. */
export type TreeNode = LeafNode | InteriorNode

/** A parent's entry for a node. `count` and `bytes` are totals of all entries below it. */
export interface Child {
  hash: Hash
  lastKey: string
  count: number
  bytes: number
}

/** A parent's entry for its child at `i`. */
export const childAt = ({ children, lastKeys, counts, bytes }: InteriorNode, i: number): Child => ({
  hash: children[i]!,
  lastKey: lastKeys[i]!,
  count: counts[i]!,
  bytes: bytes[i]!,
})

/** Placeholder for an entry's hash in a set, whose entries have only keys. */
export const noHash = '' as Hash

/** Level of a node: 0 for leaves. */
export function levelOf(node: TreeNode): number {
  return node.kind === 'leaf' ? 0 : node.level
}

/** Keys for searching a node: the entries' own, or the last one below each child. */
export function keysOf(node: TreeNode): string[] {
  return node.kind === 'leaf' ? node.keys : node.lastKeys
}

/** Index of the first of the ascending `keys` that is ≥ `key`; `keys.length` if there is none. */
export function firstAtLeast(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareUtf8(keys[middle]!, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Index of the first of the ascending `keys` that is > `key`; `keys.length` if there is none. */
export function firstAfter(keys: readonly string[], key: string): number {
  const index = firstAtLeast(keys, key)
  return keys[index] === key ? index + 1 : index
}

/** The JCS text of a node, whose UTF-8 bytes are stored and hashed. Keys must be well-formed strings. */
export function encodeNode(node: TreeNode): string {
  let text = '{"e":['
  if (node.kind === 'node') {
    const { lastKeys, children, counts, bytes } = node
    for (let i = 0; i < lastKeys.length; i++) {
      text += `${i === 0 ? '[' : ',['}${JSON.stringify(lastKeys[i])},"${children[i]}",${counts[i]},${bytes[i]}]`
    }
    return `${text}],"l":${node.level},"t":"node"}`
  }
  const { keys, hashes, sizes } = node
  for (let i = 0; i < keys.length; i++) {
    // JSON.stringify writes a well-formed string as JCS does: RFC 8785 §3.2.2.2 adopted ECMAScript's rules.
    const key = JSON.stringify(keys[i])
    const hash = node.tree === 'set' ? '' : `"${hashes[i]}",`
    text += `${i === 0 ? '[' : ',['}${key},${hash}${sizes[i]}]`
  }
  return `${text}],"t":"leaf"}`
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a node. Does not check the hash of `bytes`: the reader must.
 * @throws TreeError `node_malformed` for all bytes that `encodeNode` would not write for a node of 1–8,192 entries or
 * 1–1,024 children, with ascending well-formed keys, hashes of 64 hexadecimal digits, counts ≥ 1 and sizes ≥ 0, all
 * numbers and their sums safe integers.
 */
export function decodeNode(bytes: Uint8Array): TreeNode {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw malformed('it is not UTF-8')
  }
  return decodeNodeText(text)
}

/** Like `decodeNode`, for bytes already decoded to text. */
export function decodeNodeText(text: string): TreeNode {
  let value: Json
  try {
    value = parseJson(text) as Json
  } catch {
    throw malformed('it is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('it is no object')
  const rows = value['e']
  if (!Array.isArray(rows) || rows.length === 0) throw malformed('it has no entries')
  const node = value['t'] === 'leaf' ? leafOf(rows) : interiorOf(rows, value['l'])
  checkAscending(keysOf(node))
  // Detects the faults that the fields do not: other members, spaces, escapes, number forms and the `t` of an interior node.
  if (encodeNode(node) !== text) throw malformed('it is not in canonical form')
  return node
}

function leafOf(rows: Json[]): LeafNode {
  const isSet = Array.isArray(rows[0]) && rows[0].length === 2
  const leaf: LeafNode = { kind: 'leaf', tree: isSet ? 'set' : 'records', keys: [], hashes: [], sizes: [] }
  if (rows.length > defaultShape.leafEntriesMax) throw malformed(`it has ${rows.length} entries`)
  let total = 0
  for (const row of rows) {
    if (!Array.isArray(row) || row.length !== (isSet ? 2 : 3)) throw malformed('an entry has another form')
    leaf.keys.push(keyOf(row[0]))
    if (!isSet) leaf.hashes.push(hashOf(row[1]))
    const size = integerOf(row[row.length - 1], 0)
    leaf.sizes.push(size)
    total += size
  }
  integerOf(total, 0)
  return leaf
}

function interiorOf(rows: Json[], level: Json | undefined): InteriorNode {
  const node: InteriorNode = {
    kind: 'node',
    level: integerOf(level, 1),
    lastKeys: [],
    children: [],
    counts: [],
    bytes: [],
  }
  if (rows.length > defaultShape.childrenMax) throw malformed(`it has ${rows.length} children`)
  let entries = 0
  let total = 0
  for (const row of rows) {
    if (!Array.isArray(row) || row.length !== 4) throw malformed('a child has another form')
    node.lastKeys.push(keyOf(row[0]))
    node.children.push(hashOf(row[1]))
    const count = integerOf(row[2], 1)
    const bytes = integerOf(row[3], 0)
    node.counts.push(count)
    node.bytes.push(bytes)
    entries += count
    total += bytes
  }
  integerOf(entries, 1)
  integerOf(total, 0)
  return node
}

function keyOf(value: Json | undefined): string {
  if (typeof value !== 'string') throw malformed('a key is no string')
  if (!value.isWellFormed()) throw malformed('a key holds a lone surrogate')
  return value
}

function hashOf(value: Json | undefined): Hash {
  const hash = typeof value === 'string' ? parseHash(value) : undefined
  if (hash === undefined) throw malformed('a hash is not 64 lowercase hexadecimal digits')
  return hash
}

function integerOf(value: Json | undefined, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  throw malformed(`a level, count or size, or their sum, is no safe integer of at least ${least}`)
}

function checkAscending(keys: string[]): void {
  for (let i = 1; i < keys.length; i++) {
    if (compareUtf8(keys[i - 1]!, keys[i]!) >= 0) throw malformed('its keys do not ascend')
  }
}

function malformed(reason: string): TreeError {
  return new TreeError('node_malformed', `This is no tree node: ${reason}.`)
}
