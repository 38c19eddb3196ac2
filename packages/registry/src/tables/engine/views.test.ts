/**
 * Rows, facets, statistics, CSV, Parquet and SQL of both views equal a plain computation over the records, and other readers never see a
 * private name or value.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import {
  canonicalize,
  compareUtf8,
  type FoundColumn,
  findColumns,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  tableColumns,
} from '@ulmus/content'
import { unlimitedSpace } from '@ulmus/storage'
import { anyDatabase } from '@ulmus/storage/testing'
import type { Facets, TableStatistics } from '@ulmus/wire'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../../../../content/src/testing/runs.ts'
import { jsonOf } from '../../answers/json-text.ts'
import type { Principal } from '../../principal.ts'
import { openContext } from '../../testing/context.ts'
import { inhabit, type Path, settle, type World } from '../../testing/world.ts'
import type { Building, TablePath } from '../find-table.ts'
import { installTables } from '../install.ts'
import { type Tables, tablesOf, usualTables } from '../tables.ts'
import { cellOf, type Row, topValues } from './reference.fixture.ts'
import { tables as schemasWithRows } from './tables.fixture.ts'

/** A record of the test: with private fields, or private itself. */
interface Item extends Row {
  readonly private: boolean
}

/** The schema with null allowed everywhere, since the records have nulls. */
function nullable(schema: Json): Json {
  if (Array.isArray(schema) || !isJsonObject(schema)) return schema
  const { type, items, properties } = schema
  return {
    ...schema,
    ...(typeof type === 'string' && { type: [type, 'null'] }),
    ...(items !== undefined && { items: nullable(items) }),
    ...(isJsonObject(properties) && { properties: eachOf(properties, nullable) }),
  }
}
const eachOf = (object: JsonObject, change: (value: Json, name: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))
const without = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

const hush = 'hush "field".x'
/** Collections with a private field of this name, further private fields, private records and a private type. */
const collections = schemasWithRows
  // Without a type, records may be anything.
  .filter(({ schema }) => schema['type'] === 'object')
  .chain(({ schema, rows }) => {
    const names = Object.keys(schema['properties'] as JsonObject)
    return fc.record({
      schema: fc.constant(schema),
      rows: fc.constant(rows.filter(({ data }) => isJsonObject(data))),
      hidden: fc.subarray(names.filter((name) => name !== '__proto__')),
      marks: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
    })
  })
  .map(({ schema, rows, hidden, marks }) => {
    const secret = [...hidden, hush]
    const properties: JsonObject = {
      ...eachOf(schema['properties'] as JsonObject, (property, name) => ({
        ...(nullable(property) as JsonObject),
        ...(hidden.includes(name) && { private: true }),
      })),
      [hush]: { type: 'string', private: true },
    }
    const items = rows.map(
      ({ id, data }, n): Item => ({
        id: marks[n] ? `hush-${id}` : id,
        data: { ...(data as JsonObject), [hush]: `hush-value-${n}` },
        private: marks[n]!,
      }),
    )
    return {
      schema: { type: 'object', properties } as JsonObject,
      publicSchema: { type: 'object', properties: without(properties, secret) } as JsonObject,
      items,
      publicItems: items
        .filter((item) => !item.private)
        .map((item): Item => ({ ...item, data: without(item.data as JsonObject, secret) })),
    }
  })

const isScalar = ({ type }: FoundColumn) => !['list', 'object', 'json'].includes(type)
const isNumber = ({ type }: FoundColumn) => type === 'number' || type === 'integer'

/** Statistics of the values of a column, as the API has them. */
function statisticsOf(column: FoundColumn, rows: readonly Row[]) {
  const values = rows.map((row) => cellOf(row, column)).filter((value) => value !== undefined)
  const count = { count: values.length, nulls: rows.length - values.length }
  if (!isScalar(column)) return count
  const distinct = { ...count, distinct: new Set(values).size }
  if (!isNumber(column) || values.length === 0) return distinct
  const sorted = values.map(Number).sort((a, b) => a - b)
  const near = (value: number) => expect.closeTo(value, 4)
  const ends = { ...distinct, min: sorted[0], max: sorted.at(-1) }
  // Sums of large doubles depend on their order.
  if (sorted.some((value) => Math.abs(value) > 1e9)) return ends
  const quartiles = [0.25, 0.5, 0.75].map((part) => {
    const at = part * (sorted.length - 1)
    const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!]
    return near(low + (high - low) * (at - Math.floor(at)))
  })
  return { ...ends, mean: near(sorted.reduce((sum, value) => sum + value, 0) / sorted.length), quartiles }
}

/** Rows of cells; undefined: an empty cell without quotation marks. */
function cellsOfCsv(text: string): (string | undefined)[][] {
  const rows: (string | undefined)[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n"]*))(,|\n)/g)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? (plain === '' ? undefined : plain))
    if (end === '\n') rows.push([])
  }
  return rows.slice(0, -1)
}

describe.each(anyDatabase)('both views on $name', (database) => {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-views-'))
  const ending = new AsyncDisposableStack()
  let world: World
  let tables: Tables

  beforeAll(async () => {
    const context = await openContext(database)
    ending.defer(() => context.dispose())
    const people = await settle(context)
    const place = { folder: join(folder, 'tables'), space: unlimitedSpace, bytesMax: null, log: context.log }
    tables = tablesOf(
      context,
      { ...usualTables, sql: 'public', sqlSeconds: 60 },
      await installTables(place, ending),
    )
    world = await inhabit(context, people)
  })
  afterAll(async () => {
    await ending.disposeAsync()
    rmSync(folder, { recursive: true, force: true })
  })

  async function built<T>(ask: () => Promise<T | Building>): Promise<T> {
    for (;;) {
      const answer = await ask()
      if (typeof answer !== 'object' || answer === null || !('building' in answer)) return answer as T
    }
  }
  const parsed = (answer: unknown) => parseJson(jsonOf(answer).toString()) as Json
  const bytesOf = async (file: { stream(): AsyncIterable<Uint8Array> }) =>
    Buffer.concat(await Array.fromAsync(file.stream()))

  async function parquetRows(bytes: Uint8Array): Promise<Json[][]> {
    const file = join(folder, 'read.parquet')
    writeFileSync(file, bytes)
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await instance.connect()
    try {
      return (await connection.runAndReadAll(`FROM read_parquet('${file}')`)).getRowsJson() as Json[][]
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  }

  /** Groups of a chart count the values that there are: names each, times and numbers all together. */
  async function checkGroups(who: Principal, table: TablePath, column: FoundColumn, rows: readonly Row[]) {
    const x = JSON.stringify(column.name)
    const ask = { x, measure: 'count', of: undefined, by: undefined } as const
    const groups = await built(() => tables.groups(who, table, ask))
    const counts = groups.rows.map(([, , count]) => count!)
    const values = rows
      .map((row) => cellOf(row, column))
      .filter((value) => value !== null && value !== undefined)
    if (groups.kind === 'names') expect(counts).toEqual(topValues(rows, column).map(({ count }) => count))
    else if (new Set(values).size > 1) expect(counts.reduce((a, b) => a + b, 0)).toBe(values.length)
  }

  /** Compares all answers of a view. Returns everything that its reader got. */
  async function check(
    who: Principal,
    path: Path,
    schema: JsonObject,
    rows: readonly Row[],
  ): Promise<string> {
    const table = { ...path, v: 'v1.0.0', type: 'A' }
    // As it is stored: with sorted members.
    const columns = tableColumns(parseJson(canonicalize(schema)) as JsonObject)
    const sorted = rows.toSorted((a, b) => compareUtf8(a.id, b.id))
    const listed = parsed(await tables.list(who, table)) as unknown as { type: string }[]
    expect(listed.find(({ type }) => type === 'A')).toMatchObject({ records: rows.length, columns })

    const page = parsed(await built(() => tables.rows(who, table, {})))
    expect(page).toMatchObject({ total: rows.length, rows: sorted.map(({ id, data }) => ({ id, data })) })

    const found = findColumns(columns)
    const fields = columns.filter(({ type }) => type !== 'object' && type !== 'json').slice(0, 8)
    const facet = fields.map(({ name }) => JSON.stringify(name))
    const facets = parsed(await built(() => tables.facets(who, table, { facet }))) as unknown as Facets
    for (const [index, { values }] of facets.facets.entries()) {
      const wanted = topValues(rows, { ...fields[index]!, names: [fields[index]!.name] })
      expect(values.map(({ count }) => count)).toEqual(wanted.map(({ count }) => count))
    }

    for (const column of fields) await checkGroups(who, table, { ...column, names: [column.name] }, rows)

    const statistics = parsed(await built(() => tables.statistics(who, table))) as unknown as TableStatistics
    expect(statistics.rows).toBe(rows.length)
    for (const [index, column] of found.entries())
      expect(statistics.columns[index]).toMatchObject(statisticsOf(column, rows))

    const csv = (await bytesOf(await built(() => tables.csv(who, table, {})))).toString()
    const [header, ...lines] = cellsOfCsv(csv)
    expect(header).toEqual(columns.map(({ name }) => name))
    const parquet = await bytesOf(await built(() => tables.parquet(who, table)))
    const stored = await parquetRows(parquet)
    for (const [index, column] of columns.entries()) {
      if (column.type !== 'text' && column.type !== 'boolean') continue
      const wanted = sorted.map((row) => cellOf(row, { ...column, names: [column.name] }))
      expect(lines.map((line) => line[index])).toEqual(wanted.map((value) => value?.toString()))
      expect(stored.map((row) => row[index] ?? undefined)).toEqual(wanted)
    }
    expect([lines.length, stored.length]).toEqual([rows.length, rows.length])

    const sql = `SELECT (SELECT count(*) FROM A), list(name) FROM (
      SELECT column_name AS name FROM duckdb_columns() UNION ALL SELECT table_name FROM duckdb_tables()
      UNION ALL SELECT view_name FROM duckdb_views() UNION ALL SELECT column_name FROM information_schema.columns
      UNION ALL SELECT r::VARCHAR FROM t0.records r) t -- HushType`
    const { pieces } = await built(() => tables.sql(who, table, { sql, limit: 10, format: 'json' }))
    expect(parseJson(pieces.join(''))).toMatchObject({ rows: [[rows.length, expect.anything()]] })
    const answers = [listed, page, facets, statistics].map((answer) => JSON.stringify(answer))
    return [...answers, csv, parquet.toString('latin1'), ...pieces].join('\n')
  }

  test('are exact, and the public one has nothing private', async () => {
    await fc.assert(
      fc.asyncProperty(collections, async ({ schema, publicSchema, items, publicItems }) => {
        const path = await world.collection()
        await world.push(path, {
          base: null,
          schemas: { A: schema, HushType: { type: 'object', private: true, properties: { hush: {} } } },
          puts: [
            ...items.map((item) => ({ ...item, type: 'A' })),
            { id: 'hush', type: 'HushType', data: { hush: 'hush' } },
          ],
        })
        expect(await check(world.me, path, schema, items)).toContain('hush')
        const seen = await check({ kind: 'anonymous' }, path, publicSchema, publicItems)
        expect(seen).not.toMatch(/hush/i)
      }),
      // Shrinking pushes hundreds of collections.
      { numRuns: runs(8), endOnFailure: true },
    )
  }, 300_000)
})
