/** Tables that are built ahead of questions give way to callers, and replace no table that is read. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Hash, type JsonObject, tableColumns } from '@ulmus/content'
import { StorageFullError, unlimitedSpace } from '@ulmus/storage'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { Engine } from '../engine/engine.ts'
import { type TableFile, TableFiles } from '../table-files.ts'
import type { TableSource } from '../table-source.ts'
import type { AheadWork } from './ahead-builds.ts'

const engine = new Engine()
const folders: string[] = []
afterAll(() => {
  engine.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ulmus-ahead-'))
  folders.push(folder)
})

const schema: JsonObject = { type: 'object', properties: { text: { type: 'string' } } }
const rootOf = (digit: string): Hash => digit.repeat(64) as Hash
/** Parts of a table. Longer than one that the engine gets at once. */
const longPart = Buffer.from(`{"id":"1","type":"T","data":{"text":"${'x'.repeat(9_000_000)}"}}\n`)
const part = Buffer.from('{"id":"1","type":"T","data":{"text":"x"}}\n')

function source(digit: string, parts: readonly Uint8Array[], owner = 'ada'): TableSource {
  return {
    tree: { root: rootOf(digit), count: parts.length, bytes: Buffer.concat(parts).length },
    scope: 'public',
    owner,
    schema,
    schemaHash: rootOf('0'),
    columns: tableColumns(schema),
    async *lines() {
      yield* parts
    },
  }
}

const filesWith = (bytesMax: number, space = unlimitedSpace) =>
  new TableFiles({ folder, engine, bytesMax, space })
const settled = async (found: Awaited<ReturnType<TableFiles['find']>>): Promise<TableFile> =>
  'done' in found ? found.done : found
const read = async (files: TableFiles, table: TableSource) => settled(await files.find(table, 'ada'))
const work: AheadWork = {
  signal: new AbortController().signal,
  rest: async () => undefined,
  describe: async () => Buffer.from('{}'),
}
const pathOf = (table: TableSource) =>
  join(folder, 'public', table.tree.root!.slice(0, 2), `t5-${table.tree.root}-${table.schemaHash}.duckdb`)

test('a table is there with its statistics before the first question', async () => {
  const files = filesWith(1e9)
  const table = source('a', [part])
  await files.buildAhead(table, work)
  expect(await files.isBuilt(table)).toBe(true)
  expect(String(await files.remembered(table, 'statistics'))).toBe('{}')
  const [first, again] = [await files.find(table, 'ada'), await files.find(table, 'ada')]
  expect(first).toMatchObject({ rows: 1, owner: 'ada', path: pathOf(table) })
  expect(again).toEqual(first)
  expect(await files.isIntact(await settled(first))).toBe(true)
})

test.runIf(process.platform === 'linux')(
  'its process has the lowest priority, with all threads',
  async () => {
    const files = filesWith(1e9)
    await files.buildAhead(source('f', [part]), work)
    await read(files, source('0', [part]))
    const children = readdirSync('/proc/self/task').flatMap((thread) =>
      readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
    )
    const priorities = children.map((pid) =>
      readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread))),
    )
    const usual = getPriority()
    expect(priorities.filter((ones) => ones.every((one) => one === 19))).toHaveLength(1)
    expect(priorities.some((ones) => ones.every((one) => one === usual))).toBe(true)
  },
)

test('a table that a caller waits for is built first', async () => {
  const files = filesWith(1e9)
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  let asked: Promise<unknown> | undefined
  const other: TableSource = {
    ...source('b', [part]),
    async *lines() {
      await gate.promise
      yield part
    },
  }
  const table: TableSource = {
    ...source('c', [longPart, longPart]),
    async *lines() {
      yield longPart
      asked = read(files, other).then(() => order.push('asked'))
      yield longPart
    },
  }
  let rests = 0
  const ahead = files
    .buildAhead(table, { ...work, rest: async () => void rests++ })
    .then(() => order.push('ahead'))
  while (rests < 3) await sleep(20)
  expect(order).toEqual([])
  gate.resolve()
  await Promise.all([ahead, asked])
  expect(order).toEqual(['asked', 'ahead'])
})

test('a caller that asks for the same table does not wait for work that rests', async () => {
  const files = filesWith(1e9)
  const table = source('d', [longPart, longPart])
  const [resting, rested] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const rest = () => {
    resting.resolve()
    return rested.promise
  }
  const ahead = files.buildAhead(table, { ...work, rest })
  await resting.promise
  const { path } = await read(files, table)
  rested.resolve()
  await ahead
  expect(readdirSync(dirname(path)).sort()).toEqual([
    `t5-${rootOf('d')}-${rootOf('0')}.duckdb`,
    `t5-${rootOf('d')}-${rootOf('0')}.duckdb.json`,
  ])
})

test('unread tables replace each other, but none that is read', async () => {
  const all = filesWith(1e9)
  const readTables = ['1', '2'].map((digit) => source(digit, [part], 'eve'))
  for (const table of readTables) await read(all, table)
  const bytes = statSync(pathOf(readTables[0]!)).size + 200
  // Room for two of them, since they may have a quarter.
  const files = filesWith(8.5 * bytes)
  const ahead = ['3', '4', '5', '6'].map((digit) => source(digit, [part], digit === '3' ? 'bob' : 'ada'))
  const there = () => ahead.map((table) => existsSync(pathOf(table)))
  for (const table of ahead) {
    await files.buildAhead(table, work)
    // Times of files are compared in milliseconds.
    await sleep(5)
  }
  // The nightly pusher has no more than one that pushed once.
  expect(there()).toEqual([true, false, false, true])
  // Without room no table is kept, and tables in use stay.
  const full = filesWith(2.1 * bytes)
  await full.buildAhead(source('7', [part]), work)
  expect([...readTables, source('7', [part])].map((table) => existsSync(pathOf(table)))).toEqual([
    true,
    true,
    false,
  ])
  expect(there()).toEqual([false, false, false, false])
})

test('a question about a table that was built ahead makes it one that is read', async () => {
  const files = filesWith(1e9)
  const tables = ['1', '2', '3'].map((digit) => source(digit, [part]))
  for (const table of tables) await files.buildAhead(table, work)
  const { path } = await read(files, tables[0]!)
  await filesWith(statSync(path).size + 500).evict()
  expect(tables.map((table) => existsSync(pathOf(table)))).toEqual([true, false, false])
})

test('a full disk, a stop and a failed statistic leave nothing', async () => {
  const table = source('e', [part])
  const space = { ...unlimitedSpace, demand: () => Promise.reject(new StorageFullError('full')) }
  await expect(filesWith(1e9, space).buildAhead(table, work)).rejects.toThrow(StorageFullError)
  const files = filesWith(1e9)
  const stop = AbortSignal.abort(new Error('stopped'))
  await expect(files.buildAhead(table, { ...work, signal: stop })).rejects.toThrow('stopped')
  const describe = () => Promise.reject(new Error('no statistics'))
  await expect(files.buildAhead(table, { ...work, describe })).rejects.toThrow('no statistics')
  expect(readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())).toEqual(
    [],
  )
})
