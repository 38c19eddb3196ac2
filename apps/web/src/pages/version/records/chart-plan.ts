/** Axes of a chart of the records, and its plan. */
import { type FoundColumn, isCutValue } from '@ulmus/content'
import { type Building, type Groups, type Measure, measures, RegistryError } from '@ulmus/registry'
import { type ChartPlan, type ChartPoint, planBins, planChart } from '../../../components/chart/plan.ts'
import type { NoChart } from '../../../components/chart/source.ts'
import { type VersionResponse, versionOf } from '../../../data/collection.ts'
import { type References, readLabels } from '../../../data/profiles.ts'
import type { Visit } from '../../../page.ts'
import {
  type ChartParts,
  filterText,
  isLong,
  parsedQuery,
  pathTo,
  type RecordsAddress,
} from '../../../record-table/address.ts'
import type { PageColumn } from '../../../record-table/columns.ts'

export interface ChartView {
  /** Axes; the field `x` is missing if no column suits. */
  readonly parts: ChartParts
  readonly plan: ChartPlan | NoChart | Building
}

type Kind = 'time' | 'number' | 'name' | 'none'

function kindOf({ type }: Pick<FoundColumn, 'type'>): Kind {
  if (type === 'date' || type === 'date-time') return 'time'
  if (type === 'integer' || type === 'number') return 'number'
  return ['text', 'file', 'boolean', 'list'].includes(type) ? 'name' : 'none'
}

export const ofKind = (all: readonly PageColumn[], ...kinds: Kind[]): PageColumn[] =>
  all.filter(({ column }) => column !== undefined && kinds.includes(kindOf(column)))

/** Refusals that the page shows in place of the chart. */
const refusals: ReadonlySet<string> = new Set([
  'unknown_field',
  'invalid_request',
  'busy',
  'query_too_costly',
])

interface ChartColumns {
  readonly all: readonly PageColumn[]
  /** Columns with few values, which make bars. */
  readonly grouped: readonly PageColumn[]
}

/** @param version of the page, for the titles of referenced records */
export async function readChart(
  visit: Visit,
  address: RecordsAddress,
  chart: ChartParts,
  columns: ChartColumns & { readonly version: VersionResponse },
): Promise<ChartView> {
  const proposed = chart.x === undefined ? proposalsOf(address, chart, columns) : [chart.x]
  let first: ChartView | undefined
  for (const x of proposed) {
    const drawn = await readChartAlong(visit, address, { ...chart, x }, columns)
    // Another column may have several values where this one has none or one.
    if (!('reason' in drawn.plan) || drawn.isRefused) return drawn
    first ??= drawn
  }
  return first ?? { parts: chart, plan: { reason: 'no column has a place on an axis.' } }
}

/** Columns along which a chart is tried. */
const proposalsMax = 4

/** By the kinds of the columns: times first, then names that repeat, then numbers. Those that a filter sets to one value have no chart. */
function proposalsOf(
  { query, columns: table }: RecordsAddress,
  { by }: ChartParts,
  { all, grouped }: ChartColumns,
): string[] {
  const filters = query.filter.flatMap((filter) => parsedQuery({ filter }, table)?.filters ?? [])
  const isFixed = ({ column }: PageColumn) =>
    filters.some((one) => one.operator === 'eq' && one.column.path === column?.path)
  const suited = [...ofKind(all, 'time'), ...grouped, ...ofKind(all, 'number'), ...ofKind(all, 'name')]
  const names = suited.filter((column) => !isFixed(column) && column.text !== by).map(({ text }) => text)
  return [...new Set(names)].slice(0, proposalsMax)
}

type DrawnView = ChartView & { readonly isRefused?: boolean }

async function readChartAlong(
  visit: Visit,
  address: RecordsAddress,
  parts: ChartParts & { readonly x: string },
  { all, version }: ChartColumns & { readonly version: VersionResponse },
): Promise<DrawnView> {
  const { seen, type, query } = address
  const [measure = '', of] = /^(\w+):(.*)$/s.exec(parts.y)?.slice(1) ?? [parts.y]
  if (!isMeasure(measure)) return { parts, plan: noMeasure, isRefused: true }
  const { q, filter } = query
  const ask = { q, filter, x: parts.x, measure, of: measure === 'count' ? undefined : of, by: parts.by }
  try {
    const groups = await visit.registry.tables.groups(seen.who, { ...versionOf(seen), type }, ask)
    if ('building' in groups) return { parts, plan: groups }
    const drawn = planOf(groups, parts)
    if ('reason' in drawn) return { parts, plan: drawn }
    const along = all.find(({ text }) => text === parts.x)
    const plan = along === undefined ? drawn : linked(drawn, groups, address, along)
    const [x, by] = [parts.x, parts.by].map((field) => all.find(({ text }) => text === field)?.refersTo)
    return {
      parts,
      plan: await titled(
        plan,
        { x, by },
        async (ids) => (await readLabels(visit, seen, version, ids)).labels,
      ),
    }
  } catch (error) {
    if (!(error instanceof RegistryError) || !refusals.has(error.code)) throw error
    return { parts, plan: { reason: error.message }, isRefused: true }
  }
}

const noMeasure: NoChart = {
  reason:
    'Value has to be the number of records, or the sum, mean, median, least or largest value of a column. Choose one of its list.',
}

const isMeasure = (text: string): text is Measure => Object.hasOwn(measures, text)

function planOf(
  { kind, rows, places, unit, edges }: Groups,
  { x = '', y, by }: ChartParts,
): ChartPlan | NoChart {
  if (edges !== undefined) {
    if (edges.length === 0) return { reason: `no record has a value of ${x}.` }
    const counts = Array.from({ length: edges.length - 1 }, () => 0)
    for (const [bin, , count] of rows) counts[Number(bin)] = count ?? 0
    return planBins(x, counts, edges)
  }
  if (rows.length === 0) return { reason: `no record has a value of ${x}.` }
  if (rows.length === 1)
    return { reason: `all records have the same ${x}. Choose another column in Along, or another filter.` }
  const along = {
    name: unit === undefined || unit === 'day' ? x : `${x}, by ${unit}`,
    type: { names: 'VARCHAR', numbers: 'DOUBLE', times: 'TIMESTAMP', bins: '' }[kind],
  }
  const value = { name: y === 'count' ? 'records' : y.replace(':', ' of '), type: 'DOUBLE' }
  const source = {
    columns: by === undefined ? [along, value] : [along, { name: by, type: 'VARCHAR' }, value],
    rows: rows.map(([at, series, measured]) => {
      const place = unit === undefined ? at : timeText(String(at), unit)
      return by === undefined ? [place, measured] : [place, series, measured]
    }),
  }
  const drawn = planChart(source, by === undefined ? { x: 0, y: 1 } : { x: 0, y: 2, by: 1 })
  if ('reason' in drawn) return drawn
  const plan = y === 'count' || y.startsWith('sum:') ? { ...drawn, isQuantity: true } : drawn
  if (kind !== 'names') return plan
  const kept = new Set(rows.map(([at]) => at)).size
  return {
    ...plan,
    left: places > kept ? `The first ${kept} of ${places} values: filter them to see others.` : plan.left,
  }
}

/** The plan with links to the records of each name or bin, if a filter can say which they are. Bars of several series are too thin. */
function linked(
  plan: ChartPlan,
  { kind, edges = [] }: Groups,
  address: RecordsAddress,
  { text, column }: PageColumn,
): ChartPlan {
  if (plan.series.length > 1 || isLong(address.query) || (kind !== 'names' && kind !== 'bins')) return plan
  const filtersOf = ({ label }: ChartPoint, n: number): string[] => {
    if (kind === 'bins')
      return [filterText(text, 'ge', String(edges[n])), filterText(text, 'lt', String(edges[n + 1]))]
    return isCutValue(label) ? [] : [filterText(text, column?.type === 'list' ? 'contains' : 'eq', label)]
  }
  const table = { ...address, chart: undefined }
  const hrefOf = (filters: readonly string[]) =>
    filters.length === 0 ? undefined : pathTo(table, { filter: [...address.query.filter, ...filters] })
  const series = plan.series.map(({ name, points }) => ({
    name,
    points: points.map((point, n) => ({ ...point, href: hrefOf(filtersOf(point, n)) })),
  }))
  return { ...plan, series }
}

/** The plan with the titles of records that its names refer to, as far as they are known. */
async function titled(
  plan: ChartPlan,
  { x, by }: { x: string | undefined; by: string | undefined },
  read: (references: References[]) => Promise<ReadonlyMap<string, string>>,
): Promise<ChartPlan> {
  const labels = await read([
    ...(x === undefined ? [] : [{ type: x, ids: plan.series[0]!.points.map(({ label }) => label) }]),
    ...(by === undefined ? [] : [{ type: by, ids: plan.series.flatMap(({ name }) => name ?? []) }]),
  ])
  const series = plan.series.map(({ name, points }) => ({
    name: name && (labels.get(`${by}/${name}`) ?? name),
    points: points.map((point) => ({ ...point, label: labels.get(`${x}/${point.label}`) ?? point.label })),
  }))
  return { ...plan, series }
}

/** A time as far as its unit goes: `1905`, `1905-06`, `1905-06-07`, `1905-06-07 12:00:00`. */
function timeText(text: string, unit: NonNullable<Groups['unit']>): string {
  if (unit === 'hour') return text
  const [date = ''] = text.split(' ')
  return date.split('-').slice(0, { year: 1, month: 2, day: 3 }[unit]).join('-')
}
