/** Questions about the table of permits: facets, statistics, SQL, filters, search, sorting. */
import { countryOf, permitAt } from './records.ts'
import { type Row, rowOf } from './report.ts'
import {
  type Answered,
  askAll,
  type Field,
  inTurns,
  type Measured,
  type Name,
  type Question,
} from './turns.ts'

const faceted = ['status', 'country', 'agency', 'officer', 'urgent']
const page = 100

interface FacetsAnswer {
  readonly facets: readonly { values: readonly { count: number }[]; others: number }[]
}
interface RowsAnswer {
  readonly total: number
  readonly rows: readonly unknown[]
}
interface SqlAnswer {
  readonly rows: readonly (readonly unknown[])[]
}

const column = (rows: Answered['results'][number], index: number) => rows.map((row) => Number(row[index]))

const facetSql = (name: string, where: string): string =>
  `with counted as (select ${name} as value, count(*) as count from "Permit" where ${where} group by 1)
   select value, count, (select count(*) from counted) from counted order by 2 desc, 1 limit 30`

/** @param filterOf a filter in the query of a URL, and as SQL, for a run */
function facets(filterOf: (run: number) => { query: string; where: string }): Question {
  return {
    ulmus: (run) => ({
      path: `/tables/Permit/facets?${faceted.map((name) => `facet=${name}`).join('&')}${filterOf(run).query}`,
    }),
    sql: (run) => faceted.map((name) => facetSql(name, filterOf(run).where)),
    counts: {
      ulmus: ({ facets: found }: FacetsAnswer) =>
        found.flatMap(({ values }) => values.map(({ count }) => count)),
      others: (results) => results.flatMap((rows) => column(rows, 1)),
    },
  }
}

/** A page of whole rows and the number of all. */
function rows(
  queryOf: (run: number) => {
    query: string
    where: (name: Name) => string
    order?: (name: Name) => string
    offset?: number
  },
): Question {
  return {
    ulmus: (run) => ({ path: `/tables/Permit/rows?limit=${page}&${queryOf(run).query}` }),
    sql: (run, name) => {
      const { where, order = () => '_id', offset = 0 } = queryOf(run)
      return [
        `select count(*) from "Permit" where ${where(name)}`,
        `select * from "Permit" where ${where(name)} order by ${order(name)} limit ${page} offset ${offset}`,
      ]
    },
    counts: {
      ulmus: ({ total, rows: found }: RowsAnswer) => [total, found.length],
      others: ([counts, found]) => [Number(counts![0]![0]), found!.length],
    },
  }
}

const sql = (textOf: (name: Name) => string): Question => ({
  ulmus: () => ({ path: '/sql', sql: textOf('DuckDB') }),
  sql: (_run, name) => [textOf(name)],
  counts: {
    ulmus: (answer: SqlAnswer) => column(answer.rows, 1),
    others: ([found]) => column(found!, 1),
  },
})

const texts = ['title', 'status', 'country', 'agency', 'officer', 'place_name', 'tags', 'summary']

/** A word of some record, frequent or rare. */
const wordOf = (run: number, size: number): string =>
  permitAt((run * 7_919) % size)
    .title.split(' ')
    .at(-1)!
    .toLowerCase()

function contains(word: string, name: Name): string {
  if (name === 'DuckDB')
    return texts
      .map((one) => (one === 'tags' ? "array_to_string(tags, ' ')" : one.replace('_', '.')))
      .map((text) => `contains(lower(${text}), '${word}')`)
      .join(' or ')
  return texts.map((text) => `${text} ${name === 'SQLite' ? 'like' : 'ilike'} '%${word}%'`).join(' or ')
}

export async function facetRows(field: Field): Promise<Row[]> {
  const filtered = (run: number) => {
    const amount = 1_000 + run
    return { query: `&filter=amount gt ${amount}`, where: `amount > ${amount}` }
  }
  const unfiltered = facets(() => ({ query: '', where: 'true' }))
  const budget: Row['budget'] = [
    { times: 0.25, of: 'SQLite' },
    { times: 0.2, of: 'PostgreSQL' },
  ]
  return [
    rowOf('five facets, top 30 of each', await askAll(field, unfiltered), { budget }),
    rowOf('the same under a filter', await askAll(field, facets(filtered))),
  ]
}

export async function sqlRows(field: Field): Promise<Row[]> {
  const budget: Row['budget'] = [
    { times: 0.2, of: 'PostgreSQL' },
    { moreMs: 20, of: 'DuckDB' },
  ]
  const grouped =
    'select country, count(*), avg(amount), max(opened) from "Permit" group by country order by 2 desc, 1 limit 50'
  const median = (name: Name) =>
    `select status, count(*), ${name === 'PostgreSQL' ? 'percentile_cont(0.5) within group (order by amount)' : 'median(amount)'}
     from "Permit" group by status order by 2 desc, 1`
  const joined = `select region, count(*), sum(amount) from "Permit" p join "Agency" a on a._id = p.agency group by region order by 2 desc, 1`
  const ask = (textOf: (name: Name) => string) => askAll(field, sql(textOf), 2 * field.runs)
  return [
    rowOf('SQL: group by', await ask(() => grouped), { budget }),
    rowOf('SQL: median by group', await ask(median), { budget }),
    rowOf('SQL: join of two types', await ask(() => joined), { budget }),
  ]
}

export async function filterRows(field: Field): Promise<Row[]> {
  const filter = rows((run) => ({
    query: `filter=status eq draft&filter=amount gt ${10_000 + run}`,
    where: () => `status = 'draft' and amount > ${10_000 + run}`,
  }))
  const selective = rows((run) => ({
    query: `filter=country eq ${JSON.stringify(countryOf(100 + run))}&filter=amount gt 10000`,
    where: () => `country = '${countryOf(100 + run)}' and amount > 10000`,
  }))
  const search = rows((run) => ({
    query: `q=${wordOf(run, field.size)}`,
    where: (name) => contains(wordOf(run, field.size), name),
  }))
  const words = (run: number) => `select count(*) from Words where Words match '"${wordOf(run, field.size)}"'`
  const sqlite = field.others.SQLite
  const ofWords =
    sqlite && (await inTurns(3 * field.runs, { SQLite: async (run) => (await sqlite.ask([words(run)])).ms }))
  const ofSearch = await askAll(field, search, 2 * field.runs)
  return [
    rowOf('equality and range: count, first page of whole rows', await askAll(field, filter), {
      budget: [{ times: 0.5, of: 'SQLite' }],
    }),
    rowOf('the same with a rare value', await askAll(field, selective)),
    rowOf('search in all texts: count, first page of whole rows', ofSearch, {
      budget: [{ times: 1, of: 'SQLite' }],
    }),
    ...(ofWords ? [rowOf('count of a whole word alone, by FTS5', ofWords)] : []),
  ]
}

/** The slowest of the columns that have an order, both ways, and another page each time. */
export async function sortRows(field: Field): Promise<Row[]> {
  const sorted = 'title status officer amount visits urgent opened updated place.latitude summary'.split(' ')
  const found: Row[] = []
  for (const [number, ms] of [
    [1, 350],
    [500, 600],
  ] as const) {
    const measured: Measured = {}
    for (const name of sorted) {
      const question = rows((run) => {
        const offset = Math.min(page * (number - 1 + run), field.size - page)
        const isDescending = run % 2 === 1
        const orderOf = (by: Name) => {
          const key = by === 'DuckDB' ? name : name.replace('.', '_')
          const direction = isDescending ? 'desc' : 'asc'
          return by === 'SQLite' ? `${key} ${direction}, rowid ${direction}` : `${key} ${direction}, _id`
        }
        return {
          query: `sort=${isDescending ? '-' : ''}${name}&offset=${offset}`,
          where: () => 'true',
          order: orderOf,
          offset,
        }
      })
      const ofColumn = await askAll(field, question, field.runs)
      for (const [by, spread] of Object.entries(ofColumn) as [Name, Measured[Name] & {}][])
        if (spread.median > (measured[by]?.median ?? 0)) measured[by] = spread
    }
    const what = `sort, whole rows, slowest of ${sorted.length} columns: page ${number} to ${number + field.runs}`
    found.push(rowOf(what, measured, { budget: [{ ms }] }))
  }
  return found
}
