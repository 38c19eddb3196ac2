/** Detects the format of a file: by its first bytes, else by the extension of its name, else by the beginning of its text. */
import { parseJson } from '@ulmus/content'
import { encodingByMark } from './encodings.ts'
import type { Format } from './options.ts'
import type { FileSource } from './source.ts'
import { errorAt } from './table-error.ts'

/** Number of inspected bytes. */
const headBytes = 64 * 1024

const formatsByEnding: Readonly<Record<string, Format>> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  geojsonl: 'ndjson',
  geojsons: 'ndjson',
  json: 'json',
  geojson: 'json',
  parquet: 'parquet',
}

/** Ending of a file's name, without the dot. */
export const endingOf = (name: string): string => /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''

export const byEnding = (ending: string): Format | undefined =>
  Object.hasOwn(formatsByEnding, ending) ? formatsByEnding[ending] : undefined

/** Files that users try but that are not tables, by their first bytes. */
const elsewhere = [
  ['PK\x03\x04', 'This is an archive in an archive. Unpack it and choose the file inside.'],
  ['\x1f\x8b', 'The file is compressed twice. Decompress it first: gunzip.'],
  [
    '\xd0\xcf\x11\xe0',
    'This is an old workbook, or one with a password. Save it as .xlsx without a password and choose that.',
  ],
  ['\x28\xb5\x2f\xfd', 'The file is compressed. Decompress it first: unzstd.'],
  ['BZh', 'The file is compressed. Decompress it first: bunzip2.'],
  ['\xfd7zXZ', 'The file is compressed. Decompress it first: unxz.'],
  ['%PDF', 'This is a PDF. Tables in it must be saved as CSV first.'],
] as const

/** Packing of a file, by its first bytes. Workbooks are ZIP archives. */
export async function packingOf(source: FileSource): Promise<'gzip' | 'zip' | undefined> {
  const [a, b, c, d] = await source.read(0, Math.min(4, source.size))
  if (a === 0x1f && b === 0x8b) return 'gzip'
  return a === 0x50 && b === 0x4b && c === 3 && d === 4 ? 'zip' : undefined
}

export async function isSqlite(source: FileSource): Promise<boolean> {
  const head = await source.read(0, Math.min(16, source.size))
  return String.fromCharCode(...head) === 'SQLite format 3\0'
}

/** Position of `ustar` in a TAR archive. Bytes. */
const tarMark = 257

/** @throws TableError for an empty file, and for a known format that is not a table */
export async function formatOf(source: FileSource, encoding?: string): Promise<Format> {
  const head = await source.read(0, Math.min(headBytes, source.size))
  if (head.length === 0) throw errorAt(source.name, 'The file is empty.')
  const bytes = String.fromCharCode(...head.subarray(0, 16))
  if (bytes.startsWith('PAR1')) return 'parquet'
  if (bytes.startsWith('SQLite format 3\0')) return 'sqlite'
  const other = elsewhere.find(([magic]) => bytes.startsWith(magic))
  if (other !== undefined) throw errorAt(source.name, other[1])
  if (String.fromCharCode(...head.subarray(tarMark, tarMark + 5)) === 'ustar')
    throw errorAt(source.name, 'This is a TAR archive. Unpack it and choose the file inside.')
  const text = textIn(head, encoding).trimStart()
  if (/^<(?:!doctype html|html[\s>])/i.test(text))
    throw errorAt(source.name, 'This is a web page, not a table. Download the file that the page links to.')
  if (text.startsWith('<?xml'))
    throw errorAt(source.name, 'This is XML, which cannot be read as a table. Save the table as CSV.')
  const named = byEnding(endingOf(source.name))
  if (named !== undefined && named !== 'json') return named
  const format = formatOfText(text, head.length < source.size)
  return named === 'json' && format !== 'ndjson' ? 'json' : format
}

function textIn(head: Uint8Array, encoding = encodingByMark(head) ?? 'utf-8'): string {
  try {
    return new TextDecoder(encoding).decode(head)
  } catch {
    // UTF-32 and unknown encodings are refused when the file is opened.
    return ''
  }
}

/** Begins each text of a JSON text sequence (RFC 7464), such as the GeoJSON of RFC 8142. */
export const recordSeparator = '\x1e'

function formatOfText(text: string, isCut: boolean): Format {
  if (text.startsWith(recordSeparator)) return 'ndjson'
  if (text[0] === '[') return 'json'
  if (text[0] === '{') return isLines(text, isCut) ? 'ndjson' : 'json'
  const [line = ''] = text.split('\n', 1)
  return line.split('\t').length > line.split(',').length ? 'tsv' : 'csv'
}

/** True if the first line is a complete object with more text below. A single object is JSON, on one line or on several. */
function isLines(text: string, isCut: boolean): boolean {
  const [line = ''] = text.split('\n', 1)
  const isFollowed = text.slice(line.length).trim() !== '' || (isCut && line.length < text.length)
  try {
    return isFollowed && typeof parseJson(line) === 'object'
  } catch {
    return false
  }
}
