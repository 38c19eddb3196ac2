/**
 * Bodies of leaves: the canonical forms of a leaf's records in entry order, one per line, each line ended by a newline.
 * A record over 16 KiB is stored as a separate object, and its line is `{"$ref":"<record hash>"}` (content-model §5). This cannot be
 * confused with a canonical form, which begins with `{"id":`.
 */
import { type Hash, hashBytes, parseHash } from '../hash.ts'

/** Largest canonical form that is stored in the body itself. Bytes. */
export const recordInlineBytesMax = 16_384

const newline = 0x0a
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Third byte of `{"$ref":"`, where a canonical form has another. */
const dollar = 0x24

/** True if a line refers to a separate object instead of containing the record. */
export const isReferenceLine = (line: Uint8Array): boolean => line[2] === dollar

const referenceText = (hash: Hash): string => `{"$ref":"${hash}"}`

/** Line for a record that is stored as a separate object. */
export const referenceLineTo = (hash: Hash): Uint8Array => encoder.encode(referenceText(hash))

const referenceBytes = '{"$ref":"'.length + 64 + '"}'.length

/** Length of the line, without its newline, of a record whose canonical form has `size` bytes. Bytes. */
export const leafLineLength = (size: number): number => (size <= recordInlineBytesMax ? size : referenceBytes)

/** True if a line represents the record of this hash and size. */
export const isLeafLineOf = (line: Uint8Array, { hash, size }: { hash: Hash; size: number }): boolean =>
  size <= recordInlineBytesMax ? hashBytes(line) === hash : decoder.decode(line) === referenceText(hash)

/** The lines of a body, without their newlines, as views. */
export function leafLines(body: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  for (let start = 0; start < body.length; ) {
    const end = body.indexOf(newline, start)
    lines.push(body.subarray(start, end))
    start = end + 1
  }
  return lines
}

/** The lines [from, to) of a body. */
export function leafLinesBetween(body: Uint8Array, from: number, to: number): Uint8Array[] {
  const lines: Uint8Array[] = []
  let start = 0
  for (let index = 0; index < to && start < body.length; index++) {
    const end = body.indexOf(newline, start)
    if (index >= from) lines.push(body.subarray(start, end))
    start = end + 1
  }
  return lines
}

/** The body of a leaf with these lines, in the order of its entries. */
export function leafBodyOf(lines: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const line of lines) length += line.length + 1
  const body = new Uint8Array(length)
  let at = 0
  for (const line of lines) {
    body.set(line, at)
    at += line.length
    body[at++] = newline
  }
  return body
}

/** The hash in a reference line. @throws Error for any other line. */
export function referencedHash(line: Uint8Array): Hash {
  const hash = parseHash(decoder.decode(line.subarray(9, -2)))
  if (hash === undefined) throw new Error('a leaf body holds a malformed reference')
  return hash
}
