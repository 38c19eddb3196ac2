import type { ObjectReader } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous } from '../principal.ts'
import { openWorld, type World } from '../testing/world.ts'
import { historiesOf } from './histories.ts'

const [embedded] = databases

describe('histories of records', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(embedded!)
  })
  afterAll(() => world.dispose())

  const record = (data: number) => ({ id: 'a', type: 'T', data })

  /** Counts reads of versions. */
  function watched() {
    const reads = { documents: 0, sidecars: [] as string[], now: 0, most: 0 }
    const { objects } = world.context
    const watching: ObjectReader = {
      ...objects,
      async document(digest) {
        reads.documents++
        return objects.document(digest)
      },
      async decoded(hash, decode) {
        reads.sidecars.push(hash)
        reads.most = Math.max(reads.most, ++reads.now)
        try {
          return await objects.decoded(hash, decode)
        } finally {
          reads.now--
        }
      },
    }
    return { reads, histories: historiesOf({ ...world.context, objects: watching }) }
  }

  test('no document is read, and one sidecar for all versions that differ in their metadata alone', async () => {
    const path = await world.collection()
    await world.push(path, { base: null, schemas: { T: {} }, puts: [record(1)] })
    for (let n = 0; n < 20; n++) await world.patch(path, { n })
    const { reads, histories } = watched()
    const { items } = await histories.list(anonymous, { ...path, type: 'T', id: 'a' }, {})
    expect(items.map(({ semver }) => semver)).toEqual(['v1.0.0'])
    expect([reads.documents, reads.sidecars.length]).toEqual([0, 1])
  })

  test('a few versions are read at a time, however many it goes through', async () => {
    const path = await world.collection()
    await world.push(path, { base: null, schemas: { T: {} }, puts: [record(0)] })
    for (let n = 1; n <= 20; n++) await world.push(path, { base: `v1.${n - 1}.0`, puts: [record(n)] })
    const { reads, histories } = watched()
    const { items } = await histories.list(anonymous, { ...path, type: 'T', id: 'a' }, {})
    expect(items.length).toBe(21)
    expect([reads.sidecars.length, reads.most]).toEqual([21, 8])
  })

  test('an answer goes through 300 versions, and its links lead to the rest, both ways', async () => {
    const path = await world.collection()
    const absent = { ...path, type: 'T', id: 'absent' }
    const present = { ...path, type: 'T', id: 'a' }
    await world.push(path, { base: null, schemas: { T: {} }, puts: [record(1)] })
    for (let n = 1; n <= 610; n++) await world.patch(path, { n })
    const { histories } = watched()
    const follow = async (place: typeof present, link: string) =>
      histories.list(anonymous, place, Object.fromEntries(new URLSearchParams(link)))
    const first = await histories.list(anonymous, present, {})
    expect(first.items).toEqual([])
    const second = await follow(present, first.links.next!)
    expect(second.items).toEqual([])
    const third = await follow(present, second.links.next!)
    expect(third.items).toMatchObject([{ semver: 'v1.0.0', change: 'added' }])
    expect(third.links.next).toBeUndefined()
    const back = await follow(present, third.links.prev!)
    expect(back.items).toEqual([])
    expect(back.links.prev).toBeDefined()
    expect((await histories.list(anonymous, absent, {})).items).toEqual([])
    await expect(histories.list(anonymous, present, { offset: 5 })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { issues: [{ path: 'offset' }] },
    })
  }, 120_000)
})
