/** Texts of several formats as rows: objects, with one member a column. */
import { parse } from 'csv-parse/browser/esm/sync'

/** Of CSV and TSV every value is a text; those that are empty are left out. */
export type Row = Readonly<Record<string, unknown>>

export type Format = 'csv' | 'tsv' | 'json' | 'ndjson'

/** What is wrong with a file, and where. */
export class TableError extends Error {
  /** From 1; undefined: the file as a whole. */
  readonly line: number | undefined

  constructor(message: string, line?: number) {
    super(line === undefined ? message : `Line ${line}: ${message}`)
    this.name = 'TableError'
    this.line = line
  }
}

/** By the name's ending, else by how the text begins. */
export function formatOf(name: string, text: string): Format {
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase()
  if (ending === 'csv' || ending === 'tsv' || ending === 'ndjson') return ending
  if (ending === 'jsonl') return 'ndjson'
  const first = text.trimStart()[0]
  if (first === '[') return 'json'
  if (first === '{') return isObject(tryParse(text)) ? 'json' : 'ndjson'
  const [head = ''] = text.split('\n', 1)
  return head.split('\t').length > head.split(',').length ? 'tsv' : 'csv'
}

/** @throws TableError for what is not of that format, a column without a name, or two of one name */
export function readRows(text: string, format: Format): Row[] {
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text
  if (format === 'json') return jsonRows(plain)
  if (format === 'ndjson') return lineRows(plain)
  return delimitedRows(plain, format === 'tsv' ? '\t' : delimiterOf(plain))
}

/** In files of some countries a semicolon stands where others have a comma. */
const delimiterOf = (text: string): string => {
  const [head = ''] = text.split('\n', 1)
  return head.split(';').length > head.split(',').length ? ';' : ','
}

interface Problem {
  readonly message: string
  readonly lines?: number
}

function delimitedRows(text: string, delimiter: string): Row[] {
  let rows: string[][]
  try {
    rows = parse(text, { delimiter, skipEmptyLines: true, relaxColumnCountLess: true })
  } catch (error) {
    const { message, lines } = error as Problem
    throw new TableError(message, lines)
  }
  const [head, ...rest] = rows
  if (head === undefined) throw new TableError('The file is empty. Its first line must name the columns.')
  const names = head.map((name) => name.trim())
  for (const [index, name] of names.entries()) {
    if (name === '') throw new TableError(`Column ${index + 1} has no name.`, 1)
    if (names.indexOf(name) < index) throw new TableError(`Two columns are called “${name}”.`, 1)
  }
  return rest.map((values) =>
    Object.fromEntries(names.map((name, index) => [name, values[index]]).filter(([, value]) => value)),
  )
}

const isObject = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function jsonRows(text: string): Row[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new TableError(`The file is not JSON: ${(error as Error).message}`)
  }
  const rows = Array.isArray(value)
    ? value
    : isObject(value)
      ? Object.values(value).find(Array.isArray)
      : undefined
  if (rows === undefined) throw new TableError('The file must hold a list of objects.')
  const wrong = rows.findIndex((row) => !isObject(row))
  if (wrong >= 0) throw new TableError(`Item ${wrong + 1} of the list is no object.`)
  return rows as Row[]
}

function lineRows(text: string): Row[] {
  const rows: Row[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const value = tryParse(line)
    if (!isObject(value)) throw new TableError('This is no JSON object.', index + 1)
    rows.push(value)
  }
  return rows
}
