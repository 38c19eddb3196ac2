import type { Hash } from '@ulmus/content'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareEntries, type PushEntry } from './entry.ts'
import { groupsToMerge, mergeRuns } from './merge.ts'

/** An entry of a run, told from those of others by its form. */
const entry = (id: string, run: number): PushEntry => ({
  type: 'A',
  id,
  put: { hash: '0'.repeat(64) as Hash, canonical: Buffer.from(`${run}`), private: false, refers: false },
})

async function* framesOf(entries: PushEntry[]): AsyncGenerator<PushEntry[]> {
  for (const one of entries) yield [one]
}

const merged = async (runs: PushEntry[][]): Promise<PushEntry[]> =>
  (await Array.fromAsync(mergeRuns(runs.map(framesOf)))).flat()

const sizes = { runs: fc.nat(200), most: fc.integer({ min: 2, max: 20 }) }

describe('too many runs to be read at once', () => {
  test('are merged in groups of neighbours, from the first on, none longer than what is read at once', () => {
    fc.assert(
      fc.property(sizes.runs, sizes.most, (count, most) => {
        const runs = Array.from({ length: count }, (_, i) => i)
        const groups = groupsToMerge(runs, most)
        expect(groups.flat()).toEqual(runs.slice(0, groups.flat().length))
        for (const group of groups) {
          expect(group.length).toBeGreaterThan(1)
          expect(group.length).toBeLessThanOrEqual(most)
        }
      }),
    )
  })

  test('become exactly as many as may be read at once, with no run merged in vain', () => {
    fc.assert(
      fc.property(sizes.runs, sizes.most, (count, most) => {
        let runs = Array.from({ length: count }, (_, i) => i)
        for (let rounds = 0; runs.length > most; rounds++) {
          expect(rounds).toBeLessThan(8)
          const groups = groupsToMerge(runs, most)
          runs = [...groups.map(([first]) => first!), ...runs.slice(groups.flat().length)]
        }
        expect(runs).toHaveLength(Math.min(count, most))
        expect(groupsToMerge(runs, most)).toEqual([])
      }),
    )
  })

  test('give the same entries, the latest of each record, as all of them merged at once', async () => {
    const ids = fc.uniqueArray(fc.constantFrom('1', '2', '3', 'é', '\u{ffff}', '\u{1f600}'), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(fc.array(ids, { maxLength: 30 }), sizes.most, async (arrived, most) => {
        const all = arrived.map((some, run) => some.map((id) => entry(id, run)).sort(compareEntries))
        let runs = all
        while (runs.length > most) {
          const groups = groupsToMerge(runs, most)
          runs = [...(await Promise.all(groups.map(merged))), ...runs.slice(groups.flat().length)]
        }
        expect(await merged(runs)).toEqual(await merged(all))
      }),
    )
  })
})
