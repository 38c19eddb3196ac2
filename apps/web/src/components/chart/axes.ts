/** Columns of a result that a chart is drawn from: those that the visitor chose, else a proposal by their kinds. */
import { areQuantities } from '../../format.ts'
import type { ChartSource, NoChart } from './source.ts'

export type Kind = 'number' | 'time' | 'text' | 'other'

export interface Column {
  readonly name: string
  readonly at: number
  readonly kind: Kind
}

/** Places of columns in the rows. Undefined: a proposal. */
export interface ChartChoice {
  readonly x?: number | undefined
  readonly y?: number | undefined
  readonly by?: number | undefined
  /** The column that orders the rows, whose values are probably what the chart is about. */
  readonly order?: number | undefined
}

export interface Axes {
  readonly x: Column
  /** The same as `x`: a histogram. */
  readonly y: Column
  /** Column with the names of the series, if it is chosen. */
  readonly by: Column | undefined
  /** Columns of which one may tell the rows at a place apart. */
  readonly texts: readonly Column[]
}

const kindOf = (type: string): Kind => {
  if (/^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL\b.*)$/.test(type)) return 'number'
  if (/^(?:DATE|TIMESTAMP.*)$/.test(type)) return 'time'
  return /^(?:VARCHAR|BOOLEAN|ENUM\b.*|UUID)$/.test(type) ? 'text' : 'other'
}

export const isNumberType = (type: string): boolean => kindOf(type) === 'number'

export const columnsOf = ({ columns }: Pick<ChartSource, 'columns'>): Column[] =>
  columns.map(({ name, type }, at) => ({ name, at, kind: kindOf(type) }))

/** Larger numbers have no place on an axis: their distance may be infinite. */
export const numberMax = 1e300

/** A cell as a number; null if it has none that can be drawn. Large whole numbers are texts. */
export function numberIn(cell: unknown): number | null {
  if (typeof cell !== 'number' && (typeof cell !== 'string' || cell.trim() === '')) return null
  const value = Number(cell)
  return Math.abs(value) <= numberMax ? value : null
}

const isYear = (cell: unknown): boolean =>
  typeof cell === 'number' && Number.isInteger(cell) && cell >= 1000 && cell < 3000

export const areYears = ({ rows }: ChartSource, { at }: Column): boolean =>
  rows.every((row) => isYear(row[at]))

const noPlace: NoChart = {
  reason: 'lists and objects have no place on an axis. Name a column of texts, times or numbers.',
}

export function axesOf(source: ChartSource, choice: ChartChoice = {}): Axes | NoChart {
  const all = columnsOf(source)
  const hasNumbers = ({ at }: Column) => source.rows.filter((row) => numberIn(row[at]) !== null).length >= 2
  const numbers = all.filter((column) => column.kind === 'number' && hasNumbers(column))
  if (numbers.length === 0) return { reason: 'it needs a column with two numbers.' }
  const x = choice.x === undefined ? proposedX(source, { all, numbers, choice }) : all[choice.x]
  if (x === undefined || x.kind === 'other') return noPlace
  const y =
    choice.y === undefined
      ? proposedY(source, { x, numbers, choice })
      : numbers.find(({ at }) => at === choice.y)
  if (y === undefined) return { reason: 'its value needs a column with two numbers.' }
  const by = choice.by === x.at ? undefined : all[choice.by ?? -1]
  if (by?.kind === 'other') return noPlace
  const texts = by === undefined ? all.filter((column) => column.kind === 'text' && column.at !== x.at) : [by]
  return { x, y, by, texts }
}

interface Found {
  readonly all: readonly Column[]
  /** Columns with two numbers. */
  readonly numbers: readonly Column[]
  readonly choice: ChartChoice
}

/** A time, or years by which the rows are ordered, then a text, then a number. */
function proposedX(source: ChartSource, { all, numbers, choice }: Found): Column | undefined {
  const free = all.filter(({ at }) => at !== choice.y && at !== choice.by)
  const of = (kind: Kind) => free.find((column) => column.kind === kind)
  const ordered = free.find(({ at }) => at === choice.order)
  const isAlongYears =
    ordered !== undefined && numbers.length > 1 && /years?/i.test(ordered.name) && areYears(source, ordered)
  const named = of('time') ?? (isAlongYears ? ordered : of('text'))
  if (named !== undefined) return named
  if (free.some(({ kind }) => kind === 'other')) return undefined
  return numbers.find((column) => free.includes(column)) ?? numbers[0]
}

/** The column that orders the rows, else the last one with numbers, rather than with years or codes. */
function proposedY(
  { rows }: ChartSource,
  { x, numbers, choice }: Omit<Found, 'all'> & Pick<Axes, 'x'>,
): Column | undefined {
  const free = numbers.filter(({ at }) => at !== x.at && at !== choice.by)
  const isQuantity = ({ name, at }: Column) =>
    areQuantities(
      name,
      rows.map((row) => row[at]),
    ) !== false
  return (
    free.find(({ at }) => at === choice.order) ??
    free.findLast(isQuantity) ??
    free.at(-1) ??
    (x.kind === 'number' ? x : undefined)
  )
}
