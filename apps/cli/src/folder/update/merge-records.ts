/** Three-way merge of a type's records: the base, the other version, and the folder. */
import { compareUtf8 } from '@ulmus/content'
import { Cursor } from '../files/cursor.ts'
import { fileAt } from '../files/inside.ts'
import { LineWriter, lineBatches, type NumberedLine } from '../files/lines.ts'
import { idOf, parseLine } from '../files/record-line.ts'
import { type Entry, entriesInOrder } from '../files/sequence.ts'

/** Resolution of a record that both sides changed. `stop` reports the conflict. */
export type Resolution = 'stop' | 'ours' | 'theirs'

/** A record that both sides changed in different ways. Its members are lines; undefined: the record is absent. */
export interface Conflict {
  readonly type: string
  readonly id: string
  readonly base?: string
  readonly ours?: string
  readonly theirs?: string
}

export interface RecordMerge {
  readonly root: string
  readonly type: string
  /** Path from the root; the file need not exist. */
  readonly baseFile: string
  readonly theirFile: string
  /** Paths from the root. */
  readonly ourFiles: readonly string[]
  readonly resolution: Resolution
  /** Takes the other version's record wherever ours differs, even if only ours changed. */
  readonly discardsOurs: boolean
  /** Called for every record that both sides changed, and with `discardsOurs` for every discarded one. */
  readonly onConflict: (conflict: Conflict) => void
}

/** Writes the merged records. Unchanged lines keep their text. */
export function mergeRecords(merge: RecordMerge, output: MergedFiles): void {
  const base = new Cursor(linesOf(merge.root, merge.baseFile))
  const theirs = new Cursor(linesOf(merge.root, merge.theirFile))
  const ours = new Cursor<Entry>(
    merge.ourFiles.length === 0 ? [] : entriesInOrder(merge.root, merge.type, merge.ourFiles),
  )
  for (;;) {
    const heads = [idAt(base), idAt(theirs), ours.current?.id].filter((id) => id !== undefined)
    if (heads.length === 0) break
    const id = heads.reduce((least, one) => (compareUtf8(one, least) < 0 ? one : least))
    const [b, t, o] = [take(base, id), take(theirs, id), takeEntry(ours, id)]
    const kept = decide(merge, { type: merge.type, id, base: b, theirs: t, ours: o })
    if (kept !== undefined) output.write(kept)
  }
  for (const cursor of [base, theirs, ours]) cursor.close()
  output.close()
}

const linesOf = (root: string, path: string): Iterable<NumberedLine[]> =>
  fileAt(root, path) === undefined ? [] : lineBatches(root, path)
const idAt = (cursor: Cursor<NumberedLine>): string | undefined =>
  cursor.current === undefined ? undefined : idOf(cursor.current.text)

function take(cursor: Cursor<NumberedLine>, id: string): string | undefined {
  const line = cursor.current
  if (line === undefined || idOf(line.text) !== id) return undefined
  cursor.next()
  return line.text
}

function takeEntry(cursor: Cursor<Entry>, id: string): string | undefined {
  const entry = cursor.current
  if (entry?.id !== id) return undefined
  cursor.next()
  return entry.text
}

function decide(merge: RecordMerge, sides: Conflict): string | undefined {
  const { type, base, ours, theirs } = sides
  if (ours === base || isSame(type, ours, base)) return isSame(type, theirs, base) ? ours : theirs
  if (isSame(type, ours, theirs)) return ours
  if (merge.discardsOurs) {
    merge.onConflict(sides)
    return theirs
  }
  if (theirs === base) return ours
  merge.onConflict(sides)
  return merge.resolution === 'theirs' ? theirs : ours
}

/** True if two lines contain the same record, in any notation. */
function isSame(type: string, a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined) return false
  const [left, right] = [a, b].map((text) => parseLine(text, type, { file: type, line: 0 }))
  return left!.content.hash === right!.content.hash && left!.record.private === right!.record.private
}

/** Writes merged records into the same files, each with as many records as before; the last file gets the rest. */
export class MergedFiles {
  readonly #root: string
  readonly #files: readonly { readonly target: string; readonly lines: number }[]
  #index = 0
  #writer: LineWriter | undefined
  readonly #written = new Set<string>()
  /** Number of records written. */
  count = 0

  /** @param files paths to write, from the root, with the number of lines that each file had */
  constructor(root: string, files: readonly { target: string; lines: number }[]) {
    this.#root = root
    this.#files = files
  }

  write(line: string): void {
    while (
      this.#index < this.#files.length - 1 &&
      (this.#writer?.count ?? 0) >= this.#files[this.#index]!.lines
    ) {
      this.#writer?.close()
      this.#writer = undefined
      this.#index++
    }
    if (this.#writer === undefined) {
      const { target } = this.#files[this.#index]!
      this.#writer = new LineWriter(this.#root, target)
      this.#written.add(target)
    }
    this.#writer.write(line)
    this.count++
  }

  /** True if the file `target` received records. */
  wrote(target: string): boolean {
    return this.#written.has(target)
  }

  close(): void {
    this.#writer?.close()
  }
}
