/** Statistics of all columns: computed, by turns with the same figures in SQL, and read again. */
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { timed } from '../measure.ts'
import { answerOf } from './building.ts'
import { type Row, rowOf } from './report.ts'
import { type Field, inTurns } from './turns.ts'

/** Columns by their kind of statistics, as the server computes them. */
const measuredColumns = ['amount', 'visits', 'opened', 'updated', 'latitude', 'longitude']
const textColumns = ['_id', 'title', 'status', 'country', 'agency', 'officer', 'place', 'tags', 'summary']
const listedColumns = ['visits', 'opened', 'urgent', ...textColumns.filter((name) => name !== 'tags')]

function statisticsSql(dialect: 'PostgreSQL' | 'DuckDB'): string[] {
  const isPostgres = dialect === 'PostgreSQL'
  const fieldOf = (name: string) =>
    ({
      place: isPostgres ? 'place_name' : 'place.name',
      latitude: isPostgres ? 'place_latitude' : 'place.latitude',
      longitude: isPostgres ? 'place_longitude' : 'place.longitude',
    })[name] ?? name
  const numberOf = (name: string) => {
    const isTime = name === 'opened' || name === 'updated'
    if (!isTime) return `(${fieldOf(name)})::float8`
    return isPostgres ? `extract(epoch from ${name})::float8` : `epoch(${name})`
  }
  const summary = (value: string, more: string) =>
    `select count(*), count(${value}), count(distinct ${value}), ${more} from "Permit"`
  const statements: string[] = [summary('urgent', '0')]
  for (const name of textColumns) {
    const value = fieldOf(name)
    const length = name === 'tags' && !isPostgres ? 'len(tags)' : `length(${value})`
    statements.push(
      summary(value, `min(${value}), max(${value}), min(${length}), max(${length}), avg(${length})`),
    )
  }
  for (const name of measuredColumns) {
    const number = numberOf(name)
    const quartiles = isPostgres
      ? `percentile_cont(array[0.25, 0.5, 0.75]) within group (order by ${number})`
      : `quantile_cont(${number}, [0.25, 0.5, 0.75])`
    statements.push(
      summary(
        fieldOf(name),
        `min(${number}), max(${number}), avg(${number}), stddev_samp(${number}), ${quartiles}`,
      ),
    )
    const range = `(select min(${number}) as low, max(${number}) as high from "Permit") as range`
    statements.push(
      `select least(floor((${number} - low) / (high - low) * 20), 19) as bin, count(*) from "Permit", ${range} group by 1 order by 1`,
    )
  }
  for (const name of listedColumns)
    statements.push(
      `select ${fieldOf(name)} as value, count(*) from "Permit" group by 1 order by 2 desc, 1 limit 10`,
    )
  return statements
}

interface Statistics {
  readonly columns: readonly { readonly field: string; readonly distinct?: number }[]
}

/** @throws Error if the contenders count other distinct values */
export async function statistics(field: Field): Promise<Row[]> {
  const { served, path, others, runs } = field
  const get = () => timed(() => answerOf<Statistics>(served, `${path}/tables/Permit/statistics`))
  const forget = () => {
    for (const name of globSync('*/*.statistics.json', { cwd: join(served.folder, 'tables') }))
      rmSync(join(served.folder, 'tables', name))
  }
  let titles: number | undefined
  const check = (count: number) => {
    titles ??= count
    if (titles !== count) throw new Error(`There are ${titles} titles, or ${count}.`)
  }
  const another = (name: 'PostgreSQL' | 'DuckDB') => {
    const contender = others[name]
    if (contender === undefined) return {}
    const ask = async () => {
      const { ms, results } = await contender.ask(statisticsSql(name))
      check(Number(results[2]![0]![2]))
      return ms
    }
    return { [name]: ask }
  }
  const computed = await inTurns(runs, {
    Ulmus: async () => {
      forget()
      const { ms, value } = await get()
      check(value.columns.find(({ field }) => field === 'title')!.distinct!)
      return ms
    },
    ...another('PostgreSQL'),
    ...another('DuckDB'),
  })
  const again = await inTurns(20, { Ulmus: async () => (await get()).ms })
  return [
    rowOf('statistics of all columns, computed', computed, { budget: [{ times: 0.3, of: 'PostgreSQL' }] }),
    rowOf('statistics of all columns, again', again, { budget: [{ ms: 5 }] }),
  ]
}
