/**
 * Decodes nodes whose hash was verified. Only output of the encoder is ever stored, so a matching hash implies the correct
 * form, and nothing else needs checking. Five to ten times as fast as `decodeNode`, which dominates a cold walk through a tree.
 */
import type { Hash } from '../../hash.ts'
import { decodeNode, type LeafNode, type TreeNode } from '../node.ts'

const decoder = new TextDecoder()
const leafEnd = '],"t":"leaf"}'
/** `{"e":[` */
const headLength = 6
const hashLength = 64
const comma = 0x2c
const quote = 0x22

/** Decodes a node that `encodeNode` wrote. For bytes of unknown origin use `decodeNode`. */
export function decodeStoredNode(bytes: Uint8Array): TreeNode {
  const text = decoder.decode(bytes)
  // Interior nodes are few, and keys with escapes are rare.
  return text.endsWith(leafEnd) && !text.includes('\\') ? leafIn(text) : decodeNode(bytes)
}

/** Rows are `["key","hash",size]`, or `["key",size]` in a set. Keys have no escapes, so the next quote ends a key. */
function leafIn(text: string): LeafNode {
  const firstKeyEnd = text.indexOf('"', headLength + 2)
  const isSet = text.charCodeAt(firstKeyEnd + 2) !== quote
  const leaf: LeafNode = { kind: 'leaf', tree: isSet ? 'set' : 'records', keys: [], hashes: [], sizes: [] }
  const { keys, hashes, sizes } = leaf
  for (let row = headLength; ; ) {
    const keyStart = row + 2
    const keyEnd = text.indexOf('"', keyStart)
    keys.push(text.slice(keyStart, keyEnd))
    let sizeStart = keyEnd + 2
    if (!isSet) {
      hashes.push(text.slice(sizeStart + 1, sizeStart + 1 + hashLength) as Hash)
      sizeStart += hashLength + 3
    }
    const rowEnd = text.indexOf(']', sizeStart)
    sizes.push(Number(text.slice(sizeStart, rowEnd)))
    if (text.charCodeAt(rowEnd + 1) !== comma) return leaf
    row = rowEnd + 2
  }
}
