/** Answers of the engine equal a plain computation over the records. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canonicalize, type Json, type JsonObject, readTableQuery, tableColumns } from '@ulmus/content'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../../../content/src/testing/runs.ts'
import { createStatement, insertStatement } from './build-sql.ts'
import { formFor } from './column-sql.ts'
import type { EngineReply, EngineTask } from './engine-task.ts'
import { countStatement, facetStatement, pageStatement, type Statement } from './query-sql.ts'
import { matches, orderedIds, type Row, topValues } from './reference.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-engine-'))
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
/** @param rows in the order of their ids, as in a tree */
async function tableOf(schema: JsonObject, rows: readonly Row[]) {
  const columns = tableColumns(schema)
  const [lines, file] = [join(folder, `${++files}.ndjson`), join(folder, `${files}.duckdb`)]
  writeFileSync(
    lines,
    rows.map(({ id, data }) => `{"id":${JSON.stringify(id)},"data":${canonicalize(data)}}`).join('\n'),
  )
  const plain = (sql: string): Statement => ({ sql, values: [] })
  const form = formFor(schema, columns.slice(1))
  await answer(file, [plain(createStatement(columns)), plain(insertStatement(lines, columns, form))], true)
  return { columns, file }
}

const names = [
  'name',
  'Name',
  'a b',
  'quo"te',
  "it's",
  '',
  '_id',
  '_search',
  'é.ü',
  'a/b~c',
  'select',
  '$1',
  '__proto__',
]
const texts = fc.oneof(
  fc.constantFrom('', 'Tromsø', 'tromsø', 'Århus', 'a', 'b', 'line\nline', '%', "'", '"', 'null', '12'),
  fc.string({ maxLength: 6 }),
)
const dates = fc.constantFrom('2024-02-29', '1999-12-31', '0001-01-01', '9999-12-31')
const instants = fc.constantFrom(
  '2024-02-29T12:00:00Z',
  '2024-02-29T13:00:00+01:00',
  '1969-12-31T23:59:59.5Z',
  '2016-12-31T23:59:60Z',
)
const integers = fc.oneof(fc.integer(), fc.constantFrom(0, 2 ** 53, -(2 ** 62), 1e21, -1e300))
const numbers = fc
  .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer())
  .map((n) => (n === 0 ? 0 : n))
const anything = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>

type Property = { schema: JsonObject; values: fc.Arbitrary<Json> }
const scalars: Property[] = [
  { schema: { type: 'string' }, values: texts },
  { schema: { type: 'number' }, values: numbers },
  { schema: { type: 'integer' }, values: integers },
  { schema: { type: 'boolean' }, values: fc.boolean() },
  { schema: { type: 'string', format: 'date' }, values: dates },
  { schema: { type: 'string', format: 'date-time' }, values: instants },
]
const properties = fc.oneof(
  fc.constantFrom(...scalars),
  fc.constantFrom(...scalars).map(
    ({ schema, values }): Property => ({
      schema: { type: 'array', items: schema },
      values: fc.array(fc.oneof(values, fc.constant(null)), { maxLength: 3 }),
    }),
  ),
  fc.constant<Property>({ schema: {}, values: anything }),
  fc.constantFrom(...scalars).map(
    ({ schema, values }): Property => ({
      schema: { type: 'object', properties: { 'in ner': schema }, additionalProperties: false },
      values: fc.record({ 'in ner': fc.oneof(values, fc.constant(null)) }, { requiredKeys: [] }),
    }),
  ),
)

/** A schema, and records that match it. */
const tables = fc
  .tuple(
    fc.uniqueArray(fc.tuple(fc.constantFrom(...names), properties), {
      selector: ([name]) => name,
      minLength: 1,
      maxLength: 6,
    }),
    fc.boolean(),
  )
  .chain(([members, isObject]) => {
    const schema: JsonObject = {
      ...(isObject && { type: 'object' }),
      properties: Object.fromEntries(members.map(([name, { schema }]) => [name, schema])),
    }
    const data = fc
      .record(
        Object.fromEntries(members.map(([name, { values }]) => [name, fc.option(values, { freq: 5 })])),
        { requiredKeys: [] },
      )
      .map((value) => value as Json)
    const rows = fc
      .array(isObject ? data : fc.oneof({ weight: 5, arbitrary: data }, anything), { maxLength: 12 })
      .map((all) => all.map((one, n): Row => ({ id: `${n}`.padStart(2, '0'), data: one })))
    return fc.record({ schema: fc.constant(schema), rows })
  })

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
            filters.push(`${field} ${operator} 0`, `${field} ${operator} 9007199254740992`)
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
