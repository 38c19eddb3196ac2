/** Statistics and facets of the longest texts are short, and exact. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findColumns, isCutValue, type JsonObject, parseJson, tableColumns } from '@ulmus/content'
import type { TableStatistics } from '@ulmus/wire'
import { afterAll, expect, test } from 'vitest'
import { createStatement, insertStatement } from './engine/build-sql.ts'
import { formFor } from './engine/column-sql.ts'
import { Engine } from './engine/engine.ts'
import { facetStatement } from './engine/query-sql.ts'
import { facetOf } from './questions.ts'
import { type Ask, statisticsBytes, textBytesMax, writeStatistics } from './statistics.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-statistics-'))
const engine = new Engine()
afterAll(() => {
  engine.close()
  rmSync(folder, { recursive: true, force: true })
})

const long = 1_000_000
/** Pairs of records whose long values differ in their last character only. */
const rows = Array.from({ length: 12 }, (_, n) => ({
  id: `${n}-`.padEnd(1_000, 'i'),
  data: {
    value: 'x'.repeat(long) + (n % 2),
    list: ['y'.repeat(long) + (n % 3), 'short'],
    any: { deep: ['z'.repeat(long) + (n % 4)] },
    short: 'ü'.repeat(100),
  },
}))
const schema: JsonObject = {
  type: 'object',
  properties: {
    value: { type: 'string' },
    list: { type: 'array', items: { type: 'string' } },
    any: {},
    short: { type: 'string' },
  },
}

async function tableOf() {
  const columns = tableColumns(schema)
  const [lines, file] = [join(folder, 'lines.ndjson'), join(folder, 'table.duckdb')]
  writeFileSync(lines, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const sql = [
    'BEGIN',
    createStatement(columns),
    insertStatement(lines, columns, formFor(schema, columns.slice(1))),
  ]
  await engine.writer.begin(
    file,
    sql.map((one) => ({ sql: one, values: [] })),
    false,
  )
  await engine.writer.end(file, [{ sql: 'COMMIT', values: [] }])
  /** Characters of the answers of the engine. */
  let sent = 0
  const ask: Ask = async (statements) => {
    const answer = await engine.ask('ada', file, statements)
    sent = Math.max(sent, JSON.stringify(answer).length)
    return answer
  }
  return { columns, ask, sent: () => sent }
}

test('of long texts only the beginning is sent, and whole ones are compared', async () => {
  const { columns, ask, sent } = await tableOf()
  const bytes = await writeStatistics(columns, {}, ask)
  expect(bytes.length).toBeLessThan(statisticsBytes(columns))
  const statistics = parseJson(String(bytes)) as TableStatistics
  const cut = `${'x'.repeat(100)}…`
  expect(statistics.columns.find(({ field }) => field === 'value')).toMatchObject({
    distinct: 2,
    min: cut,
    max: cut,
    top: [
      { value: cut, count: 6 },
      { value: cut, count: 6 },
    ],
    lengths: { min: long + 1, max: long + 1 },
  })
  const short = statistics.columns.find(({ field }) => field === 'short')!
  expect([short.min, isCutValue(short.min), isCutValue(cut)]).toEqual(['ü'.repeat(100), false, true])

  const facets: unknown[] = []
  for (const column of findColumns(columns)) {
    const [counted] = await ask([facetStatement({ words: [], filters: [] }, column)])
    facets.push(parseJson(String(facetOf(column, counted!))))
  }
  expect(facets.slice(3, 5)).toMatchObject([
    {
      field: 'list',
      values: [{ value: 'short', count: 12 }, ...Array(3).fill({ value: `${'y'.repeat(100)}…`, count: 4 })],
    },
    { field: 'any', values: Array(4).fill({ value: `{"deep":["${'z'.repeat(90)}…`, count: 3 }) },
  ])
  expect(sent()).toBeLessThan(20_000)
}, 120_000)

test('columns beyond the room for texts have figures alone', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, n) => [`c${n}`, { type: 'string' }]),
  )
  const columns = tableColumns({ type: 'object', properties } as JsonObject)
  const value = '\u0001'.repeat(101)
  let most = 0
  const ask: Ask = async (statements) => {
    most = Math.max(most, statements.length)
    const values = Array.from({ length: 10 }, (_, n) => [value, `${n + 1}`])
    return [[['20', '20', '20', value, value, '101', '101', '101']], values].slice(0, statements.length)
  }
  const bytes = await writeStatistics(columns, {}, ask)
  expect(bytes.length).toBeLessThan(statisticsBytes(columns))
  expect(statisticsBytes(columns)).toBeLessThan(textBytesMax + 2_001 * 800)
  const statistics = parseJson(String(bytes)) as TableStatistics
  expect(statistics.columns).toHaveLength(2_001)
  expect(statistics.columns[1]).toHaveProperty('top')
  expect(statistics.columns.at(-1)).toEqual({
    field: 'c1999',
    type: 'text',
    count: 20,
    nulls: 0,
    misfits: 0,
    distinct: 20,
    lengths: { min: 101, max: 101, mean: 101 },
  })
})
