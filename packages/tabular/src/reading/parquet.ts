/** Parquet as a table, read one row group at a time. */
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from 'hyparquet'
import { compressors as libraryCompressors } from 'hyparquet-compressors'
import type { ReadOptions } from './options.ts'
import { converterOf, isPlainBytes, parsers, textOfBytes, withoutDecimals } from './parquet-values.ts'
import type { FileSource } from './source.ts'
import { batchRows, columnsMax, type Row, type Table } from './table.ts'
import { errorAt, shown } from './table-error.ts'

/** The library's decompressors, except for a page without values, which has no bytes: they fail there. */
export const compressors = Object.fromEntries(
  Object.entries(libraryCompressors).map(([codec, decompress]) => [
    codec,
    (bytes: Uint8Array, length: number) => (length === 0 ? new Uint8Array() : decompress!(bytes, length)),
  ]),
)

/** Maximum uncompressed size of a row group. Bytes. */
const groupBytesMax = 1024 ** 3
/** Maximum of cells in a row group: cells without a value take no space in the file, but some in memory. */
const groupCellsMax = 50_000_000

interface ReadingOptions {
  readonly file: AsyncBuffer
  readonly metadata: FileMetaData
}

/** @param leaveOut columns that are not read: they have no values */
export async function openParquet(source: FileSource, { leaveOut = [] }: ReadOptions = {}): Promise<Table> {
  const file: AsyncBuffer = {
    byteLength: source.size,
    slice: async (start, end = source.size) => (await source.read(start, end)).buffer,
  }
  const said = await reading(source.name, () => parquetMetadataAsync(file, { parsers, geoparquet: false }))
  const tree = parquetSchema(said)
  const columns = tree.children.map(({ element }) => element.name)
  checkColumns(source.name, columns)
  const converters = tree.children.map(converterOf)
  const metadata = { ...said, schema: said.schema.map(withoutDecimals) }
  const readable = columns.filter((name) => !leaveOut.includes(name))
  const options = { file, metadata, compressors, parsers, utf8: false, geoparquet: false, columns: readable }
  for (const [place, { element }] of tree.children.entries())
    if (isPlainBytes(element) && readable.includes(element.name))
      if (await isText(source.name, options, element.name)) converters[place] = textOfBytes
  return {
    name: source.name,
    format: 'parquet',
    unit: 'row',
    isText: false,
    columns,
    detected: { format: 'parquet' },
    notes: [],
    async *batches() {
      for (const { rowStart, rowEnd } of groupsOf(source.name, metadata, columns.length)) {
        const read = (some: string[]) => parquetReadObjects({ ...options, columns: some, rowStart, rowEnd })
        const objects = await reading(
          source.name,
          () => read(readable),
          () => unreadableIn(readable, read),
        )
        for (let at = 0; at < objects.length; at += batchRows) {
          const rowOf = (object: Record<string, unknown>, index: number): Row => ({
            line: rowStart + at + index + 1,
            values: columns.map((name, place) => converters[place]!(object[name])),
          })
          yield await reading(source.name, async () => objects.slice(at, at + batchRows).map(rowOf))
        }
      }
    },
    close: async () => {},
  }
}

/** True if all values of a column are UTF-8: old writers do not annotate texts. */
async function isText(name: string, options: ReadingOptions, column: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for (const { rowStart, rowEnd } of groupsOf(name, options.metadata, 1)) {
    const read = () => parquetReadObjects({ ...options, columns: [column], rowStart, rowEnd })
    for (const object of await reading(name, read)) {
      const value: unknown = object[column]
      if (!(value instanceof Uint8Array)) continue
      try {
        if (decoder.decode(value).includes('\0')) return false
      } catch {
        return false
      }
    }
  }
  return true
}

/** Turns hyparquet's errors into sentences about the file. @param culprits names the columns that cannot be read although others can */
async function reading<Result>(
  name: string,
  read: () => Promise<Result>,
  culprits: () => Promise<string[]> = async () => [],
): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    const reason = (error as Error).message.replace(/^parquet /, '')
    // Of a damaged column the file is to blame.
    const columns = /supported/.test(reason) ? await culprits() : []
    if (columns.length === 0)
      throw errorAt(name, `The file cannot be read as Parquet: ${reason}. Is it complete?`)
    const [which, them] = columns.length === 1 ? ['The column', 'it'] : ['The columns', 'them']
    const named = columns.map(shown).join(', ')
    const label = `Leave ${columns.join(', ')} out`
    throw errorAt(
      name,
      `${which} ${named} cannot be read: ${reason}. Leave ${them} out, or write the file with another kind.`,
      { column: columns[0] },
      'row',
      [{ label, options: { leaveOut: columns } }],
    )
  }
}

/** Columns whose reading fails. Empty if all do: then the file is to blame. */
async function unreadableIn(
  columns: readonly string[],
  read: (some: string[]) => Promise<unknown>,
): Promise<string[]> {
  const failing: string[] = []
  for (const column of columns)
    await read([column]).catch(() => {
      failing.push(column)
    })
  return failing.length < columns.length ? failing : []
}

function checkColumns(name: string, columns: readonly string[]): void {
  if (columns.length > columnsMax)
    throw errorAt(name, `There are ${columns.length} columns; at most ${columnsMax} can be read.`)
  const twice = columns.find((one, place) => columns.indexOf(one) < place)
  if (twice !== undefined || columns.includes('__proto__'))
    throw errorAt(name, `There is a column ${shown(twice ?? '__proto__')} that cannot be read: rename it.`)
}

function* groupsOf(name: string, { row_groups }: FileMetaData, columns: number) {
  let rowStart = 0
  for (const { num_rows, total_byte_size } of row_groups) {
    if (total_byte_size > groupBytesMax) {
      const sentence = `A group of its rows takes ${total_byte_size} bytes; at most ${groupBytesMax} can be read. Write the file with smaller row groups.`
      throw errorAt(name, sentence)
    }
    if (Number(num_rows) * columns > groupCellsMax) {
      const sentence = `A group has ${num_rows} rows of ${columns} columns; at most ${groupCellsMax} values can be read. Write the file with smaller row groups.`
      throw errorAt(name, sentence)
    }
    const rowEnd = rowStart + Number(num_rows)
    if (rowEnd > rowStart) yield { rowStart, rowEnd }
    rowStart = rowEnd
  }
}
