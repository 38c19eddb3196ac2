/** Reads of a version's records: a single one, a page, all of them. */
import { cursorAfter } from '@ulmus/client'
import type { Benchmark } from '../bench.ts'
import { repeated, type Sample, sampleOf, timed } from '../measure.ts'
import { drained, startRawServer } from '../otherwise/raw.ts'
import { firstOf, idAt, idOf, recordType } from '../records.ts'
import type { Stage } from '../stage.ts'
import { runsOf } from './runs.ts'

const runs = 200
const warmUp = 100
const coldRuns = 5
/** Number of records that are read repeatedly. */
const hotRecords = 50

const anyNumber = (size: number): number => Math.floor(Math.random() * size)

export const pathOfRecord = (ref: string, id: string): string =>
  `/api/collections/${ref}/versions/latest/records/${recordType}/${id}`

/** A page of 100 records between a third and two thirds of the order. */
export const pathOfMiddle = (ref: string): string =>
  `/api/collections/${ref}/versions/latest/records?limit=100&after=${cursorAfter(recordType, idAt(0.3 + Math.random() * 0.4))}`

const readRecord = ({ served }: Stage, ref: string, number: number) =>
  served.json(pathOfRecord(ref, idOf(number)))

export const record: Benchmark = {
  name: 'record',
  about: 'one record by its id',
  sizes: 'every',
  async ours(bench, place) {
    const stage = await bench.stage(place)
    const { figures } = bench
    const hot = Array.from({ length: hotRecords }, () => anyNumber(place.size))
    const warm = await repeated({ runs, warmUp }, (run) =>
      readRecord(stage, stage.big, hot[run % hotRecords]!),
    )
    figures.add('record, warm', 'ms', place, warm)
    const anywhere = await repeated({ runs, warmUp }, () =>
      readRecord(stage, stage.big, anyNumber(place.size)),
    )
    figures.add('record, anywhere', 'ms', place, anywhere)
    if (place.size < bench.largest) return
    const cold: number[] = []
    for (let run = 0; run < coldRuns; run++) {
      await stage.served.restart()
      // Warm up the code on the small collection; nothing of the big one is cached.
      for (let read = 0; read < warmUp; read++) await readRecord(stage, stage.small, firstOf('small') + read)
      cold.push((await timed(() => readRecord(stage, stage.big, anyNumber(place.size)))).ms)
    }
    figures.add('record, cold', 'ms', place, sampleOf(cold))
  },
  async otherwise(bench, size) {
    const ms = await (await bench.tables(size)).record(runs, () => idOf(anyNumber(size)))
    bench.figures.add('record, anywhere', 'ms', { by: 'tables', size }, ms)
  },
}

export const page: Benchmark = {
  name: 'page',
  about: 'a page of 100 records in the middle',
  sizes: 'every',
  async ours(bench, place) {
    const { served, big } = await bench.stage(place)
    const ms = await repeated({ runs, warmUp }, () => served.json(pathOfMiddle(big)))
    bench.figures.add('page of 100 in the middle', 'ms', place, ms)
  },
  async otherwise(bench, size) {
    const ms = await (await bench.tables(size)).page(runs)
    bench.figures.add('page of 100 in the middle', 'ms', { by: 'tables', size }, ms)
  },
}

/** Throughput of complete reads in MB/s. */
async function streamed(count: number, read: () => Promise<number>): Promise<Sample> {
  const rates: number[] = []
  for (let run = 0; run < count + 1; run++) {
    const { ms, value: bytes } = await timed(read)
    // The first run is warm-up.
    if (run > 0) rates.push(bytes / 1e3 / ms)
  }
  return sampleOf(rates)
}

export const ndjson: Benchmark = {
  name: 'ndjson',
  about: 'all records of a version as NDJSON, streamed, uncompressed',
  sizes: 'every',
  async ours(bench, place) {
    const { served, big } = await bench.stage(place)
    const url = `${served.url}/api/collections/${big}/versions/latest/records.ndjson`
    const rate = await streamed(runsOf(0), () => drained(url, { authorization: `Bearer ${served.key}` }))
    bench.figures.add('NDJSON streamed', 'MB/s', place, rate)
  },
  async otherwise(bench, size) {
    const rate = await (await bench.tables(size)).stream(runsOf(size))
    bench.figures.add('NDJSON streamed', 'MB/s', { by: 'tables', size }, rate)
    const raw = await startRawServer('fixed', '-', (await bench.input(size)).path)
    try {
      const piped = await streamed(runsOf(0), () => drained(`${raw.url}/file`))
      bench.figures.add('NDJSON streamed', 'MB/s', { by: 'raw', size }, piped)
    } finally {
      await raw.stop()
    }
  },
}
