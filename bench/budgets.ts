/** Budgets of the registry, and the figures that are compared with them. */
import { type DatabaseKind, type Figure, type Figures, type Unit, valueText } from './figures.ts'

export interface Row {
  readonly work: string
  readonly database: DatabaseKind
  readonly budget: string
  readonly measured: string
  readonly otherwise: string
  readonly kept: boolean
}

/** The figures of one database at the largest size of a run. */
interface Reading {
  readonly size: number
  figure(quantity: string): Figure | undefined
  other(quantity: string, by: 'tables' | 'git' | 'raw'): Figure | undefined
}

interface Budget {
  readonly work: string
  readonly unit: Unit
  readonly atMost?: number
  readonly atLeast?: number
  readonly says?: 'p50' | 'p99' | 'high'
  /** Budget for `measured`. */
  measured(of: Reading): number | undefined
  /** Quantity of other contenders that is shown beside it. */
  readonly beside?: string
}

type Says = NonNullable<Budget['says']>
const value = (figure: Figure | undefined, says: Says = 'p50'): number | undefined =>
  figure === undefined ? undefined : { p50: figure.median, p99: figure.p99, high: figure.high }[says]

const ratio = (a: Figure | undefined, b: Figure | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a.median / b.median

/** Compares a figure by its median, unless `says` selects another value. */
const plain = (
  work: string,
  quantity: string,
  unit: Unit,
  bound: Pick<Budget, 'atMost' | 'atLeast' | 'says'>,
  beside = quantity,
): Budget => ({
  work,
  unit,
  ...bound,
  measured: (of) => value(of.figure(quantity), bound.says),
  beside,
})

const constant = (work: string, quantity: string): Budget[] => [
  plain(work, quantity, 'ms', { atMost: 10, says: 'p50' }),
  {
    work: `${work}, against the same at 1,000 records`,
    unit: 'times',
    atMost: 1.2,
    measured: (of) => ratio(of.figure(quantity), of.figure(`${quantity}, 1,000 records beside it`)),
  },
  plain(`${work}: objects stored`, `${quantity}: bytes`, 'bytes', { atMost: 4_096 }),
]

/** In the order of the page that defines them. */
const budgets: readonly Budget[] = [
  ...constant('metadata update', 'metadata update'),
  ...constant('fork', 'fork'),
  plain('first push, prepared NDJSON', 'first push: rate', 'records/s', { atLeast: 90_000 }),
  plain('first push: peak memory', 'first push: peak memory', 'MiB', { atMost: 700, says: 'high' }),
  plain('stored after the first push', 'first push: stored', 'B/record', { atMost: 300 }),
  plain('push of 1 % scattered', 'push of 1 % scattered', 'ms', { atMost: 3_000 }),
  plain('push of 1 % scattered: objects stored', 'push of 1 % scattered: bytes', 'bytes', { atMost: 4e6 }),
  plain('store after 20 pushes of 1 %, against the first', 'store after 20 pushes of 1 %', 'times', {
    atMost: 1.5,
  }),
  plain(
    'diff with data, scattered, cold',
    'diff with data, scattered, cold',
    'ms',
    { atMost: 500 },
    'diff with data, scattered, warm',
  ),
  plain('diff with data, clustered, cold', 'diff with data, clustered, cold', 'ms', { atMost: 50 }),
  plain(
    'diff by hash, scattered, cold',
    'diff by hash, scattered, cold',
    'ms',
    { atMost: 500 },
    'diff by hash, scattered, warm',
  ),
  plain('diff by hash, clustered, cold', 'diff by hash, clustered, cold', 'ms', { atMost: 50 }),
  plain('one record, warm', 'record, warm', 'ms', { atMost: 2 }, 'record, anywhere'),
  plain('one record, cold', 'record, cold', 'ms', { atMost: 15 }),
  plain('page of 100 in the middle', 'page of 100 in the middle', 'ms', { atMost: 3 }),
  plain('NDJSON of a version, streamed', 'NDJSON streamed', 'MB/s', { atLeast: 400 }),
  {
    work: 'collection detail, against a route with one look-up',
    unit: 'times',
    atLeast: 0.5,
    measured: (of) => ratio(of.figure('collection detail'), of.other('collection detail', 'raw')),
    beside: 'collection detail',
  },
  plain('overview page, warm', 'overview page', 'ms', { atMost: 15, says: 'p50' }),
  {
    work: 'overview page, against its JSON',
    unit: 'times',
    atMost: 2,
    measured: (of) => ratio(of.figure('overview page'), of.figure('overview as JSON')),
  },
  {
    work: 'records page in the middle, against the same of 1,000 records',
    unit: 'times',
    atMost: 1.2,
    measured: (of) =>
      ratio(
        of.figure('records page in the middle'),
        of.figure('records page in the middle, 1,000 records beside it'),
      ),
  },
  plain('any read while a push of all records runs', 'any read during a push', 'ms', {
    atMost: 100,
    says: 'p99',
  }),
  plain('metadata update of another collection meanwhile', 'metadata update during a push', 'ms', {
    atMost: 100,
    says: 'p99',
  }),
  plain('browse with q, 100,000 collections', 'browse with q', 'ms', { atMost: 30, says: 'p99' }),
  plain('start-up on existing data', 'start-up', 'ms', { atMost: 2_000 }),
]

/** One row for each budget and database that was measured. */
export function judge(figures: Figures, size: number, databases: readonly DatabaseKind[]): Row[] {
  return budgets.flatMap((budget) =>
    databases.flatMap((database) => {
      const reading: Reading = {
        size,
        figure: (quantity) => figures.find(quantity, { database, size }),
        other: (quantity, by) =>
          figures.find(quantity, { by, database, size }) ?? figures.find(quantity, { by, size }),
      }
      const measured = budget.measured(reading)
      return measured === undefined ? [] : [rowOf(budget, database, measured, reading)]
    }),
  )
}

function rowOf(budget: Budget, database: DatabaseKind, measured: number, reading: Reading): Row {
  const { atMost, atLeast, unit, says } = budget
  const bound = atMost === undefined ? `≥ ${valueText(atLeast!, unit)}` : `≤ ${valueText(atMost, unit)}`
  const quantile = says === 'p99' || says === 'p50' ? `${says} ` : ''
  return {
    work: budget.work,
    database,
    budget: quantile + bound,
    measured: valueText(measured, unit),
    otherwise: othersOf(budget, reading),
    kept: atMost === undefined ? measured >= atLeast! : measured <= atMost,
  }
}

const contenderNames = { tables: 'SQL', git: 'git', raw: 'raw' } as const

function othersOf({ beside }: Budget, reading: Reading): string {
  if (beside === undefined) return ''
  return (['tables', 'git', 'raw'] as const)
    .flatMap((by) => {
      const figure = reading.other(beside, by)
      return figure === undefined ? [] : [`${contenderNames[by]} ${valueText(figure.median, figure.unit)}`]
    })
    .join(', ')
}

/** Size for judging budgets: 1,000,000 records, for which they are set, or the largest smaller one that was measured. */
export function judgedSize(sizes: readonly number[]): number {
  const within = sizes.filter((size) => size <= 1_000_000)
  return Math.max(...(within.length > 0 ? within : sizes))
}
