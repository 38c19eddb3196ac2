/** SQLite and PostgreSQL with the same records: one row a record, an index on every column, the members of `place` as columns. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { timed } from '../measure.ts'
import type { Contender } from './turns.ts'

/** Columns in the order of the properties: name, type of PostgreSQL. */
const permitColumns = {
  title: 'text',
  status: 'text',
  country: 'text',
  agency: 'text',
  officer: 'text',
  amount: 'float8',
  visits: 'bigint',
  urgent: 'boolean',
  opened: 'date',
  updated: 'timestamptz',
  place_name: 'text',
  place_latitude: 'float8',
  place_longitude: 'float8',
  tags: 'text',
  summary: 'text',
} as const
const agencyColumns = { name: 'text', region: 'text', budget: 'float8' } as const
const tables = { Permit: permitColumns, Agency: agencyColumns }

type Cell = string | number
type Data = Record<string, unknown>

/** A member of `place` is `place_name`. */
function cellOf(data: Data, column: string): Cell {
  const [name, member] = column.split('_') as [string, string?]
  const value = member === undefined ? data[name] : (data[name] as Data)[member]
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' ? JSON.stringify(value) : (value as Cell)
}

export interface Paths {
  readonly Permit: string
  readonly Agency: string
}

/** Questions run in this process, on one thread. */
export class Sqlite implements Contender {
  readonly #database: DatabaseSync

  private constructor(file: string) {
    this.#database = new DatabaseSync(file)
    this.#database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -524288')
  }

  static async load(file: string, paths: Paths): Promise<Sqlite> {
    const sqlite = new Sqlite(file)
    const database = sqlite.#database
    for (const [type, columns] of Object.entries(tables)) {
      const names = Object.keys(columns)
      const types = Object.values(columns).map((type) => (type === 'float8' ? 'real' : type))
      database.exec(
        `create table ${type} (_id text primary key, ${names.map((name, n) => `${name} ${types[n]}`).join(', ')}); begin`,
      )
      const insert = database.prepare(`insert into ${type} values (?${', ?'.repeat(names.length)})`)
      for await (const line of createInterface({ input: createReadStream(paths[type as keyof Paths]) })) {
        const { id, data } = JSON.parse(line) as { id: string; data: Data }
        insert.run(id, ...names.map((name) => cellOf(data, name)))
      }
      database.exec('commit')
      for (const name of names) database.exec(`create index ${type}_${name} on ${type} (${name})`)
    }
    const texts = 'title, status, country, agency, officer, place_name, tags, summary'
    database.exec(`create virtual table Words using fts5(${texts}, content = 'Permit');
      insert into Words (Words) values ('rebuild'); analyze`)
    return sqlite
  }

  async ask(statements: readonly string[]) {
    const { ms, value } = await timed(() =>
      statements.map((sql) => {
        const statement = this.#database.prepare(sql)
        statement.setReturnArrays(true)
        return statement.all() as unknown as unknown[][]
      }),
    )
    return { ms, results: value }
  }

  async close(): Promise<void> {
    this.#database.close()
  }
}

/** One session without parallel workers: the others have one thread too. */
export class Postgres implements Contender {
  readonly #client: pg.Client

  private constructor(url: string) {
    this.#client = new pg.Client({ connectionString: url })
  }

  static async load(url: string, paths: Paths): Promise<Postgres> {
    const postgres = new Postgres(url)
    const client = postgres.#client
    await client.connect()
    await client.query(
      'set max_parallel_workers_per_gather = 0; set time zone utc; create unlogged table raw (line jsonb)',
    )
    for (const [type, columns] of Object.entries(tables)) {
      // The two characters occur in no JSON, so each line is one value.
      await client.query(
        `truncate raw; copy raw from '${paths[type as keyof Paths]}' (format csv, quote e'\\x01', delimiter e'\\x02')`,
      )
      const values = Object.entries(columns).map(([column, kind]) => {
        const [name, member] = column.split('_') as [string, string?]
        const value = member === undefined ? `->>'${name}'` : `->'${name}'->>'${member}'`
        return `(line->'data'${value})::${kind} as ${column}`
      })
      await client.query(`create table "${type}" as select line->>'id' as _id, ${values.join(', ')} from raw`)
      await client.query(`alter table "${type}" add primary key (_id)`)
      for (const name of Object.keys(columns)) await client.query(`create index on "${type}" (${name})`)
    }
    await client.query('drop table raw')
    await client.query('vacuum analyze')
    await client.query('checkpoint')
    return postgres
  }

  async ask(statements: readonly string[]) {
    const { ms, value } = await timed(async () => {
      const results: unknown[][][] = []
      for (const text of statements)
        results.push((await this.#client.query({ text, rowMode: 'array' })).rows as unknown[][])
      return results
    })
    return { ms, results: value }
  }

  async close(): Promise<void> {
    await this.#client.end()
  }
}
