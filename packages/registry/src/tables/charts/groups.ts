/** Groups of the records that match, for charts. */
import type { FoundColumn, QueryText, TableColumn, TableQuery } from '@ulmus/content'
import { binEdges } from '@ulmus/content/quantities'
import { RegistryError } from '../../errors/errors.ts'
import { countOf, fieldOf } from '../cells.ts'
import type { EngineRows } from '../engine/engine.ts'
import { readQuery } from '../questions.ts'
import type { Ask } from '../statistics.ts'
import {
  binStatement,
  boundsStatement,
  type Grouping,
  groupStatement,
  isPlaced,
  type Measure,
  rangeStatement,
  type TimeUnit,
} from './group-sql.ts'

/** A chart of a question. Fields as in filters. */
export interface GroupsText extends QueryText {
  /** Field along the axis. */
  readonly x: string
  readonly measure: Measure
  /** Field that is measured; undefined for `count`. */
  readonly of: string | undefined
  /** Field whose values are series. */
  readonly by: string | undefined
}

/** Rows `[x, by, y]`: a value for each place and series. */
export interface Groups {
  /** `names`: the largest 30 are there. `bins`: counts of numbers by the number of the bin. */
  readonly kind: 'names' | 'times' | 'numbers' | 'bins'
  readonly rows: readonly (readonly [x: string | number, by: string | null, y: number | null])[]
  /** Number of all places. */
  readonly places: number
  /** Times are rounded down to it. */
  readonly unit: TimeUnit | undefined
  /** Bounds of the bins, one more than bins; empty: no row has a number. Two that are equal: all numbers are. */
  readonly edges: readonly number[] | undefined
}

const day = 86_400

/** @throws unknown_field, invalid_request */
export function readGrouping(
  { x, of, by, measure, ...text }: GroupsText,
  columns: readonly TableColumn[],
): { query: TableQuery; grouping: Grouping } {
  const fields = [x, ...(of === undefined ? [] : [of]), ...(by === undefined ? [] : [by])]
  const query = readQuery({ ...text, facet: fields }, columns)
  const [along, ...more] = query.facet as [FoundColumn, ...FoundColumn[]]
  const grouping = {
    x: along,
    measure,
    of: of === undefined ? undefined : more[0],
    by: by === undefined ? undefined : more.at(-1),
  }
  demandDrawable(grouping)
  return { query, grouping }
}

function demandDrawable({ x, of, measure, by }: Grouping): void {
  const isNumber = of?.type === 'integer' || of?.type === 'number'
  const isPlain = (column: FoundColumn) =>
    ['text', 'file', 'boolean', 'integer', 'number', 'date', 'date-time'].includes(column.type)
  const isNumbers = x.type === 'integer' || x.type === 'number'
  const reason =
    measure !== 'count' && !isNumber
      ? 'Name a column of numbers to measure.'
      : !isPlain(x) && x.type !== 'list'
        ? `"${fieldOf(x)}" has no place on an axis: name one of its members.`
        : by !== undefined && (!isPlain(by) || isNumbers)
          ? 'Series need times or names along the axis, and a column of texts, numbers or times.'
          : undefined
  if (reason === undefined) return
  throw new RegistryError('invalid_request', {
    say: { reason },
    details: { issues: [{ path: 'x', message: reason }] },
  })
}

export async function groupsOf(query: TableQuery, grouping: Grouping, ask: Ask): Promise<Groups> {
  const { x, measure } = grouping
  const isNumbers = x.type === 'integer' || x.type === 'number'
  if (isNumbers && measure === 'count') return binsOf(query, x, ask)
  const isTimes = isPlaced(x) && !isNumbers
  const unit = isTimes ? await unitOf(query, grouping, ask) : undefined
  const [found] = await ask([groupStatement(query, grouping, unit ?? 'day')])
  return {
    kind: isTimes ? 'times' : isNumbers ? 'numbers' : 'names',
    rows: found!.map(([place, name, value]) => [
      isNumbers ? Number(place) : String(place),
      name === null ? null : String(name),
      value === null ? null : Number(value),
    ]),
    places: found!.length === 0 ? 0 : countOf(found![0]![3]),
    unit,
    edges: undefined,
  }
}

async function binsOf(query: TableQuery, x: FoundColumn, ask: Ask): Promise<Groups> {
  const bins = { kind: 'bins', unit: undefined } as const
  const [bounds] = (await ask([boundsStatement(query, x)])) as [EngineRows]
  const [low, high] = bounds[0] ?? []
  if (low === null || low === undefined) return { ...bins, rows: [], places: 0, edges: [] }
  const [least, most] = [Number(low), Number(high)]
  // Bounds so far apart that their distance is no number have no bins.
  if (least === most || !Number.isFinite(most - least))
    return { ...bins, rows: [], places: 0, edges: [least, most] }
  const edges = binEdges(least, most, x.type === 'integer')
  const [found] = (await ask([binStatement(query, x, edges)])) as [EngineRows]
  const rows = found.map(([bin, count]) => [Number(bin), null, countOf(count)] as const)
  return { ...bins, rows, places: rows.length, edges }
}

/** The shortest unit with which the line has room. */
async function unitOf(query: TableQuery, { x, by }: Grouping, ask: Ask): Promise<TimeUnit> {
  const [found] = await ask([rangeStatement(query, x)])
  const [from, to] = (found![0] ?? []).map(Number) as [number, number]
  const days = (to - from) / day
  const most = by === undefined ? 800 : 400
  if (x.type === 'date-time' && days <= 3) return 'hour'
  return days <= most ? 'day' : days <= most * 30 ? 'month' : 'year'
}
