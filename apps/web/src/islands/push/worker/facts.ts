/** Prepares what the publish page shows about a file: examples of columns, markers of missing values, sample rows, a sentence about the id. */
import {
  type Column,
  type Inference,
  misfitsOf,
  type OfferedConversion,
  type Plan,
  type PlannedColumn,
  type Row,
  type Table,
} from '@ulmus/tabular'
import type { ColumnFacts, MissingMarker, OpenedFile } from '../shapes.ts'
import { counted } from '../words.ts'

/** Maximum length of a shown value. Characters. */
const cellCharacters = 60
/** Maximum number of examples of a column. */
const examplesMax = 3
/** Maximum number of rows in the sample. */
const sampleRows = 5
/** Maximum number of columns in the sample. */
const sampleColumns = 50

/** A value as a short text. */
export function cellText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > cellCharacters ? `${text.slice(0, cellCharacters)}…` : text
}

export const factsOf = ({ name, isEmpty, examples, conversions, choices }: Column): ColumnFacts => ({
  name,
  isEmpty,
  examples: examples.slice(0, examplesMax).map(cellText),
  readings: conversions.map((offered) => ({
    label: `read ${readingText(offered)}`,
    values: offered.count,
    set: { conversion: offered.conversion, kind: offered.kind },
  })),
  choices,
})

/** A conversion by its first value: `810,611 as 810611`. Yes and no are named together, because either may come first. */
export function readingText({ conversion, value, becomes }: OfferedConversion): string {
  if (conversion !== 'yes-no') return `${cellText(value)} as ${cellText(becomes)}`
  return value.trim().length === 1 ? 'y as true and n as false' : 'yes as true and no as false'
}

/** Columns of yes and no are read as booleans if the schema says so: no other reading fits, and each new file would be refused. */
export const withSchemaReadings = (
  columns: readonly PlannedColumn[],
  inference: Inference,
): PlannedColumn[] =>
  columns.map((column) => {
    if (column.isKnown !== true || column.kind !== 'boolean') return column
    const inferred = inference.columns.find(({ name }) => name === column.name)
    const offered = inferred?.conversions.some(({ conversion }) => conversion === 'yes-no')
    return offered === true ? { ...column, conversion: 'yes-no' } : column
  })

/** Marks that programs and people use for a missing value. */
const usualMarks = /^(?:n\/?a|nan|null|none|nil|missing|unknown|\\n|[-–—.?*#]{1,3})$/i

/** Texts that prevent a column from being read as numbers, days or the like: a few among many values, or usual marks. */
export function marksOf({ columns }: Inference): MissingMarker[] {
  const marks = new Map<string, number | undefined>()
  for (const column of columns) {
    const found = misfitsOf(column)
    const usual = usualMarksOf(column)
    for (const mark of usual) marks.set(mark, undefined)
    if (typeof found?.value === 'string' && usual.length === 0)
      marks.set(found.value, (marks.get(found.value) ?? 0) + found.count)
  }
  return Array.from(marks, ([mark, count]) => ({ mark, count }))
}

/** Usual marks in a column, however frequent. Empty if the column has only texts. */
function usualMarksOf({ tallies, distinct }: Column): string[] {
  const first = tallies.find(({ kind }) => kind === 'string')?.value
  if (typeof first !== 'string' || tallies.length < 2) return []
  return (distinct ?? [first]).filter((text) => usualMarks.test(text))
}

export async function sampleOf(table: Table): Promise<OpenedFile['sample']> {
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
  return { columns, rows: rows.map(text) }
}

/** @param areUnique true if each row has its own id, for an id of several columns */
export function idText({ id }: Plan, { columns, rows }: Inference, areUnique = false): string {
  if (id.length === 0)
    return 'No id is ticked, so records are numbered from 1. A row that is inserted later renumbers all records after it.'
  if (id.length > 1) {
    const together = `The id is made of ${id.join(' and ')} together`
    return areUnique
      ? `${together}: it differs in all ${counted(rows, 'row')}.`
      : `${together}, but some rows have the same values or lack one. Tick another column.`
  }
  const [name] = id
  const isUnique = columns.find((column) => column.name === name)?.isUnique === true
  return isUnique
    ? `The id is ${name}: it differs in all ${counted(rows, 'row')}.`
    : `The id is ${name}, but some rows have the same ${name} or none. Tick another column, or a second one.`
}
