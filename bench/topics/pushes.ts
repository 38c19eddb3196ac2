/** Pushes: the first one with all records, then changes of 1 %, and their size on disk. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Benchmark } from '../bench.ts'
import { sampleOf, timed } from '../measure.ts'
import { zstdBytes } from '../otherwise/raw.ts'
import { type BenchRecord, recordSchema, recordType } from '../records.ts'
import type { PushFacts, Spread } from '../stage.ts'
import { runsOf } from './runs.ts'

export const firstPush: Benchmark = {
  name: 'first-push',
  about: 'the first push of all records over HTTP, validated, committed, durable',
  sizes: 'every',
  async ours(bench, place) {
    const { size } = place
    const facts: PushFacts[] = []
    for (let run = 0; run < runsOf(size); run++) facts.push((await bench.newStage(place)).firstPush)
    const of = (pick: (one: PushFacts) => number) => sampleOf(facts.map(pick))
    const { figures } = bench
    figures.add(
      'first push',
      'ms',
      place,
      of(({ ms }) => ms),
    )
    figures.add(
      'first push: rate',
      'records/s',
      place,
      of(({ ms }) => (size * 1_000) / ms),
    )
    figures.add(
      'first push: peak memory',
      'MiB',
      place,
      of(({ peakMiB }) => peakMiB),
    )
    figures.add(
      'before the first push: peak memory',
      'MiB',
      place,
      of(({ peakBeforeMiB }) => peakBeforeMiB),
    )
    figures.add(
      'first push: stored',
      'B/record',
      place,
      of(({ bytes }) => bytes / size),
    )
    const { served, big, firstStartMiB } = await bench.stage(place)
    figures.add('first start: peak memory', 'MiB', place, firstStartMiB)
    const { totalBytes } = await served.client.versions.get(big)
    figures.add('mean record', 'B/record', place, totalBytes / size)
    const delays = facts.flatMap(({ loopDelayMs }) => loopDelayMs ?? [])
    if (delays.length > 0)
      figures.add('first push: event loop late by at most', 'ms', place, sampleOf(delays))
  },
  async otherwise(bench, size) {
    const contenders = {
      tables: await bench.tables(size, { empty: true }),
      git: await bench.git(size, { empty: true }),
    }
    for (const by of ['tables', 'git'] as const) {
      const ms = await contenders[by].load(by === 'git' && size >= 1_000_000 ? 1 : runsOf(size))
      const rate = (time: number) => (size * 1_000) / time
      const rates = {
        ...ms,
        median: rate(ms.median),
        low: rate(ms.high),
        high: rate(ms.low),
        p99: rate(ms.low),
      }
      bench.figures.add('first push', 'ms', { by, size }, ms)
      bench.figures.add('first push: rate', 'records/s', { by, size }, rates)
      const stored = (await contenders[by].bytes()) / size
      bench.figures.add('first push: stored', 'B/record', { by, size }, stored)
    }
    const packed = (await zstdBytes((await bench.input(size)).path)) / size
    bench.figures.add('first push: stored', 'B/record', { by: 'raw', size }, packed)
  },
}

/** Parsed records of an input, as a program would have them. */
async function* parsedLines(path: string): AsyncGenerator<BenchRecord> {
  for await (const line of createInterface({ input: createReadStream(path) }))
    yield JSON.parse(line) as BenchRecord
}

export const clientPush: Benchmark = {
  name: 'client-push',
  about: 'the same by the client package, of objects parsed from a file, in one more process on these cores',
  sizes: 'largest',
  async ours(bench, place) {
    const { served } = await bench.stage(place)
    const { path } = await bench.input(place.size, 'by client')
    await served.client.collections.create(served.owner, { slug: 'by-client' })
    const { ms } = await timed(() =>
      served.client.push(`${served.owner}/by-client`, {
        baseVersion: null,
        schemas: { [recordType]: recordSchema },
        records: parsedLines(path),
      }),
    )
    bench.figures.add('first push by the client: rate', 'records/s', place, (place.size * 1_000) / ms)
    await served.client.collections.remove(`${served.owner}/by-client`)
  },
}

export const changes: Benchmark = {
  name: 'changes',
  about: 'a push of 1 % of changes, scattered and clustered',
  sizes: 'every',
  async ours(bench, place) {
    const stage = await bench.stage(place)
    for (const spread of ['scattered', 'clustered'] as const satisfies Spread[]) {
      const facts: PushFacts[] = []
      for (let run = 0; run < runsOf(place.size); run++) facts.push(await stage.pushChanges(spread))
      const quantity = `push of 1 % ${spread}`
      bench.figures.add(quantity, 'ms', place, sampleOf(facts.map(({ ms }) => ms)))
      bench.figures.add(`${quantity}: bytes`, 'bytes', place, sampleOf(facts.map(({ bytes }) => bytes)))
    }
  },
  async otherwise(bench, size) {
    const contenders = { tables: await bench.tables(size), git: await bench.git(size) }
    for (const by of ['tables', 'git'] as const) {
      const { ms, bytes } = await contenders[by].pushChanges(runsOf(size))
      bench.figures.add('push of 1 % scattered', 'ms', { by, size }, ms)
      bench.figures.add('push of 1 % scattered: bytes', 'bytes', { by, size }, bytes)
    }
  },
}

const successive = 20

export const growth: Benchmark = {
  name: 'growth',
  about:
    'the store after 20 successive pushes of 1 % scattered changes, against the store after the first push',
  sizes: 'largest',
  async ours(bench, place) {
    // The bytes do not depend on the database of the rows.
    if (place.database === 'server') return
    const stage = await bench.stage(place)
    let bytes = stage.firstPush.bytes
    for (let push = 0; push < successive; push++) bytes += (await stage.pushChanges('scattered')).bytes
    bench.figures.add(
      `store after ${successive} pushes of 1 %`,
      'times',
      place,
      bytes / stage.firstPush.bytes,
    )
  },
}
