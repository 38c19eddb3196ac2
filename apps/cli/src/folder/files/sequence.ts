/**
 * Sorts the records of a type by id, from files in any order. Sorted files are read directly; others are sorted on disk, in runs that fit
 * into memory.
 */
import { compareUtf8 } from '@ulmus/content'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'
import { Cursor } from './cursor.ts'
import { removeFolder } from './inside.ts'
import { paths } from './layout.ts'
import { LineWriter, lineBatches } from './lines.ts'
import { idOf, parseLine, positionText } from './record-line.ts'

/** A line of records with its id and position. */
export interface Entry {
  readonly id: string
  readonly text: string
  /** Path from the root. */
  readonly file: string
  readonly line: number
}

/** Write a sorted run to disk after this many characters of lines: 32 Mi, which take some 64 to 100 MiB. */
const runCharactersMax = 33_554_432

/**
 * All records of `files` (paths from the root), in ascending order of their ids' UTF-8 bytes.
 * @throws CommandError for a repeated id, with both places, and for a line without an id
 */
export function* entriesInOrder(
  root: string,
  type: string,
  files: readonly string[],
  runCharacters = runCharactersMax,
): Generator<Entry[], void, undefined> {
  const isSorted = inOrder(root, type, files)
  const scratch = `${paths.staged}/sort-${process.pid}`
  try {
    const batches = isSorted
      ? entriesOf(root, type, files)
      : sorted(root, type, files, scratch, runCharacters)
    let previous: Entry | undefined
    for (const batch of batches) {
      for (const entry of batch) {
        if (previous?.id === entry.id) throw twice(type, previous, entry)
        previous = entry
      }
      yield batch
    }
  } finally {
    if (!isSorted) removeFolder(root, scratch)
  }
}

const twice = (type: string, first: Entry, second: Entry): CommandError =>
  new CommandError(
    `${positionText(second)}: the ${type} ${JSON.stringify(second.id)} is also in ${positionText(first)}. Remove one of the two.`,
    { exitCode: exitCodes.refused, code: 'duplicate_record' },
  )

function inOrder(root: string, type: string, files: readonly string[]): boolean {
  let previous: string | undefined
  for (const batch of entriesOf(root, type, files)) {
    for (const { id } of batch) {
      if (previous !== undefined && compareUtf8(previous, id) > 0) return false
      previous = id
    }
  }
  return true
}

function* entriesOf(
  root: string,
  type: string,
  files: readonly string[],
): Generator<Entry[], void, undefined> {
  for (const file of files) {
    for (const lines of lineBatches(root, file)) {
      yield lines.map(({ text, number }) => entryOf(text, type, file, number))
    }
  }
}

function entryOf(text: string, type: string, file: string, line: number): Entry {
  const id = idOf(text)
  if (id !== undefined) return { id, text, file, line }
  parseLine(text, type, { file, line })
  throw new CommandError(`${positionText({ file, line })}: the line has no id.`, {
    exitCode: exitCodes.refused,
  })
}

function* sorted(
  root: string,
  type: string,
  files: readonly string[],
  scratch: string,
  runCharacters: number,
): Generator<Entry[], void, undefined> {
  const runs: string[] = []
  let waiting: Entry[] = []
  let characters = 0
  for (const batch of entriesOf(root, type, files)) {
    for (const entry of batch) {
      waiting.push(entry)
      characters += entry.text.length
      if (characters < runCharacters) continue
      runs.push(writeRun(root, `${scratch}/${runs.length}`, sort(waiting), files))
      waiting = []
      characters = 0
    }
  }
  yield* merged([...runs.map((run) => runEntries(root, run, files)), [sort(waiting)]])
}

/** The sort is stable, so that an error names the first of two equal ids first. */
const sort = (entries: Entry[]): Entry[] => entries.sort((a, b) => compareUtf8(a.id, b.id))

/** Writes the lines of a run: number of the file, number of the line, line. */
function writeRun(root: string, path: string, entries: readonly Entry[], files: readonly string[]): string {
  const writer = new LineWriter(root, path)
  for (const { file, line, text } of entries) writer.write(`${files.indexOf(file)} ${line} ${text}`)
  writer.close()
  return path
}

function* runEntries(
  root: string,
  run: string,
  files: readonly string[],
): Generator<Entry[], void, undefined> {
  for (const lines of lineBatches(root, run)) {
    yield lines.map(({ text: row }) => {
      const first = row.indexOf(' ')
      const second = row.indexOf(' ', first + 1)
      const text = row.slice(second + 1)
      const file = files[Number(row.slice(0, first))]!
      return { id: idOf(text)!, text, file, line: Number(row.slice(first + 1, second)) }
    })
  }
}

/** Entries per batch. */
const mergedAtOnce = 1_024

function* merged(streams: Iterable<Entry[]>[]): Generator<Entry[], void, undefined> {
  const cursors = streams.map((stream) => new Cursor(stream))
  let batch: Entry[] = []
  for (;;) {
    let least: Cursor<Entry> | undefined
    for (const cursor of cursors) {
      const entry = cursor.current
      if (entry !== undefined && (least === undefined || compareUtf8(entry.id, least.current!.id) < 0))
        least = cursor
    }
    if (least === undefined) break
    batch.push(least.current!)
    least.next()
    if (batch.length < mergedAtOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
