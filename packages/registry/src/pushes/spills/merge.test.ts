import type { Hash } from '@ulmus/content'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareEntries, type PushEntry } from './entries.ts'
import { groupsToMerge, mergeSpills } from './merge.ts'

/** An entry whose canonical form identifies its spill. */
const entry = (id: string, spill: number): PushEntry => ({
  type: 'A',
  id,
  put: { hash: '0'.repeat(64) as Hash, canonical: Buffer.from(`${spill}`), private: false, refers: false },
})

async function* framesOf(entries: PushEntry[]): AsyncGenerator<PushEntry[]> {
  for (const one of entries) yield [one]
}

const merged = async (spills: PushEntry[][]): Promise<PushEntry[]> =>
  (await Array.fromAsync(mergeSpills(spills.map(framesOf)))).flat()

const sizes = { spills: fc.nat(200), most: fc.integer({ min: 2, max: 20 }) }

describe('too many spills to be read at once', () => {
  test('are merged in groups of neighbours, from the first on, none longer than what is read at once', () => {
    fc.assert(
      fc.property(sizes.spills, sizes.most, (count, most) => {
        const spills = Array.from({ length: count }, (_, i) => i)
        const groups = groupsToMerge(spills, most)
        expect(groups.flat()).toEqual(spills.slice(0, groups.flat().length))
        for (const group of groups) {
          expect(group.length).toBeGreaterThan(1)
          expect(group.length).toBeLessThanOrEqual(most)
        }
      }),
    )
  })

  test('become exactly as many as may be read at once, with no spill merged in vain', () => {
    fc.assert(
      fc.property(sizes.spills, sizes.most, (count, most) => {
        let spills = Array.from({ length: count }, (_, i) => i)
        for (let rounds = 0; spills.length > most; rounds++) {
          expect(rounds).toBeLessThan(8)
          const groups = groupsToMerge(spills, most)
          spills = [...groups.map(([first]) => first!), ...spills.slice(groups.flat().length)]
        }
        expect(spills).toHaveLength(Math.min(count, most))
        expect(groupsToMerge(spills, most)).toEqual([])
      }),
    )
  })

  test('give the same entries, the latest of each record, as all of them merged at once', async () => {
    const ids = fc.uniqueArray(fc.constantFrom('1', '2', '3', 'é', '\u{ffff}', '\u{1f600}'), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(fc.array(ids, { maxLength: 30 }), sizes.most, async (arrived, most) => {
        const all = arrived.map((some, spill) => some.map((id) => entry(id, spill)).sort(compareEntries))
        let spills = all
        while (spills.length > most) {
          const groups = groupsToMerge(spills, most)
          spills = [...(await Promise.all(groups.map(merged))), ...spills.slice(groups.flat().length)]
        }
        expect(await merged(spills)).toEqual(await merged(all))
      }),
    )
  })
})
