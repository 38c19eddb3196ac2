/**
 * Edits a leaf within its stored rows and lines. Serves a few edits of a leaf that remains one leaf, the usual case in a push of
 * scattered changes. Copies the thousand unchanged records in a few pieces, without decoding each.
 */

import { type Change, type Child, defaultShape, type Edit, type EditRange, type Entry } from '@ulmus/content'
import type { LeafRows } from '@ulmus/content/stored'
import type { LeafLine } from './line.ts'

/** If at least one record in this many is edited, rewriting all of them takes no longer. */
const scarcity = 8

const head = Buffer.from('{"e":[')
const tail = Buffer.from('],"t":"leaf"}')
const comma = Buffer.from(',')
const newline = Buffer.from('\n')

/** Outcome of editing a leaf: the same bytes that decoding, editing and encoding it would give. */
export interface SplicedLeaf {
  /** Text of the node, to be hashed, and the body; both undefined if nothing changed. */
  text: Uint8Array | undefined
  body: Uint8Array | undefined
  leaf: Omit<Child, 'hash'>
  /** Changes as `editRange` reports them; old lines are views of the old body. */
  changes: Change<LeafLine>[]
}

/** Rows [from, to) of the old leaf, or a pushed record. */
type Piece = { from: number; to: number } | { key: string; entry: Entry<LeafLine> }

/**
 * Edits a range like `editRange`. Returns undefined if it is not a range as described above, or if the old body does not consist
 * of the lines that its leaf lists: call `editRange` then. `rows` and `body` are those of the range's first leaf, with verified
 * bytes.
 */
export function spliceLeaf(
  range: EditRange<LeafLine>,
  { rows, body }: { rows: LeafRows; body: Uint8Array },
): SplicedLeaf | undefined {
  if (!isWholeLeaf(range) || range.edits.length * scarcity > rows.length) return undefined
  const starts = rows.lineStarts()
  if (!areLines(body, starts)) return undefined
  const { pieces, changes } = piecesOf(range.edits, rows, (row) =>
    body.subarray(starts[row]!, starts[row + 1]! - newline.length),
  )
  const last = pieces.at(-1)
  let { count, bytes } = range.leaves[0]!
  for (const { before, after } of changes) {
    count += (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1)
    bytes += (after?.size ?? 0) - (before?.size ?? 0)
  }
  // No key within ends a leaf, or the range would have ended there.
  if (last === undefined || count > defaultShape.leafEntriesMax) return undefined
  const isSame = changes.length === 0
  return {
    leaf: { lastKey: 'from' in last ? rows.key(last.to - 1) : last.key, count, bytes },
    text: isSame ? undefined : textOf(pieces, rows),
    body: isSame ? undefined : bodyOf(pieces, body, starts),
    changes,
  }
}

function isWholeLeaf({ leaves, after, through, goesOn, ends }: EditRange<LeafLine>): boolean {
  const isWhole = after === undefined && (through === undefined || through === leaves[0]?.lastKey)
  return leaves.length === 1 && isWhole && ends && !goesOn
}

function areLines(body: Uint8Array, starts: Float64Array): boolean {
  for (let row = 1; row < starts.length; row++) if (body[starts[row]! - 1] !== newline[0]) return false
  return body.length === starts.at(-1)
}

function piecesOf(
  edits: readonly Edit<LeafLine>[],
  rows: LeafRows,
  lineAt: (row: number) => Uint8Array,
): { pieces: Piece[]; changes: Change<LeafLine>[] } {
  const pieces: Piece[] = []
  const changes: Change<LeafLine>[] = []
  let next = 0
  const keepUpTo = (row: number) => {
    if (row > next) pieces.push({ from: next, to: row })
    next = row
  }
  for (const { key, put: after } of edits) {
    const row = rows.firstAtLeast(key, next)
    const isThere = row < rows.length && rows.key(row) === key
    if (isThere ? isSame(after, rows, row) : after === undefined) continue
    keepUpTo(row)
    if (isThere) next++
    if (after !== undefined) pieces.push({ key, entry: after })
    const before = isThere
      ? { hash: rows.hash(row), size: rows.size(row), payload: { bytes: lineAt(row) } }
      : undefined
    changes.push({ key, before, after })
  }
  keepUpTo(rows.length)
  return { pieces, changes }
}

const isSame = (put: Edit<LeafLine>['put'], rows: LeafRows, row: number): boolean =>
  put !== undefined && put.size === rows.size(row) && put.hash === rows.hash(row)

function textOf(pieces: readonly Piece[], rows: LeafRows): Uint8Array {
  const parts: Uint8Array[] = [head]
  for (const piece of pieces) {
    if (parts.length > 1) parts.push(comma)
    parts.push('from' in piece ? rows.text(piece.from, piece.to) : rowOf(piece))
  }
  return Buffer.concat([...parts, tail])
}

/** A row in the format of `encodeNode`. */
const rowOf = ({ key, entry }: { key: string; entry: Entry<LeafLine> }): Uint8Array =>
  Buffer.from(`[${JSON.stringify(key)},"${entry.hash}",${entry.size}]`)

const bodyOf = (pieces: readonly Piece[], body: Uint8Array, starts: Float64Array): Uint8Array =>
  Buffer.concat(
    pieces.flatMap((piece) =>
      'from' in piece
        ? [body.subarray(starts[piece.from], starts[piece.to])]
        : [piece.entry.payload.bytes, newline],
    ),
  )
