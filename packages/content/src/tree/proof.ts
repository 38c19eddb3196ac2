/**
 * Proof that a record belongs to a version: the nodes from its leaf up to its type's root, and the view document that contains
 * that root and whose hash is the version's digest. A reader with the digest has to trust nothing else.
 */

import { type Hash, hashText, utf8Length } from '../hash.ts'
import { parseCanonical, recordOf } from '../records/record.ts'
import { parseDocument, type TypeEntry } from '../versions/document.ts'
import { decodeNodeText, encodeNode, firstAtLeast, type Tree, type TreeNode } from './node.ts'
import { type NodeReader, readChild } from './read.ts'

/** The encoded nodes on the path to the entry with this key, leaf first, root last; undefined if the tree lacks the key. */
export async function proveEntry(
  tree: Tree,
  key: string,
  reader: NodeReader,
): Promise<{ nodes: string[] } | undefined> {
  if (tree.root === null) return undefined
  let node = await reader.node(tree.root)
  const nodes = [encodeNode(node)]
  while (node.kind === 'node') {
    const index = firstAtLeast(node.lastKeys, key)
    if (index === node.children.length) return undefined
    node = await readChild(reader, node, index)
    nodes.unshift(encodeNode(node))
  }
  return node.keys[firstAtLeast(node.keys, key)] === key ? { nodes } : undefined
}

/** Claim that the record `canonical` belongs to the version `digest`, with its proof. */
export interface ProofClaim {
  /** The version's digest: 64 lowercase hexadecimal digits, alone or after `private:` or `public:`. */
  digest: string
  /** The record's canonical form. */
  canonical: string
  /** Encoded nodes, leaf first, root last. */
  nodes: string[]
  /** JCS text of the view document. */
  document: string
}

/** The proven record, or the reason why the proof is invalid. */
export type ProofResult = { ok: true; id: string; type: string; hash: Hash } | { ok: false; reason: string }

/** Verifies a proof from the claim alone. Never throws, whatever the texts contain. */
export function verifyProof(claim: ProofClaim): ProofResult {
  const { digest, canonical, nodes, document } = claim
  // A lone surrogate would be hashed as U+FFFD: two texts would have one hash.
  if (![canonical, document, ...nodes].every((text) => text.isWellFormed())) {
    return refused('The proof holds text that is not well-formed Unicode.')
  }
  const documentHash = /^(?:private:|public:)?([0-9a-f]{64})$/.exec(digest)?.[1]
  if (documentHash === undefined) return refused('The digest is no digest of a version.')
  if (hashText(document) !== documentHash)
    return refused('The document does not have the digest of the version.')
  const record = attempt(() => {
    const { id, type, data } = parseCanonical(canonical)
    return recordOf(id, type, data)
  })
  if (record?.canonical !== canonical) return refused('The record is not in canonical form.')
  const types = attempt(() => parseDocument(document).types)
  if (types === undefined) return refused('The document is no view document.')
  const tree = Object.hasOwn(types, record.type) ? types[record.type] : undefined
  if (tree === undefined) return refused("The document does not name the record's type.")
  const fault = faultInPath(record.id, record.hash, utf8Length(canonical), nodes, tree)
  if (fault !== undefined) return refused(fault)
  return { ok: true, id: record.id, type: record.type, hash: record.hash }
}

/** Fault in the path of `texts` from the entry (key, hash, size) up to the root of `tree`; undefined if there is none. */
function faultInPath(
  key: string,
  hash: Hash,
  size: number,
  texts: string[],
  tree: Pick<TypeEntry, 'root' | 'count' | 'bytes'>,
): string | undefined {
  const [leafText, ...interiorTexts] = texts
  if (leafText === undefined) return 'The proof holds no nodes.'
  const leaf = attempt(() => decodeNodeText(leafText))
  if (leaf?.kind !== 'leaf' || leaf.tree !== 'records') return 'The first node is no leaf of records.'
  const entry = firstAtLeast(leaf.keys, key)
  if (leaf.keys[entry] !== key || leaf.hashes[entry] !== hash || leaf.sizes[entry] !== size) {
    return 'The leaf does not hold the record.'
  }
  let below = summaryOf(leafText, leaf)
  for (const [index, text] of interiorTexts.entries()) {
    const node = attempt(() => decodeNodeText(text))
    if (node?.kind !== 'node' || node.level !== index + 1) {
      return `Node ${index + 1} of the proof is no node of that level.`
    }
    const at = firstAtLeast(node.lastKeys, key)
    const isLinked =
      node.children[at] === below.hash &&
      node.lastKeys[at] === below.lastKey &&
      node.counts[at] === below.count &&
      node.bytes[at] === below.bytes
    if (!isLinked) return `Node ${index + 1} of the proof is not the parent of the node before it.`
    below = summaryOf(text, node)
  }
  if (tree.root !== below.hash || tree.count !== below.count || tree.bytes !== below.bytes) {
    return "The last node is not the root of the type's records."
  }
  return undefined
}

/** The entry that a parent must have for a node. */
function summaryOf(
  text: string,
  node: TreeNode,
): { hash: Hash; lastKey: string; count: number; bytes: number } {
  const hash = hashText(text)
  if (node.kind === 'leaf') {
    return { hash, lastKey: node.keys.at(-1)!, count: node.keys.length, bytes: sum(node.sizes) }
  }
  return { hash, lastKey: node.lastKeys.at(-1)!, count: sum(node.counts), bytes: sum(node.bytes) }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function refused(reason: string): ProofResult {
  return { ok: false, reason }
}

/** Result of `make`, or undefined if it throws. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
