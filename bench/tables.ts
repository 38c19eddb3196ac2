/**
 * Measures tables: the first one of a version, its Parquet file, and questions about it over HTTP, by turns with SQLite (an index on every
 * column, FTS5), PostgreSQL (an index on every column) and DuckDB alone. Prints a Markdown table for bench/meaning.md.
 * Usage: npm run bench:tables [-- --records 1000000 --runs 5 --database embedded|server --building --alone]
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Bench } from './bench.ts'
import { Figures } from './figures.ts'
import { bodiesOf, type Input } from './inputs.ts'
import { pushBodies } from './pushing.ts'
import { Served } from './served.ts'
import { answerOf, firstTable, parquet, readsBeside, sharing } from './tables/building.ts'
import { Postgres, Sqlite } from './tables/contenders.ts'
import { DuckDb } from './tables/duckdb.ts'
import { firstAnswers } from './tables/processes.ts'
import { facetRows, filterRows, sortRows, sqlRows } from './tables/questions.ts'
import { schemas, writeAgencies, writePermits } from './tables/records.ts'
import { lineOf, type Row, sectionText } from './tables/report.ts'
import { statistics } from './tables/statistics.ts'
import type { Contender, Field, Version } from './tables/turns.ts'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '5' },
    database: { type: 'string', default: 'embedded' },
    /** Leaves out the questions that others answer, too. */
    building: { type: 'boolean', default: false },
    /** Asks Ulmus only: at 10,000,000 records the others need hours for their indexes. */
    alone: { type: 'boolean', default: false },
  },
})
const [size, runs] = [Number(values.records), Number(values.runs)]
const began = performance.now()
const say = (text: string): void =>
  void process.stderr.write(`· ${text} (${Math.round((performance.now() - began) / 1_000)} s)\n`)

/** Says measured rows at once: a run takes an hour, and a later question may fail. */
function told(rows: Row[]): Row[] {
  for (const row of rows) say(lineOf(row))
  return rows
}

const bench = new Bench(mkdtempSync(join(tmpdir(), 'ulmus-bench-tables-')), new Figures(), size)
const end = () => void bench.close().then(() => process.exit(1))
process.once('SIGINT', end).once('SIGTERM', end)
try {
  const permits = await writePermits(bench.folder, size)
  const rows = await measure(permits, await writeAgencies(bench.folder))
  const about = { size, runs, database: values.database, bytes: permits.bytes }
  process.stdout.write(sectionText(rows, about, values.alone ? ' --alone' : ''))
} finally {
  process.off('SIGINT', end).off('SIGTERM', end)
  await bench.close()
}

async function measure(permits: Input, agencies: Input): Promise<Row[]> {
  say('push')
  const databaseUrl = values.database === 'server' ? await bench.newDatabase() : undefined
  const served = await Served.open({
    folder: join(bench.folder, 'data'),
    ...(databaseUrl && { databaseUrl }),
  })
  try {
    const ref = `${served.owner}/permits`
    await served.client.collections.create(served.owner, { slug: 'permits', public: true })
    const { semver } = await pushBodies(served, ref, null, bodiesOfAll([agencies, permits]), schemas)
    const path = `/api/collections/${ref}/versions/${semver}`
    const version: Version = { served, ref, path, size, runs, bytes: permits.bytes }
    say('first table')
    const rows = told(await firstTable(version, values.alone ? undefined : permits.path, bench.folder))
    say('reads beside a build')
    rows.push(...told([...(await readsBeside(version)), ...(await parquet(version))]))
    await answerOf(served, `${path}/tables/Agency/rows?limit=1`)
    say('first answers')
    rows.push(...told([...(await firstAnswers(version)), ...(await sharing(version))]))
    if (!values.building)
      rows.push(...(await askByTurns(version, { Permit: permits.path, Agency: agencies.path })))
    return rows
  } finally {
    await served.close()
  }
}

async function askByTurns(version: Version, paths: { Permit: string; Agency: string }): Promise<Row[]> {
  const others = values.alone ? {} : await loadOthers(paths)
  const field: Field = { ...version, others }
  const rows: Row[] = []
  const parts = {
    facets: facetRows,
    statistics,
    SQL: sqlRows,
    'filters and search': filterRows,
    sorting: sortRows,
  }
  try {
    for (const [name, part] of Object.entries(parts)) {
      say(name)
      rows.push(...told(await part(field)))
    }
    return rows
  } finally {
    for (const contender of Object.values<Contender>(others)) await contender.close()
  }
}

async function loadOthers(paths: { Permit: string; Agency: string }) {
  const file = (name: string) => join(bench.folder, name)
  say('SQLite')
  const SQLite = await Sqlite.load(file('contender.sqlite'), paths)
  say('PostgreSQL')
  const PostgreSQL = await Postgres.load(await bench.newDatabase(), paths)
  const DuckDB = new DuckDb(file('contender.duckdb'))
  await DuckDB.build(paths)
  return { SQLite, PostgreSQL, DuckDB }
}

async function* bodiesOfAll(inputs: readonly Input[]): AsyncGenerator<Buffer<ArrayBuffer>> {
  for (const input of inputs) yield* bodiesOf(input)
}
