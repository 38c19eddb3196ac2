/** Metadata updates and forks, which must cost the same at any size. */
import type { Bench, Benchmark } from '../bench.ts'
import type { Place } from '../figures.ts'
import { diskBytes, sampleOf, timed } from '../measure.ts'
import type { Stage, StagePlace } from '../stage.ts'
import { fewWarmUps, manyRuns, runsOf } from './runs.ts'

/**
 * Acts alternately on the big and the small collection, so that both meet the same conditions of the machine; then on the big one alone, to
 * measure bytes.
 */
async function byTurns(
  bench: Bench,
  place: StagePlace,
  quantity: string,
  act: (stage: Stage, ref: string, run: number) => Promise<unknown>,
): Promise<void> {
  const stage = await bench.stage(place)
  const times: Record<'big' | 'small', number[]> = { big: [], small: [] }
  let number = 0
  for (let run = 0; run < fewWarmUps + manyRuns; run++) {
    for (const which of ['big', 'small'] as const) {
      const { ms } = await timed(() => act(stage, stage[which], number++))
      if (run >= fewWarmUps) times[which].push(ms)
    }
  }
  await gathered()
  const before = diskBytes(stage.served.objects)
  for (let run = 0; run < manyRuns; run++) await act(stage, stage.big, number++)
  await gathered()
  const bytes = (diskBytes(stage.served.objects) - before) / manyRuns
  bench.figures.add(quantity, 'ms', place, sampleOf(times.big))
  bench.figures.add(`${quantity}, 1,000 records beside it`, 'ms', place, sampleOf(times.small))
  bench.figures.add(`${quantity}: bytes`, 'bytes', place, bytes)
}

/** Waits for compaction: small packs stay in the database for up to 10 s. */
const gathered = () => new Promise((resolve) => setTimeout(resolve, 12_000))

export const metadata: Benchmark = {
  name: 'metadata',
  about: 'a metadata update, synchronous, over HTTP',
  sizes: 'every',
  ours: (bench, place) =>
    byTurns(bench, place, 'metadata update', async (stage, ref, run) => {
      const { semver } = await stage.served.client.metadata.patch(ref, {
        description: `Described again, time ${run}.`,
      })
      if (ref === stage.big) stage.head = semver
    }),
  async otherwise(bench, size) {
    const tables = await (await bench.tables(size)).patch(runsOf(size))
    const at: Place = { by: 'tables', size }
    bench.figures.add('metadata update', 'ms', at, tables.ms)
    bench.figures.add('metadata update: bytes', 'bytes', at, tables.bytes)
    const git = await (await bench.git(size)).patch(runsOf(size))
    bench.figures.add('metadata update', 'ms', { by: 'git', size }, git)
  },
}

let forks = 0

export const fork: Benchmark = {
  name: 'fork',
  about: 'a fork into an organization, over HTTP',
  sizes: 'every',
  ours: (bench, place) =>
    byTurns(bench, place, 'fork', ({ served }, ref) =>
      served.client.collections.fork(ref, { targetOrg: served.org, slug: `fork-${++forks}` }),
    ),
  async otherwise(bench, size) {
    const tables = await (await bench.tables(size)).fork(runsOf(size))
    const at: Place = { by: 'tables', size }
    bench.figures.add('fork', 'ms', at, tables.ms)
    bench.figures.add('fork: bytes', 'bytes', at, tables.bytes)
    const git = await (await bench.git(size)).fork(runsOf(size))
    bench.figures.add('fork', 'ms', { by: 'git', size }, git)
  },
}
