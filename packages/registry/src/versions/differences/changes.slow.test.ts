/** Compares totals of differences with the differences. */
import { databases } from '@ulmus/storage/testing'
import { expect, test } from 'vitest'
import { openWorld } from '../../testing/world.ts'
import { seeVersion } from '../versions.ts'
import { countDifferences, differenceReader, recordDifferences } from './changes.ts'

const item = (type: string, n: number, data: object) => ({ id: `${type}-${n}`, type, data })
const items = (type: string, from: number, to: number, data: object = {}) =>
  Array.from({ length: to - from }, (_, n) => item(type, from + n, data))

test('totals are those of all differences; types that one side lacks are not counted one by one', async () => {
  const world = await openWorld(databases[0]!)
  try {
    const path = await world.collection()
    const schemas = { A: {}, B: {} }
    await world.push(path, { base: null, schemas, puts: [...items('A', 0, 3_000), ...items('B', 0, 700)] })
    await world.push(path, {
      ...{ base: 'v1.0.0', schemas: { A: {}, B: null, C: {} } },
      puts: [...items('A', 0, 40, { changed: true }), ...items('A', 5_000, 5_300), ...items('C', 0, 900)],
      deletes: items('A', 2_000, 2_500),
    })
    const roots = async (v: string) => (await seeVersion(world.context, world.me, { ...path, v })).roots
    const [before, after] = [await roots('v1.0.0'), await roots('v2.0.0')]
    const reader = () => differenceReader(world.context, 'anyone')
    const expected = { added: 300 + 900, updated: 40, removed: 500 + 700 }
    expect(await countDifferences(reader(), before, after)).toEqual(expected)
    expect(await countDifferences(reader(), before, after, 840)).toEqual(expected)
    expect(await countDifferences(reader(), before, after, 839)).toBe(null)
    const swapped = { added: expected.removed, updated: 40, removed: expected.added }
    expect(await countDifferences(reader(), after, before)).toEqual(swapped)
    let all = 0
    for await (const _ of recordDifferences(reader(), before, after, undefined)) all++
    expect(all).toBe(expected.added + expected.updated + expected.removed)
  } finally {
    await world.dispose()
  }
})
