/** Differences of a type's records from the base: merges two sorted streams. */
import { compareUtf8 } from '@ulmus/content'
import { Cursor } from '../files/cursor.ts'
import { fileAt } from '../files/inside.ts'
import { baseRecordsPath } from '../files/layout.ts'
import { lineBatches } from '../files/lines.ts'
import { type FolderRecord, idOf, type LinePosition, parseLine } from '../files/record-line.ts'
import { type Entry, entriesInOrder } from '../files/sequence.ts'

/** `before` absent: added. `after` absent: removed. */
export interface RecordChange {
  readonly type: string
  readonly id: string
  readonly before?: FolderRecord
  readonly after?: FolderRecord
  /** Current position of the record; undefined if it was removed. */
  readonly place?: LinePosition
}

/** A line of the base, in canonical form. */
interface BaseEntry {
  readonly id: string
  readonly text: string
  readonly line: number
}

/** Records per turn of the event loop, so that signals are handled. */
const recordsATurn = 65_536

/**
 * The records of `type` that differ between the base and `files` (paths from the root), by id. Equal lines are not parsed.
 * @throws CommandError for a line that is no record
 */
export async function* recordChanges(
  root: string,
  type: string,
  files: readonly string[],
): AsyncGenerator<RecordChange, void, undefined> {
  const before = new Cursor(baseEntries(root, type))
  const after = new Cursor<Entry>(files.length === 0 ? [] : entriesInOrder(root, type, files))
  let steps = 0
  try {
    while (before.current !== undefined || after.current !== undefined) {
      const change = step(type, before, after)
      if (change !== undefined) yield change
      if (++steps % recordsATurn === 0) await new Promise<void>((resolve) => setImmediate(resolve))
    }
  } finally {
    before.close()
    after.close()
  }
}

function step(type: string, before: Cursor<BaseEntry>, after: Cursor<Entry>): RecordChange | undefined {
  const old = before.current
  const now = after.current
  const order = old === undefined ? 1 : now === undefined ? -1 : compareUtf8(old.id, now.id)
  if (order <= 0) before.next()
  if (order >= 0) after.next()
  if (order === 0 && old!.text === now!.text) return undefined
  const left =
    order <= 0 ? parseLine(old!.text, type, { file: baseRecordsPath(type), line: old!.line }) : undefined
  const right = order >= 0 ? parseLine(now!.text, type, now!) : undefined
  const isSame = left?.content.hash === right?.content.hash && left?.record.private === right?.record.private
  if (isSame) return undefined
  return {
    type,
    id: (old !== undefined && order <= 0 ? old : now!).id,
    before: left?.record,
    after: right?.record,
    place: right === undefined ? undefined : { file: now!.file, line: now!.line },
  }
}

function* baseEntries(root: string, type: string): Generator<BaseEntry[], void, undefined> {
  const path = baseRecordsPath(type)
  if (fileAt(root, path) === undefined) return
  for (const lines of lineBatches(root, path)) {
    yield lines.map(({ text, number }) => ({ id: idOf(text)!, text, line: number }))
  }
}
