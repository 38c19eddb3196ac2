/** Imports records as a type of a working folder: sorts them, keeps private marks, and replaces the file. */
import type { Removal } from '@ulmus/client'
import {
  compareUtf8,
  InputError,
  isJsonObject,
  type Json,
  type JsonObject,
  newNameFault,
  recordOf,
} from '@ulmus/content'
import type { KeepValues } from '@ulmus/tabular/kept-values'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'
import { jsonText } from '../base/state.ts'
import { Cursor } from '../files/cursor.ts'
import { removeFolder } from '../files/inside.ts'
import { fileNameOf, paths, recordFiles, recordsPath, schemaPath } from '../files/layout.ts'
import { LineWriter } from '../files/lines.ts'
import { lineOf, parseLine } from '../files/record-line.ts'
import { type Entry, entriesInOrder } from '../files/sequence.ts'
import { Staging } from '../files/staging.ts'

export interface Importing {
  readonly root: string
  readonly type: string
  readonly schema: JsonObject
  readonly records: AsyncIterable<{ readonly id: string; readonly data: unknown }>
  /** For a file that may be a downloaded table. */
  readonly keepValues?: KeepValues | undefined
  /** True: keep existing records that the import lacks. */
  readonly keepsOthers: boolean
  readonly onProgress: (records: number) => void
  /** Called before any change if records of the type would be removed. An error leaves the folder unchanged. */
  readonly beforeRemoval: (removal: Removal) => Promise<void>
}

export interface Imported {
  /** Number of imported records. */
  readonly records: number
  /** Number of records that the type now has. */
  readonly total: number
}

/** Stages the sorted records, and replaces all files of the type together. Keeps private marks of existing records. */
export async function importRecords(importing: Importing): Promise<Imported> {
  const { root, type, schema, keepsOthers, keepValues } = importing
  const staging = new Staging(root)
  const unsorted = `${paths.staged}/import/${fileNameOf(type)}.ndjson`
  const records = await writeUnsorted(importing, unsorted)
  const ours = recordFiles(root).get(type) ?? []
  const here = new Cursor<Entry>(ours.length === 0 ? [] : entriesInOrder(root, type, ours))
  const coming = new Cursor<Entry>(entriesInOrder(root, type, [unsorted]))
  const writer = new LineWriter(root, staging.file(recordsPath(type)))
  let [count, removed] = [0, 0]
  while (coming.current !== undefined || here.current !== undefined) {
    const [next, old] = [coming.current, here.current]
    const order = next === undefined ? 1 : old === undefined ? -1 : compareUtf8(next.id, old.id)
    if (order <= 0) {
      const isSame = order < 0 || next!.text === old!.text
      writer.write(isSame ? next!.text : mergedLine(type, next!, old!, keepValues))
      coming.next()
    } else if (keepsOthers) writer.write(old!.text)
    else removed++
    if (order >= 0) {
      here.next()
      count++
    }
  }
  for (const cursor of [here, coming]) cursor.close()
  writer.close()
  try {
    if (removed > 0) await importing.beforeRemoval({ type, removed, count })
  } catch (error) {
    staging.discard()
    throw error
  }
  removeFolder(root, `${paths.staged}/import`)
  for (const path of ours) if (path !== recordsPath(type)) staging.remove(path)
  staging.text(schemaPath(type), jsonText(schema))
  staging.commit()
  return { records, total: writer.count }
}

/** The line of an existing record with the data of the file. */
function mergedLine(type: string, next: Entry, old: Entry, keepValues: KeepValues | undefined): string {
  const { record } = parseLine(next.text, type, next)
  const before = parseLine(old.text, type, old).record
  const data =
    keepValues === undefined ? record.data : (keepValues(before.data, record.data as never) as Json)
  return lineOf({ id: record.id, data, private: before.private })
}

async function writeUnsorted({ root, type, records, onProgress }: Importing, path: string): Promise<number> {
  const writer = new LineWriter(root, path)
  try {
    for await (const { id, data } of records) {
      writer.write(lineOf({ id: checkedId(id, type, data as Json), data: data as Json, private: false }))
      if (writer.count % 1_000 === 0) onProgress(writer.count)
    }
  } finally {
    writer.close()
  }
  return writer.count
}

/** @throws CommandError for data that no record can contain */
function checkedId(id: string, type: string, data: Json): string {
  try {
    recordOf(id, type, data)
    const fault = newNameFault('id', id)
    if (fault !== undefined) throw new InputError('bad_id', fault)
    return id
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const way = error.code === 'record_too_large' ? largestMember(data) : ''
    throw new CommandError(`The ${type} ${JSON.stringify(id)}: ${error.message}${way}`, {
      exitCode: exitCodes.refused,
      cause: error,
    })
  }
}

/** Names the member that makes a record too large, and a way to avoid it. */
function largestMember(data: Json): string {
  if (!isJsonObject(data)) return ''
  const sizes = Object.entries(data).map(([name, value]) => [name, JSON.stringify(value).length] as const)
  const [name, size] = sizes.reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0] as const)
  return ` The largest value is in \`${name}\`, with ${size} characters: shorten it, or leave the column out with --leave-out.`
}
