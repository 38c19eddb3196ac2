/** Prepares what the publish page shows about a file: examples of columns, markers of missing values, sample rows, a sentence about the id. */
import {
  type Column,
  codeText,
  converted,
  type Inference,
  misfitsOf,
  type OfferedConversion,
  type Plan,
  type Row,
  type Table,
} from '@ulmus/tabular'
import type { ColumnFacts, MissingMarker, OpenedFile } from '../shapes.ts'
import { counted, countText } from '../words.ts'

/** Maximum length of a shown value. Characters. */
const cellCharacters = 60
/** Maximum number of examples of a column. */
const examplesMax = 3
/** Maximum number of rows in the sample. */
const sampleRows = 5
/** Maximum number of rows from the end, where totals and sources are. */
const lastRows = 3
/** Maximum number of columns in the sample. */
const sampleColumns = 50

/** A value as a short text. */
export function cellText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > cellCharacters ? `${text.slice(0, cellCharacters)}…` : text
}

export const factsOf = ({
  name,
  isEmpty,
  examples,
  conversions,
  distinct,
  choices,
  codes,
}: Column): ColumnFacts => ({
  codes: codes && `It stays text: ${codeText(codes, 'line')}.`,
  name,
  isEmpty,
  examples: examples.slice(0, examplesMax).map(cellText),
  readings: conversions.map((offered) => ({
    label: `read ${readingText(offered, distinct)}`,
    values: offered.count,
    set: { conversion: offered.conversion, kind: offered.kind },
  })),
  choices,
})

/** A conversion by its first value: `810,611 as 810611`. Yes and no are named together, because either may come first. */
export function readingText(
  { conversion, value, becomes }: OfferedConversion,
  distinct?: readonly string[],
): string {
  if (conversion !== 'yes-no') return `${cellText(value)} as ${cellText(becomes)}`
  const words = (distinct ?? [value]).map((one) => [one.trim(), converted(conversion, one)?.text] as const)
  const first = ['true', 'false'].map((text) => words.find(([, made]) => made === text))
  return first.flatMap((one) => (one === undefined ? [] : [`${one[0]} as ${one[1]}`])).join(' and ')
}

/** Texts that prevent a column from being read as numbers, days or the like, and those that the options remove. */
export function marksOf({ columns, removed }: Inference): MissingMarker[] {
  const found = columns.flatMap((column) => {
    const { value, count = 0, marks } = misfitsOf(column) ?? {}
    const all = column.marks.map(({ mark, count }) => ({ column: column.name, mark, count }))
    if (marks !== undefined || (all.length > 0 && column.tallies.length > 1)) return all
    return typeof value === 'string' ? [{ column: column.name, mark: value, count }] : []
  })
  const all = [...removed, ...found]
  return Array.from(new Set(all.map(({ mark }) => mark)), (mark) => ({
    mark,
    columns: all.filter((one) => one.mark === mark).map(({ column, count }) => ({ column, count })),
  }))
}

export async function sampleOf(
  table: Table,
  { last }: Pick<Inference, 'last'>,
): Promise<OpenedFile['sample']> {
  const columns = table.columns.slice(0, sampleColumns)
  const text = ({ line, values }: Row) => ({
    line,
    values: columns.map((_, place) => {
      const value = values[place]
      return value === undefined || value === null ? undefined : cellText(value)
    }),
  })
  const rows: Row[] = []
  for await (const batch of table.batches()) {
    rows.push(...batch.slice(0, sampleRows - rows.length))
    if (rows.length === sampleRows) break
  }
  const end = last.slice(-lastRows).filter(({ line }) => line > (rows.at(-1)?.line ?? 0))
  return { columns, rows: rows.map(text), last: end.map(text) }
}

/** @param areUnique true if each row has its own id, for an id of several columns */
export function idText({ id }: Plan, { columns, rows }: Inference, areUnique = false, unit = 'line'): string {
  if (id.length === 0)
    return 'No id is ticked, so records are numbered from 1. A row that is inserted later renumbers all records after it.'
  if (id.length > 1) {
    const together = `The id is made of ${id.join(' and ')} together`
    return areUnique
      ? `${together}: it differs in all ${counted(rows, 'row')}.`
      : `${together}, but some rows have the same values or lack one. Tick another column.`
  }
  const [name] = id
  const { isUnique = false, repeats } = columns.find((column) => column.name === name) ?? {}
  const again = repeats?.map(({ value, line }) => `${cellText(value)} (again in ${unit} ${countText(line)})`)
  if (again !== undefined)
    return `The id is ${name}, but rows have the same: ${again.join(', ')}. Correct the file, or tick another column, or a second one.`
  return isUnique
    ? `The id is ${name}: it differs in all ${counted(rows, 'row')}.`
    : `The id is ${name}, but some rows have the same ${name} or none. Tick another column, or a second one.`
}
