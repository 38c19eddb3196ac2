/** Throughput of small reads: a collection's detail, compared with a minimal server. */
import { join } from 'node:path'
import type { Bench, Benchmark } from '../bench.ts'
import type { DatabaseKind } from '../figures.ts'
import { loadOf } from '../load.ts'
import { type Sample, sampleOf } from '../measure.ts'
import { startRawServer } from '../otherwise/raw.ts'

const runs = 5

async function rateOf(url: string, headers: string[] = []): Promise<Sample> {
  const rates: number[] = []
  for (let run = 0; run < runs; run++)
    rates.push(await loadOf(url, headers, { warmUpMs: run === 0 ? 2_500 : 200, ms: 1_000 }))
  return sampleOf(rates)
}

/** The minimal server with a fixed answer, or with one row of the same kind of database. */
async function rawRate(bench: Bench, kind: DatabaseKind | 'fixed'): Promise<Sample> {
  const where = kind === 'server' ? await bench.newDatabase() : join(bench.folder, 'look-ups')
  const raw = await startRawServer(kind, where)
  try {
    return await rateOf(`${raw.url}/thing`)
  } finally {
    await raw.stop()
  }
}

export const detail: Benchmark = {
  name: 'detail',
  about: "a collection's detail, browsing and the list of versions, warm, as often as the server can",
  sizes: 'largest',
  async ours(bench, place) {
    const { served, big } = await bench.stage(place)
    const url = `${served.url}/api/collections/${big}`
    const { figures } = bench
    figures.add('collection detail', 'requests/s', place, await rateOf(url))
    const withKey = await rateOf(url, [`Authorization: Bearer ${served.key}`])
    figures.add('collection detail, with a key', 'requests/s', place, withKey)
    figures.add('browse', 'requests/s', place, await rateOf(`${served.url}/api/collections`))
    figures.add('list of versions', 'requests/s', place, await rateOf(`${url}/versions`))
    const { database, size } = place
    const lookUp = await rawRate(bench, database)
    figures.add('collection detail', 'requests/s', { by: 'raw', database, size }, lookUp)
  },
  async otherwise(bench, size) {
    const fixed = await rawRate(bench, 'fixed')
    bench.figures.add('bare Fastify route', 'requests/s', { by: 'raw', size }, fixed)
  },
}
