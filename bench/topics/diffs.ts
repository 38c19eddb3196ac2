/** Diffs between two versions that differ in 1 % of records. */
import type { DiffPage, Manifest } from '@ulmus/wire'
import type { Benchmark } from '../bench.ts'
import { repeated, sampleOf, timed } from '../measure.ts'
import { changedNumbers } from '../records.ts'
import type { Served } from '../served.ts'
import type { Stage } from '../stage.ts'
import { runsOf } from './runs.ts'

interface Pair {
  readonly from: string
  readonly to: string
}

/** Reads all pages with the data of both sides. @returns the number of records that differ */
async function readDiff(served: Served, ref: string, { from, to }: Pair): Promise<number> {
  let count = 0
  for (let cursor = ''; ; ) {
    const page = await served.json<DiffPage>(
      `/api/collections/${ref}/versions/${to}/diff?from=${from}&limit=2000${cursor}`,
    )
    count += page.added.length + page.updated.length + page.removed.length
    if (page.pagination.nextCursor === null) return count
    cursor = `&cursor=${page.pagination.nextCursor}`
  }
}

/** Same by hashes alone, as for Git and the tables. */
async function readDelta(served: Served, ref: string, { from, to }: Pair): Promise<number> {
  let count = 0
  for (let cursor = ''; ; ) {
    const { delta, pagination } = await served.json<Manifest>(
      `/api/collections/${ref}/versions/${to}/manifest?since=${from}&limit=10000${cursor}`,
    )
    count += delta!.added.length + delta!.updated.length + delta!.removed.length
    if (pagination.nextCursor === null) return count
    cursor = `&cursor=${pagination.nextCursor}`
  }
}

/** Measures a process that has not read the big collection, but has run the code on the small one. */
async function readCold(stage: Stage, read: typeof readDiff, pair: Pair, expected: number): Promise<number> {
  await stage.served.restart()
  const { semver } = await stage.served.json<{ semver: string }>(
    `/api/collections/${stage.small}/versions/latest`,
  )
  for (let run = 0; run < 5; run++) await read(stage.served, stage.small, { from: 'v1.0.0', to: semver })
  const { ms, value } = await timed(() => read(stage.served, stage.big, pair))
  if (value !== expected) throw new Error(`The diff tells of ${value} records; ${expected} differ.`)
  return ms
}

export const diffs: Benchmark = {
  name: 'diff',
  about: 'what differs between two versions of which one changed 1 %',
  sizes: 'every',
  async ours(bench, place) {
    const stage = await bench.stage(place)
    for (const spread of ['scattered', 'clustered'] as const) {
      const pair = await stage.changedPair(spread)
      const expected = [...changedNumbers(place.size, spread, pair.revision)].length
      for (const [what, read] of [
        ['with data', readDiff],
        ['by hash', readDelta],
      ] as const) {
        // At small sizes this would measure only the restarted server.
        const cold: number[] = []
        for (let run = 0; place.size === bench.largest && run < runsOf(place.size); run++)
          cold.push(await readCold(stage, read, pair, expected))
        if (cold.length > 0) bench.figures.add(`diff ${what}, ${spread}, cold`, 'ms', place, sampleOf(cold))
        const warm = await repeated({ runs: runsOf(place.size), warmUp: 1 }, () =>
          read(stage.served, stage.big, pair),
        )
        bench.figures.add(`diff ${what}, ${spread}, warm`, 'ms', place, warm)
      }
    }
  },
  async otherwise(bench, size) {
    const contenders = { tables: await bench.tables(size), git: await bench.git(size) }
    for (const by of ['tables', 'git'] as const) {
      for (const [what, of] of [
        ['with data', 'data'],
        ['by hash', 'hashes'],
      ] as const) {
        const ms = await contenders[by].diff(runsOf(size), of)
        bench.figures.add(`diff ${what}, scattered, warm`, 'ms', { by, size }, ms)
      }
    }
  },
}
