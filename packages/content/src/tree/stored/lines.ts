/** Records as NDJSON lines, made from the bytes of their canonical forms without parsing: downloads of whole versions copy stored bytes. */
import type { Hash } from '../../hash.ts'
import { leafBodyOf } from '../../records/leaf-body.ts'
import type { LeafNode } from '../node.ts'

/** `canonical`: the record's canonical form; `hash`: the same with the record's hash as a fourth member. */
export type LineForm = 'canonical' | 'hash'

const newline = 0x0a
const closing = Buffer.from(',"hash":"')
/** `,"hash":"<64 hex>"}` and a newline, in place of the form's closing brace. */
const closingBytes = closing.length + 64 + 2 + 1

/** Lines of a leaf's records from the entry `start` on, given their canonical forms. */
export function linesOfForms(
  forms: readonly Uint8Array[],
  { leaf, start, form }: { leaf: LeafNode; start: number; form: LineForm },
): Uint8Array {
  if (form === 'canonical') return leafBodyOf(forms)
  let length = 0
  for (const one of forms) length += one.length - 1 + closingBytes
  const lines = Buffer.allocUnsafe(length)
  let at = 0
  for (const [index, one] of forms.entries()) at = writeWithHash(lines, at, one, leaf.hashes[start + index]!)
  return lines
}

/** Total length of the lines of a leaf's entries from `start` on. Bytes. */
export function lineBytes(leaf: LeafNode, start: number, form: LineForm): number {
  let bytes = 0
  for (let index = start; index < leaf.sizes.length; index++) bytes += leaf.sizes[index]!
  return bytes + (leaf.sizes.length - start) * (form === 'hash' ? closingBytes - 1 : 1)
}

/**
 * Writes the lines of a leaf's entries from `start` on to the beginning of `lines`, which must be large enough. The body must contain
 * all of these records inline.
 * @returns false if the body does not belong to this leaf.
 */
export function writeLines(
  lines: Buffer,
  { leaf, start, form, body }: { leaf: LeafNode; start: number; form: LineForm; body: Uint8Array },
): boolean {
  const { sizes, hashes } = leaf
  let from = 0
  let at = 0
  for (let index = 0; index < sizes.length; index++) {
    const end = from + sizes[index]!
    if (body[end] !== newline) return false
    if (index >= start && form === 'hash')
      at = writeWithHash(lines, at, body.subarray(from, end), hashes[index]!)
    else if (index === start) lines.set(body.subarray(from))
    from = end + 1
  }
  return from === body.length
}

function writeWithHash(lines: Buffer, at: number, form: Uint8Array, hash: Hash): number {
  // The hash replaces the closing brace.
  lines.set(form, at)
  let next = at + form.length - 1
  lines.set(closing, next)
  next += closing.length
  next += lines.write(hash, next, 64, 'latin1')
  lines[next] = 0x22
  lines[next + 1] = 0x7d
  lines[next + 2] = newline
  return next + 3
}
