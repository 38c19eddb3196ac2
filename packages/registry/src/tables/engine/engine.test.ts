/** Answers of the engine equal a plain computation over the records. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  canonicalize,
  compareUtf8,
  type Json,
  type JsonObject,
  type QueryText,
  readTableQuery,
  tableColumns,
} from '@ulmus/content'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../../../content/src/testing/runs.ts'
import { refusalOf } from '../find-table.ts'
import { createStatement, insertStatement } from './build-sql.ts'
import { formFor } from './column-sql.ts'
import { Engine, EngineError } from './engine.ts'
import type { EngineReply, EngineTask } from './engine-task.ts'
import { countStatement, facetStatement, pageStatement, type Statement } from './query-sql.ts'
import { matches, orderedIds, type Row, topValues } from './reference.fixture.ts'
import { numberedStatement } from './statistics-sql.ts'
import { tables, texts } from './tables.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-engine-'))
const patiently = { milliseconds: 120_000, scratch: join(folder, 'scratch') }
let engine: ChildProcess
beforeAll(() => {
  engine = fork(fileURLToPath(new URL('./program.ts', import.meta.url)), { env: {}, execArgv: [] })
})
afterAll(() => {
  engine.kill()
  rmSync(folder, { recursive: true, force: true })
})

async function answer(
  file: string,
  statements: readonly Statement[],
  writes = false,
): Promise<unknown[][][]> {
  const task: EngineTask = {
    file,
    writes,
    begins: writes,
    ends: writes,
    statements,
    milliseconds: 20_000,
    memoryMebibytes: 512,
  }
  engine.send(task)
  const [reply] = (await once(engine, 'message')) as [EngineReply]
  if (reply.error !== undefined)
    throw new Error(`${reply.error}\n${statements.map(({ sql }) => sql).join('\n')}`)
  return reply.results as unknown[][][]
}

let files = 0
async function tableOf(schema: JsonObject, rows: readonly Row[]) {
  const columns = tableColumns(schema)
  const [lines, file] = [join(folder, `${++files}.ndjson`), join(folder, `${files}.duckdb`)]
  writeFileSync(
    lines,
    // By id, as in a tree.
    rows
      .toSorted((a, b) => compareUtf8(a.id, b.id))
      .map(({ id, data }) => `{"id":${JSON.stringify(id)},"data":${canonicalize(data)}}`)
      .join('\n'),
  )
  const plain = (sql: string): Statement => ({ sql, values: [] })
  const form = formFor(schema, columns.slice(1))
  await answer(file, [plain(createStatement(columns)), plain(insertStatement(lines, columns, form))], true)
  return { columns, file }
}

test('pages, counts and facets are those of the records', async () => {
  await fc.assert(
    fc.asyncProperty(
      tables,
      texts,
      fc.nat(20),
      fc.boolean(),
      async ({ schema, rows }, text, pick, isDescending) => {
        const { columns, file } = await tableOf(schema, rows)
        const column = columns[pick % columns.length]!
        const field = JSON.stringify(column.name)
        const filters = [`${field} null`, `${field} notnull`]
        if (column.type === 'text')
          for (const operator of ['eq', 'ne', 'lt', 'ge', 'contains', 'starts', 'ends'])
            filters.push(`${field} ${operator} ${JSON.stringify(text)}`)
        if (column.type === 'integer' || column.type === 'number')
          for (const operator of ['eq', 'ne', 'lt', 'ge'])
            for (const value of ['0', '9007199254740992', '-1e19', '1e300'])
              filters.push(`${field} ${operator} ${value}`)
        if (column.type === 'date') filters.push(`${field} ge 2000-01-01`)
        if (column.type === 'date-time') filters.push(`${field} lt 2024-02-29T12:00:00.001Z`)
        if (column.type === 'list' && column.items === 'text')
          filters.push(`${field} contains ${JSON.stringify(text)}`)
        const isOrdered = !['list', 'object', 'json'].includes(column.type)
        for (const filter of filters) {
          const query = readTableQuery(
            { filter, ...(isOrdered && { sort: `${isDescending ? '-' : ''}${field}` }) },
            columns,
          )
          const matching = rows.filter((row) => matches(row, query))
          const [page, [count]] = (await answer(file, [pageStatement(query), countStatement(query)])) as [
            unknown[][],
            unknown[][],
          ]
          expect([filter, page.flat()]).toEqual([filter, orderedIds(matching, query)])
          expect(Number(count![0])).toBe(matching.length)
        }
        if (column.type !== 'object' && column.type !== 'json') {
          const query = readTableQuery({ columns: field }, columns)
          const [found] = await answer(file, [facetStatement(query, query.columns![0]!)])
          expect(found!.map(([, count]) => Number(count))).toEqual(
            topValues(rows, query.columns![0]!).map(({ count }) => count),
          )
        }
      },
    ),
    { numRuns: runs(100) },
  )
}, 300_000)

test('a property with a number as its name is no item of a list', async () => {
  const kinds: JsonObject[] = [
    { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false },
    { type: 'array', items: { type: 'string' } },
    { type: 'string' },
    {},
  ]
  for (const kind of kinds) {
    const rows: Row[] = [
      { id: 'a', data: ['x', ''] },
      { id: 'b', data: { 2: 'y' } },
    ]
    const { columns, file } = await tableOf({ properties: { 0: kind, 1: kind } }, rows)
    for (const name of ['0', '1']) {
      const query = readTableQuery({ filter: `"${name}" null` }, columns)
      expect(await answer(file, [pageStatement(query)])).toEqual([[['a'], ['b']]])
    }
  }
})

test('the best matches of words come first: equal texts, beginnings, words, then the rest, each by id', async () => {
  const schema = {
    properties: { name: { type: 'string' }, also: { type: 'array', items: { type: 'string' } }, value: {} },
  }
  const data: Json[] = [
    { name: 'Kolimanovo' },
    { name: 'Limay' },
    { name: 'Old Lima' },
    { name: 'Calima', also: ['x', 'LÍMA'] },
    { name: 'Lima' },
    { name: 'x', also: ['Lima Duarte'] },
    { name: 'Villa Lima Norte' },
    { name: 'Lima, Ohio' },
    { name: 'Nova-Lima' },
    { name: "x'; DROP TABLE records; --", value: { lima: 1 } },
  ]
  const rows = data.map((one, n) => ({ id: `r${n}`, data: one }))
  const { columns, file } = await tableOf(schema, rows)
  const ids = async (text: QueryText) =>
    (await answer(file, [pageStatement(readTableQuery({ sort: '_match', ...text }, columns))]))[0]!.flat()
  expect(await ids({ q: 'lima' })).toEqual(['r3', 'r4', 'r1', 'r5', 'r7', 'r2', 'r6', 'r0', 'r8', 'r9'])
  expect(await ids({ q: 'lima', sort: undefined })).toEqual(rows.map(({ id }) => id))
  expect(await ids({ q: '  norte   villa ' })).toEqual(['r6'])
  expect(await ids({ q: 'lima x' })).toEqual(['r3', 'r5', 'r9'])
  expect(await ids({ q: 'lima  duarte', filter: 'name eq x' })).toEqual(['r5'])
  // Pages are parts of one order.
  const pages: unknown[] = []
  for (const offset of [0, 3, 6, 9]) pages.push(...(await ids({ q: 'lima', offset, limit: 3 })))
  expect(pages).toEqual(await ids({ q: 'lima' }))
  for (const q of ["'", '"', '$1', '%', '\\', 'value', '__proto__', 'x '.repeat(16)]) await ids({ q })
})

test('ids that are whole numbers are ordered as numbers, of any length, and pages are parts of one order', async () => {
  const numbers = ['9', '10', '0', '123456789012345678901234567890', '100', '2']
  const { columns, file } = await tableOf(
    { properties: { name: { type: 'string' } } },
    numbers.map((id) => ({ id, data: { name: `n${id}` } })),
  )
  const ids = async (text: QueryText) =>
    (await answer(file, [pageStatement(readTableQuery(text, columns))]))[0]!.flat()
  const sorted = numbers.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
  expect(await ids({ sort: '_number' })).toEqual(sorted)
  expect(await ids({ sort: '-_number' })).toEqual(sorted.toReversed())
  expect(await ids({ sort: '_number', filter: 'name ne n2', offset: 1, limit: 2 })).toEqual(['9', '10'])
  expect(await ids({})).toEqual(numbers.toSorted())
})

test.each([
  [['0', '7', '10'], true],
  [['7', '007'], false],
  [['7', '-1'], false],
  [['7', '1e5'], false],
  [['7', '٣'], false],
  [['7', 'x\n7'], false],
  [[], false],
])('ids %j are numbers: %j', async (ids, expected) => {
  const rows = ids.map((id) => ({ id, data: {} }))
  const { file } = await tableOf({ properties: { name: { type: 'string' } } }, rows)
  expect(await answer(file, [{ sql: numberedStatement, values: [] }])).toEqual([[[expected]]])
})

test('statistics of large tables may need more memory than a question has', async () => {
  const { file } = await tableOf({ properties: { x: { type: 'string' } } }, [])
  const sql = 'SELECT count(DISTINCT x) FROM (SELECT repeat(range::VARCHAR, 20) AS x FROM range(4000000))'
  const one = new Engine()
  try {
    await expect(one.ask('ada', file, [{ sql, values: [] }])).rejects.toMatchObject({
      kind: 'too_costly',
      seconds: 5,
    })
    const [rows] = await one.askPatiently('ada', file, [{ sql, values: [] }], patiently)
    expect(rows).toEqual([['4000000']])
    expect(existsSync(join(folder, 'scratch'))).toBe(false)
  } finally {
    one.close()
  }
})

test('refusals name the time that the statement was allowed', async () => {
  const { file } = await tableOf({ properties: { x: { type: 'string' } } }, [])
  const one = new Engine()
  try {
    const failed = one.askPatiently('ada', file, [{ sql: 'nonsense', values: [] }], patiently)
    await expect(failed).rejects.toMatchObject({ kind: 'failed', seconds: 120 })
  } finally {
    one.close()
  }
  for (const seconds of [5, 120])
    expect(refusalOf(new EngineError('too_costly', 'INTERRUPT Error', seconds)).message).toMatch(
      `longer than the ${seconds} seconds that are allowed`,
    )
})
