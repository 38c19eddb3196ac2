/**
 * Measures events: what they add to a metadata update and a fork (by turns with the triggers switched off, on the same data), how soon a
 * waiting request receives a change, and reads beside 1,000 waiting requests. Prints Markdown for bench/meaning.md.
 * Usage: npm run bench:events [-- --runs 40 --waiting 1000]
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '@ulmus/storage/testing/postgres'
import { latenciesOf } from './latencies.ts'
import { repeated, type Sample, sampleOf } from './measure.ts'
import { Served } from './served.ts'

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '40' }, waiting: { type: 'string', default: '1000' } },
})
const runs = Number(values.runs)
const rounds = 6
const folder = mkdtempSync(join(tmpdir(), 'ulmus-events-'))
// PostgreSQL runs as another user if this is root.
chmodSync(folder, 0o711)
const ref = 'bencher/events'
const ms = (value: number) => value.toFixed(1)

async function prepared(served: Served): Promise<void> {
  await served.client.collections.create('bencher', { slug: 'events', public: true })
  const records = Array.from({ length: 1_000 }, (_, n) => ({ id: `r${n}`, type: 'A', data: { n } }))
  await served.client.push(ref, { baseVersion: null, schemas: { A: {} }, records })
}

/** Medians of metadata updates and forks, with and without the triggers. */
async function costs(served: Served, name: string): Promise<void> {
  const found = new Map<string, number[]>()
  let count = 0
  const note = (what: string, sample: Sample) => found.set(what, [...(found.get(what) ?? []), sample.median])
  for (let round = 0; round < rounds; round++)
    for (const state of round % 2 === 0 ? ['enable', 'disable'] : ['disable', 'enable']) {
      await served.inDatabase(async (database) => {
        for (const table of ['versions', 'collections'])
          await database.query(`alter table ${table} ${state} trigger user`)
      })
      const update = () => served.client.metadata.patch(ref, { note: `n${++count}` })
      const fork = () =>
        served.client.collections.fork(ref, { targetOrg: served.org, slug: `fork-${++count}` })
      note(`update ${state}`, await repeated({ runs, warmUp: 10 }, update))
      note(`fork ${state}`, await repeated({ runs, warmUp: 10 }, fork))
    }
  for (const what of ['update', 'fork']) {
    const [on, off] = ['enable', 'disable'].map((state) => sampleOf(found.get(`${what} ${state}`)!).median)
    process.stdout.write(
      `| ${what}, ${name}: with, without | ${ms(on!)}, ${ms(off!)} ms | ${(on! / off!).toFixed(3)} × |\n`,
    )
  }
}

/** Measures how long after an update a waiting request is answered. Milliseconds. */
async function lags(served: Served, name: string): Promise<void> {
  await served.inDatabase(async (database) => {
    for (const table of ['versions', 'collections'])
      await database.query(`alter table ${table} enable trigger user`)
  })
  const taken: number[] = []
  let { next } = await served.client.events.list({ after: 'latest' })
  for (let run = 0; run < runs; run++) {
    const waiting = served.client.events
      .list({ after: next, wait: 30 })
      .then((page) => ({ page, at: performance.now() }))
    // At any moment between two looks.
    await new Promise((resolve) => setTimeout(resolve, 100 + (run % 10) * 100))
    await served.client.metadata.patch(ref, { note: `lag ${run}` })
    const changed = performance.now()
    const { page, at } = await waiting
    taken.push(at - changed)
    next = page.next
  }
  const { median, p99 } = sampleOf(taken)
  process.stdout.write(
    `| a waiting request receives a change, ${name}: p50, p99 | ${median.toFixed(0)}, ${p99.toFixed(0)} ms | |\n`,
  )
}

/** Reads of one record by turns alone and beside waiting requests. */
async function beside(served: Served): Promise<void> {
  const count = Number(values.waiting)
  const path = () => `/api/collections/${ref}/versions/latest/records/A/r${Math.floor(Math.random() * 1_000)}`
  const read = () => latenciesOf(served.url, { one: { path } }, { connections: 8, rounds: 8, ms: 500 })
  const alone: number[] = []
  const crowded: number[] = []
  for (let round = 0; round < rounds; round++) {
    alone.push((await read()).one.p99)
    const agent = new Agent({ keepAlive: true, maxSockets: count })
    const headers = { authorization: `Bearer ${served.key}` }
    const waiting = Array.from({ length: count }, () => {
      const sent = get(`${served.url}/api/events?after=latest&kind=collection.deleted&wait=30`, {
        agent,
        headers,
      })
      sent.on('error', () => undefined)
      sent.on('response', (answer) => {
        if (answer.statusCode !== 200) throw new Error(`A waiting request got ${answer.statusCode}.`)
        answer.resume()
      })
      return sent
    })
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    crowded.push((await read()).one.p99)
    for (const sent of waiting) sent.destroy()
    agent.destroy()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  const [a, b] = [sampleOf(alone).median, sampleOf(crowded).median]
  process.stdout.write(
    `| one record, p99, beside ${count} waiting requests, alone | ${ms(b)}, ${ms(a)} ms | ${(b / a).toFixed(2)} × |\n`,
  )
}

const postgres = await startPostgres(join(folder, 'postgres'))
try {
  process.stdout.write('| | measured | ratio |\n|---|---:|---:|\n')
  for (const name of ['PostgreSQL', 'embedded']) {
    const databaseUrl = name === 'embedded' ? undefined : postgres.url
    const environment = { RATE_LIMIT: 'off', MAX_CONNECTIONS: '10000' }
    const served = await Served.open({
      folder: join(folder, name),
      ...(databaseUrl && { databaseUrl }),
      environment,
    })
    try {
      await prepared(served)
      await costs(served, name)
      await lags(served, name)
      if (name === 'PostgreSQL') await beside(served)
    } finally {
      await served.close()
    }
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
