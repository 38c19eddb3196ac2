/** The cache of table files: builds, eviction, and removal with the data. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findColumns, type Hash, type JsonObject, readTableQuery, tableColumns } from '@ulmus/content'
import { StorageFullError, unlimitedSpace } from '@ulmus/storage'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { TableFailedError } from './build-table.ts'
import { storedName } from './engine/column-sql.ts'
import { Engine } from './engine/engine.ts'
import { copyStatement } from './engine/query-sql.ts'
import { type Build, type TableFile, TableFiles } from './table-files.ts'
import type { TableSource } from './table-source.ts'

const engine = new Engine()
const folders: string[] = []
afterAll(() => {
  engine.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ulmus-tables-'))
  folders.push(folder)
})

const schema: JsonObject = { type: 'object', properties: { n: { type: 'integer' } } }
const rootOf = (digit: string): Hash => digit.repeat(64) as Hash
let reads = 0

function source(digit: string, rows = 3, more: Partial<TableSource> = {}): TableSource {
  const line = (n: number) => `{"id":"${n}","type":"T","data":{"n":${n === 2 ? 1e21 : n}}}\n`
  const text = Array.from({ length: rows }, (_, n) => line(n)).join('')
  return {
    tree: { root: rootOf(digit), count: rows, bytes: text.length },
    scope: 'public',
    owner: 'ada',
    schema,
    schemaHash: rootOf('0'),
    columns: tableColumns(schema),
    async *lines() {
      reads++
      yield Buffer.from(text)
    },
    ...more,
  }
}

const filesWith = (bytesMax: number, space = unlimitedSpace) =>
  new TableFiles({ folder, engine, bytesMax, space })
const settled = async (found: TableFile | Build): Promise<TableFile> => ('done' in found ? found.done : found)
const built = async (files: TableFiles, table: TableSource) => settled(await files.find(table, 'ada'))

test('misfits in lists count, and spellings of times that schemas admit are none', async () => {
  const times = ['2016-12-31T23:59:60Z', '2024-01-01T00:00:00+02', '0001-01-01T00:00:00+01:00']
  const read = ['2024-01-01t00:00:00z', '2024-01-01 01:00:00.5+01:00', '9999-12-31T23:59:59Z']
  const list = { type: 'array', items: { type: 'string', format: 'date-time' } }
  const columns = tableColumns({ type: 'object', properties: { at: list } })
  const line = `${JSON.stringify({ id: '0', type: 'T', data: { at: [...times, ...read, null] } })}\n`
  const lines = async function* () {
    yield Buffer.from(line)
  }
  const table = source('c', 1, { columns, lines, schema: { type: 'object', properties: { at: list } } })
  const { misfits, path } = await built(filesWith(1e9), table)
  expect(misfits).toEqual({ '/at': 3 })
  const query = readTableQuery({}, columns)
  const csv = join(folder, 'list.csv')
  await engine.ask('ada', path, [copyStatement(query, findColumns(columns), { path: csv, format: 'csv' })])
  expect(readFileSync(csv, 'utf8').replaceAll('""', '"')).toContain(
    '[null,null,null,"2024-01-01T00:00:00Z","2024-01-01T00:00:00.5Z","9999-12-31T23:59:59Z",null]',
  )
})

test('callers at once share a build, later ones the file', async () => {
  const files = filesWith(1e9)
  reads = 0
  const found = await Promise.all([1, 2, 3].map(() => files.find(source('a'), 'ada')))
  const [first, ...others] = await Promise.all(found.map(settled))
  expect(others).toEqual([first, first])
  expect(first).toMatchObject({ rows: 3, misfits: { '/n': 1 } })
  expect(await built(filesWith(1e9), source('a'))).toEqual(first)
  expect(reads).toBe(1)
  const rows = await engine.ask('ada', first!.path, [
    { sql: `SELECT ${storedName('_id')}, ${storedName('n')} FROM records ORDER BY 1`, values: [] },
  ])
  expect(rows[0]).toEqual([
    ['0', '0'],
    ['1', '1'],
    ['2', null],
  ])
  expect(await files.isIntact(first!)).toBe(true)
  chmodSync(first!.path, 0o600)
  writeFileSync(first!.path, 'x', { flag: 'a' })
  expect(await files.isIntact(first!)).toBe(false)
})

test('a table with more or fewer rows than its tree is refused, and nothing is left', async () => {
  const wrong = source('b')
  await expect(built(filesWith(1e9), { ...wrong, tree: { ...wrong.tree, count: 4 } })).rejects.toThrow(
    '3 rows',
  )
  expect(readdirSync(join(folder, 'public', 'bb'))).toEqual([])
})

test('a Parquet file that takes the space of older tables replaces them', async () => {
  const files = filesWith(2e7)
  const [older, newer] = [await built(files, source('1')), await built(files, source('2'))]
  expect(existsSync(older.path)).toBe(true)
  const made = await files.makeParquet(newer, 'ada', async (path) => writeFileSync(path, Buffer.alloc(3e7)))
  expect([older.path, newer.path, made.path].map(existsSync)).toEqual([false, true, true])
})

test('nothing is built on a full disk', async () => {
  const space = { ...unlimitedSpace, demand: () => Promise.reject(new StorageFullError('full')) }
  await expect(built(filesWith(1e9, space), source('c'))).rejects.toThrow(StorageFullError)
})

test('the least recently used tables are deleted beyond the limit, with what was made from them', async () => {
  const files = filesWith(1)
  const first = await built(files, source('d'))
  await files.remember(first, 'statistics', async () => Buffer.from('{"rows":3}'))
  await files.makeParquet(first, 'ada', async (path) => writeFileSync(path, 'PAR1'))
  expect(readdirSync(dirname(first.path))).toHaveLength(5)
  const second = await built(files, source('e'))
  expect(readdirSync(dirname(first.path))).toEqual([])
  expect(existsSync(second.path)).toBe(true)
})

test('answers and Parquet files are made once', async () => {
  const files = filesWith(1e9)
  const table = await built(files, source('d'))
  let made = 0
  const make = () =>
    files.makeParquet(table, 'ada', async (path) => {
      made++
      writeFileSync(path, 'PAR1')
    })
  const [one, other] = await Promise.all([make(), make()])
  expect([one, await make(), made]).toEqual([other, other, 1])
  expect(await files.parquetOf(source('d'))).toEqual(one)
  const compute = async () => Buffer.from(String(++made))
  const answers = [await files.remember(table, 'x', compute), await files.remember(table, 'x', compute)]
  expect(answers.map(String)).toEqual(['2', '2'])
})

test('answers go with their table, so a name that the sweep would not know is refused', async () => {
  const files = filesWith(1e9)
  const table = await built(files, source('e'))
  const compute = async () => Buffer.from('{"id":"private"}')
  for (const name of ['statistics', 'map41', 'sql340282366920938463463374607431768211455'])
    await files.remember(table, name, compute)
  await expect(files.remember(table, 'map0-5', compute)).rejects.toThrow('no name of an answer')
  await files.discard(table)
  expect(readdirSync(dirname(table.path)).filter((name) => name.startsWith(basename(table.path)))).toEqual([])
})

test('a sweep deletes tables of data that is no longer stored, and what killed processes left', async () => {
  const files = filesWith(1e9)
  const [kept, erased] = [await built(files, source('a')), await built(files, source('b'))]
  const left = [
    `${kept.path}.5a0e`,
    `${kept.path}.5a0e.wal`,
    `${kept.path}.5a0e.ndjson`,
    await files.scratch(),
  ]
  const young = `${kept.path}.0fa1`
  mkdirSync(join(folder, 'scratch'), { recursive: true })
  for (const path of [...left, young]) writeFileSync(path, '')
  const longAgo = new Date(Date.now() - 2 * 3_600_000)
  for (const path of left) utimesSync(path, longAgo, longAgo)
  await files.sweep(async (roots) => new Set(roots.filter((root) => root === rootOf('a'))))
  expect([kept.path, young].map(existsSync)).toEqual([true, true])
  expect([erased.path, ...left].map(existsSync)).toEqual(left.concat('').map(() => false))
})

test('a table that is discarded while it is rebuilt is built all the same', async () => {
  const files = filesWith(1e9)
  const old = await built(files, source('f'))
  await files.discard(old)
  const gate = Promise.withResolvers<void>()
  const slow = source('f')
  const build = await files.find(
    {
      ...slow,
      async *lines() {
        await gate.promise
        yield* slow.lines()
      },
    },
    'ada',
  )
  // The file exists once the engine has begun.
  while (!readdirSync(dirname(old.path)).some((name) => name.endsWith('.ndjson'))) await sleep(20)
  // Another caller has found the old table unreadable, too.
  await files.discard(old)
  gate.resolve()
  expect(await settled(build)).toMatchObject({ rows: 3 })
})

test('accounts share tables of the public scope only', async () => {
  const files = filesWith(1e9)
  reads = 0
  const shared = [await built(files, source('1')), await built(files, source('1', 3, { owner: 'eve' }))]
  const own = await built(files, source('1', 3, { scope: 'eve', owner: 'eve' }))
  expect([shared[0]!.path === shared[1]!.path, own.path === shared[0]!.path, reads]).toEqual([true, false, 2])
  const key = { ...source('1'), scope: 'bob' }
  await files.remember(own, 'statistics', async () => Buffer.from('{"rows":3}'))
  await files.makeParquet(own, 'eve', async (path) => writeFileSync(path, 'PAR1'))
  expect([
    await files.isBuilt(key),
    await files.remembered(key, 'statistics'),
    await files.parquetOf(key),
  ]).toEqual([false, undefined, undefined])
})

test('an owner with more than a fair share evicts its own tables, and never those of smaller owners', async () => {
  const files = filesWith(1e9)
  const kept = await built(files, source('1', 3, { owner: 'ada' }))
  for (const digit of ['2', '3', '4']) await built(files, source(digit, 3, { scope: 'eve', owner: 'eve' }))
  const bytes = statSync(kept.path).size
  const small = filesWith(3.5 * bytes)
  const newest = await built(small, source('5', 3, { scope: 'eve', owner: 'eve' }))
  const left = ['1', '2', '3', '4', '5'].map((digit) =>
    existsSync(
      digit === '1'
        ? kept.path
        : newest.path.replaceAll('5'.repeat(64), digit.repeat(64)).replace('/55/', `/${digit}${digit}/`),
    ),
  )
  expect(left).toEqual([true, false, false, true, true])
})

test('a table that cannot be built is not tried again', async () => {
  const files = filesWith(1e9)
  reads = 0
  const broken = source('6', 3, {
    async *lines() {
      reads++
      yield Buffer.from('no JSON\n')
    },
  })
  for (let time = 0; time < 3; time++) await expect(built(files, broken)).rejects.toThrow(TableFailedError)
  expect(reads).toBe(1)
  // Another failure may pass: it is tried again.
  const wrong = source('7')
  for (let time = 0; time < 2; time++)
    await expect(built(files, { ...wrong, tree: { ...wrong.tree, count: 4 } })).rejects.toThrow('3 rows')
  expect(reads).toBe(3)
})
