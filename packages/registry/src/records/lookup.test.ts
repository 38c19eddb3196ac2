import { openObjectReader } from '@ulmus/storage'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonOf } from '../answers/json-text.ts'
import type { Context } from '../context.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'
import { recordsOf } from './records.ts'

const count = 3_000
/** Some have objects of their own, beside the leaf. */
const large = 'large '.repeat(4_000)
const puts = Array.from({ length: count }, (_, n) => ({
  id: `r${10_000 + n}`,
  type: 'A',
  data: { n, text: n % 700 === 3 ? large : `${n} is a number. `.repeat(20) },
}))

describe.each(anyDatabase)('records of leaves that are not worth caching ($name)', (database) => {
  let world: World
  let path: Path & { v: string }
  beforeAll(async () => {
    world = await openWorld(database)
    path = { ...(await world.collection()), v: 'latest' }
    await world.push(path, { base: null, schemas: { A: {} }, puts })
    // Leaves as patches of others.
    const changed = puts.filter(({ data }) => data.n % 900 === 5)
    await world.push(path, {
      base: 'v1.0.0',
      puts: changed.map((put) => ({ ...put, data: { ...put.data, text: 'changed' } })),
    })
  })
  afterAll(() => world.dispose())

  /** The record service with a cache of this size. `reads` counts bodies, stored forms and forgotten objects. */
  function readsWith(cacheBytesMax: number) {
    const objects = openObjectReader({ ...world.context, cacheBytesMax })
    const reads = { bodies: 0, stored: 0, forgotten: 0 }
    const watched: Context['objects'] = {
      ...objects,
      body: (leaf) => {
        reads.bodies++
        return objects.body(leaf)
      },
      encodedLeaf: async (leaf) => {
        reads.stored++
        return objects.encodedLeaf(leaf)
      },
      forget: (kind, hash) => {
        reads.forgotten++
        objects.forget(kind, hash)
      },
    }
    return { reads, watched, records: recordsOf({ ...world.context, objects: watched }) }
  }

  async function pagesOf(records: ReturnType<typeof recordsOf>, limit: number) {
    const all: unknown[] = []
    for (let after: string | undefined; ; ) {
      const page = await records.page(world.me, path, { limit, ...(after !== undefined && { after }) })
      all.push(...(JSON.parse(String(jsonOf(page.records))) as unknown[]))
      if (page.pagination.nextCursor === null) return all
      expect(page.records.length).toBe(limit)
      after = page.pagination.nextCursor
    }
  }

  test('pages are the same as through the cache, and no body is decoded whole', async () => {
    const [cached, stored] = [readsWith(64_000_000), readsWith(0)]
    const expected = await pagesOf(cached.records, 170)
    expect(expected).toHaveLength(count)
    expect(await pagesOf(stored.records, 170)).toEqual(expected)
    expect([cached.reads.stored, stored.reads.bodies]).toEqual([0, 0])
    // Each page reads one leaf, or two.
    expect(stored.reads.stored).toBeLessThan(50)
  })

  test('a single record is read from there on the calling thread', async () => {
    const { reads, records } = readsWith(0)
    for (const id of ['r10003', 'r10905', 'r12999']) {
      const found = await records.one(world.me, { ...path, type: 'A', id }, { proof: false })
      expect(JSON.parse(String(jsonOf(found)))).toMatchObject({ id })
    }
    const missing = records.one(world.me, { ...path, type: 'A', id: 'r1' }, { proof: false })
    await expect(missing).rejects.toMatchObject({ code: 'record_not_found' })
    expect(reads).toEqual({ bodies: 0, stored: 4, forgotten: 0 })
  })

  test('damaged stored bytes are looked up again, and counted once against the page', async () => {
    const { reads, watched, records } = readsWith(0)
    const { encodedLeaf } = watched
    watched.encodedLeaf = async (leaf) => {
      const encoded = await encodedLeaf(leaf)
      encoded.body.chain[0]!.crc ^= 1
      return encoded
    }
    const page = await records.page(world.me, path, { limit: 150 })
    expect(page.records).toHaveLength(150)
    expect(reads.forgotten).toBeGreaterThan(0)
    expect(reads.bodies).toBe(reads.forgotten)
  })

  test('a single record of a large leaf is found in a thread', async () => {
    const big = { ...(await world.collection()), v: 'latest' }
    const texts = Array.from({ length: 600 }, (_, n) => `${n} `.repeat(3_800))
    await world.push(big, {
      base: null,
      schemas: { A: {} },
      puts: texts.map((text, n) => ({ id: `${100 + n}`, type: 'A', data: { text } })),
    })
    let tasks = 0
    const work: Context['work'] = {
      ...world.context.work,
      run(...task) {
        tasks++
        return world.context.work.run(...task)
      },
    }
    await expect.poll(() => work.hasReader(), { timeout: 60_000 }).toBe(true)
    const { watched } = readsWith(0)
    const records = recordsOf({ ...world.context, objects: watched, work })
    for (let n = 0; n < texts.length; n += 50) {
      const found = await records.one(world.me, { ...big, type: 'A', id: `${100 + n}` }, { proof: false })
      expect(JSON.parse(String(jsonOf(found)))).toMatchObject({ data: { text: texts[n] } })
    }
    expect(tasks).toBeGreaterThan(3)
  })
})
