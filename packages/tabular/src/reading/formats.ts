/** Which format a file has: by its first bytes where they tell, by its name's ending, else by how its text begins. */
import type { FileSource } from './source.ts'
import { errorAt } from './table-error.ts'
import { encodingOf } from './texts.ts'

export const formats = ['csv', 'tsv', 'json', 'ndjson', 'parquet', 'sqlite'] as const
export type Format = (typeof formats)[number]

/** Bytes that are looked at. */
const headBytes = 64 * 1024

const byEnding: Readonly<Record<string, Format>> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  geojson: 'json',
  parquet: 'parquet',
}

/** Files that people try and that are no tables yet, by their first bytes. */
const elsewhere = [
  ['PK\x03\x04', 'This is a workbook or another ZIP archive. Save its sheet as CSV (UTF-8) and choose that.'],
  ['\xd0\xcf\x11\xe0', 'This is an old workbook. Save its sheet as CSV (UTF-8) and choose that.'],
  ['\x1f\x8b', 'The file is compressed. Decompress it first: gunzip.'],
  ['\x28\xb5\x2f\xfd', 'The file is compressed. Decompress it first: unzstd.'],
  ['%PDF', 'This is a PDF. Tables in it must be saved as CSV first.'],
] as const

/** @throws TableError for an empty file, and for one that is known to be no table */
export async function formatOf(source: FileSource): Promise<Format> {
  const head = await source.read(0, Math.min(headBytes, source.size))
  if (head.length === 0) throw errorAt(source.name, 'The file is empty.')
  const bytes = String.fromCharCode(...head.subarray(0, 16))
  if (bytes.startsWith('PAR1')) return 'parquet'
  if (bytes.startsWith('SQLite format 3\0')) return 'sqlite'
  const other = elsewhere.find(([magic]) => bytes.startsWith(magic))
  if (other !== undefined) throw errorAt(source.name, other[1])
  const ending = /\.([a-z]+)$/i.exec(source.name)?.[1]?.toLowerCase() ?? ''
  const named = Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined
  if (named !== undefined && named !== 'json') return named
  const format = formatOfText(
    new TextDecoder(encodingOf(head)).decode(head).trimStart(),
    head.length < source.size,
  )
  return named === 'json' && format !== 'ndjson' ? 'json' : format
}

function formatOfText(text: string, isCut: boolean): Format {
  if (text[0] === '[') return 'json'
  if (text[0] === '{') return isLines(text, isCut) ? 'ndjson' : 'json'
  const [line = ''] = text.split('\n', 1)
  return line.split('\t').length > line.split(',').length ? 'tsv' : 'csv'
}

/** Whether the first line is an object of its own, with more below, or the only one and no object around a list. */
function isLines(text: string, isCut: boolean): boolean {
  const [line = ''] = text.split('\n', 1)
  try {
    const first = JSON.parse(line) as object
    return isCut || text.slice(line.length).trim() !== '' || !Object.values(first).some(Array.isArray)
  } catch {
    return false
  }
}
