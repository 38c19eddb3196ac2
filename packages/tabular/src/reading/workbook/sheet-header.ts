/** The header of a sheet: below titles, and of several rows where cells are merged. */
import { titleRows } from '../dialect.ts'
import { columnNames, detectHeader, numberedNames } from '../header.ts'
import type { Note, ReadOptions } from '../options.ts'
import { columnsMax } from '../table.ts'
import { errorAt, shown } from '../table-error.ts'
import type { MergedCell, SheetFacts, SheetRow } from './requests.ts'

export interface SheetHeader {
  readonly columns: readonly string[]
  readonly header: boolean
  readonly skip: number
  /** Rows up to this one are not data. */
  readonly lastHeaderLine: number
  readonly notes: readonly Note[]
}

/** @param places kept columns of the sheet @throws TableError */
export function headerOf(
  name: string,
  { head, merged }: SheetFacts,
  places: readonly number[],
  { header: given, skip: givenSkip, sameNames }: ReadOptions,
): SheetHeader {
  const texts = ({ values }: SheetRow) =>
    places.map((place) => (values[place] === undefined ? undefined : String(values[place])))
  const lines = head
    .filter(({ line }) => line > (givenSkip ?? 0))
    .map((row) => {
      const values = texts(spread(row, merged))
      return { line: row.line, values: values.slice(0, values.findLastIndex((one) => one !== undefined) + 1) }
    })
    .filter(({ values }) => values.length > 0)
  const titles = givenSkip === undefined ? titleRows(lines) : 0
  const [first, ...others] = lines.slice(titles)
  if (first === undefined) throw errorAt(name, 'The sheet has no row that can name the columns.')
  const skip = givenSkip ?? (titles > 0 ? lines[titles - 1]!.line : 0)
  const notes = titles > 0 ? [titlesNote(lines.slice(0, titles), skip)] : []
  const last = lastHeaderLine(first.line, merged, places)
  const detected =
    last > first.line
      ? { header: true, notes: [] }
      : detectHeader([first, ...others].map(({ values }) => values))
  const header = given ?? detected.header
  if (given === undefined) notes.push(...detected.notes)
  if (!header) {
    const columns = numberedNames(name, places.length)
    return { columns, header, skip, lastHeaderLine: skip, notes }
  }
  const rows = [first, ...others.filter(({ line }) => line <= last)]
  const joined = places.map((_, place) => {
    const parts = rows.map(({ values }) => values[place]?.trim() ?? '').filter((part) => part !== '')
    return parts.filter((part, at) => part !== parts[at - 1]).join(' ')
  })
  if (last > first.line) notes.push(joinedNote(rows, joined, skip))
  const columns = columnNames(name, { line: first.line, values: joined }, sameNames, 'row')
  return { columns, header, skip, lastHeaderLine: last, notes }
}

/** A merged cell has its text in each of its columns, unless nothing stands beside it: then it is a title. */
function spread({ line, values }: SheetRow, merged: readonly MergedCell[]): SheetRow {
  if (values.filter((value) => value !== undefined).length < 2) return { line, values }
  const wide = [...values]
  for (const { top, bottom, left, right } of merged)
    if (top <= line && line <= bottom)
      for (let place = left + 1; place <= Math.min(right, columnsMax - 1); place++) wide[place] = values[left]
  return { line, values: wide }
}

/** Maximum of rows of a header. */
const headerRowsMax = 5

/** Includes the rows below a merged cell that names several columns, and all rows of one that spans several. */
function lastHeaderLine(first: number, merged: readonly MergedCell[], places: readonly number[]): number {
  let last = first
  for (let line = first; line <= last && line < first + headerRowsMax; line++)
    for (const { top, bottom, left, right } of merged) {
      if (top !== line || !places.some((place) => left <= place && place <= right)) continue
      last = Math.max(last, right > left ? bottom + 1 : bottom)
    }
  return Math.min(last, first + headerRowsMax - 1)
}

const rowsText = (first: number, last: number): string =>
  first === last ? `Row ${first}` : `Rows ${first} to ${last}`

function titlesNote(
  titles: readonly { readonly line: number; readonly values: readonly (string | undefined)[] }[],
  skip: number,
): Note {
  const text = titles.flatMap(({ values }) => values.filter((value) => value !== undefined)).join(' ')
  const where = rowsText(titles[0]!.line, skip)
  return {
    option: 'skip',
    sentence: `${where} ${titles[0]!.line === skip ? 'is' : 'are'} above the header and not read: ${shown(text)}.`,
    isUncertain: false,
    choices: [
      { label: `Pass over ${where.toLowerCase()}`, options: { skip } },
      { label: 'Read all rows', options: { skip: 0 } },
    ],
  }
}

function joinedNote(
  rows: readonly { readonly line: number }[],
  names: readonly string[],
  skip: number,
): Note {
  const [first, last] = [rows[0]!.line, rows.at(-1)!.line]
  const example = names.find((name) => name.includes(' ')) ?? names[0] ?? ''
  return {
    option: 'skip',
    sentence: `The header has merged cells: its rows ${first} to ${last} are joined, as in ${shown(example)}.`,
    isUncertain: false,
    choices: [
      { label: 'Join the rows of the header', options: { skip } },
      { label: `Row ${last} alone names the columns`, options: { skip: last - 1 } },
    ],
  }
}
