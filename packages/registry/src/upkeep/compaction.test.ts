/** Small packs in the database before their compaction: metadata updates and forks, read and stored like all others. */
import { randomUUID } from 'node:crypto'
import {
  copyObjects,
  foundPacks,
  type InlinePack,
  moveRows,
  oldestInlinePacks,
  openObjectReader,
  packsPrefix,
  recordPacks,
} from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { shown } from '../testing/shown.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'
import { versionsOf } from '../versions/versions.ts'
import { compact } from './compaction.ts'
import { rebuild } from './fsck/rebuild.ts'
import { fsck } from './fsck.ts'
import { sweep } from './sweep.ts'

const schemas = { A: { type: 'object' } }
const puts = Array.from({ length: 50 }, (_, n) => ({ id: `${n}`, type: 'A', data: { n } }))

describe.each(databases)('small packs ($name)', (database) => {
  let world: World
  let path: Path
  beforeAll(async () => {
    world = await openWorld(database)
  })
  afterAll(() => world.dispose())
  beforeEach(async () => {
    await compact(world.context)
    path = await world.collection()
    await world.push(path, { base: null, schemas, puts })
  })

  const blobs = async () =>
    (await Array.fromAsync(world.context.blobs.list(packsPrefix))).map(({ name }) => name)
  const inline = async () =>
    Number((await world.context.database.query('select count(*) as n from inline_packs')).rows[0]!['n'])
  const recorded = async () =>
    Number((await world.context.database.query('select count(*) as n from packs')).rows[0]!['n'])
  const whole = async () => {
    const damages: unknown[] = []
    await fsck(world.context, { onDamage: (damage) => damages.push(damage) })
    return damages
  }
  /** A server with empty caches. */
  const cold = () => {
    const objects = openObjectReader({ ...world.context, cacheBytesMax: 1_000_000 })
    const versions = versionsOf({ ...world.context, objects })
    return async (v: string) => shown(await versions.detail(world.me, { ...path, v })).metadata
  }
  /** Different for every collection: otherwise its objects would be there already. */
  const described = (n: number) => ({ n, of: path.slug })
  const update = async (times: number) => {
    for (let n = 1; n <= times; n++) await world.patch(path, described(n))
  }

  /** Another inline pack with the same content, but without rows in the index. */
  const packAgain = async () => {
    const { database: db } = world.context
    const [{ content }] = (await oldestInlinePacks(db, 1)) as [InlinePack]
    const pack = { name: `${packsPrefix}aa/${randomUUID()}`, bytes: content.length, content, entries: [] }
    await db.transact((tx) => recordPacks(tx, { packs: [pack], reliedOn: [] }))
  }

  test('updates write no blob; compacted they are one, readable with and without a cache of their former places', async () => {
    const before = { blobs: await blobs(), packs: await recorded() }
    await update(5)
    expect(await blobs()).toEqual(before.blobs)
    expect(await inline()).toBe(5)
    const [early, late] = [cold(), cold()]
    expect(await early('v1.0.3')).toEqual(described(3))
    expect(await whole()).toEqual([])
    await compact(world.context)
    expect(await inline()).toBe(0)
    expect(await blobs()).toHaveLength(before.blobs.length + 1)
    expect(await recorded()).toBe(before.packs + 1)
    for (const n of [1, 2, 3, 4, 5])
      for (const read of [early, late]) expect(await read(`v1.0.${n}`)).toEqual(described(n))
    expect(await whole()).toEqual([])
    await compact(world.context)
    expect(await blobs()).toHaveLength(before.blobs.length + 1)
  })

  test('a reader with an outdated location looks the object up again after compaction', async () => {
    await update(1)
    const { context } = world
    const digest = (await versionsOf(context).detail(world.me, { ...path, v: 'v1.0.1' })).hash.slice(-64)
    const reader = openObjectReader({ ...context, cacheBytesMax: 1_000_000 })
    const [place] = await reader.chain('plain', digest as never)
    await compact(context)
    expect((await reader.document(digest as never)).metadata).toEqual(described(1))
    expect((await reader.chain('plain', digest as never))[0]!.pack).not.toBe(place!.pack)
  })

  test('an index that was emptied is rebuilt from them, too', async () => {
    await update(3)
    const { database: db } = world.context
    await db.query('delete from packs')
    const { damages } = await rebuild(world.context)
    expect(damages).toEqual([])
    expect(await inline()).toBe(0)
    for (const n of [1, 2, 3]) expect(await cold()(`v1.0.${n}`)).toEqual(described(n))
    expect(await whole()).toEqual([])
  })

  test('reverted content is found in its former place, before and after compaction', async () => {
    const there = async () => [await blobs(), await recorded(), await inline()]
    await update(2)
    const before = await there()
    for (const n of [1, 2, 1]) await world.patch(path, described(n))
    expect(await there()).toEqual(before)
    await compact(world.context)
    const gathered = await there()
    for (const n of [2, 1, 2]) await world.patch(path, described(n))
    expect(await there()).toEqual(gathered)
    const heads = [1, 2, 1, 2, 1, 2, 1, 2]
    const readAll = async () => {
      const read = cold()
      for (const [i, n] of heads.entries()) expect(await read(`v1.0.${i + 1}`)).toEqual(described(n))
      expect(await whole()).toEqual([])
    }
    await readAll()
    const later = { ...world.context, now: () => new Date(Date.now() + 1_000) }
    await sweep(later, { graceSeconds: 0, asideSeconds: 0, force: true })
    await readAll()
    for (const n of [1, 2]) await world.patch(path, described(n))
    heads.push(1, 2)
    await compact(world.context)
    await readAll()
  })

  test('an update beside gathering keeps what is being moved, and a pack that none of its objects lie in is dropped', async () => {
    await update(2)
    const { context } = world
    await packAgain()
    expect(await inline()).toBe(3)
    expect(await whole()).toEqual([])
    const toggling = (async () => {
      for (let n = 0; n < 12; n++) await world.patch(path, described(1 + (n % 2)))
    })()
    await Promise.all([compact(context), toggling])
    expect(await inline()).toBe(0)
    for (let n = 0; n < 12; n++) expect(await cold()(`v1.0.${3 + n}`)).toEqual(described(1 + (n % 2)))
    expect(await whole()).toEqual([])
  })

  test('an inline pack that none of its objects lie in goes with a sweep, too', async () => {
    await update(1)
    const { context } = world
    await packAgain()
    expect(await inline()).toBe(2)
    const later = { ...context, now: () => new Date(Date.now() + 1_000) }
    expect(
      (await sweep(later, { graceSeconds: 0, asideSeconds: 0, force: true })).packsEmptied,
    ).toBeGreaterThan(0)
    expect(await inline()).toBe(1)
    expect(await cold()('v1.0.1')).toEqual(described(1))
    expect(await whole()).toEqual([])
  })

  test('two servers may compact the same at once', async () => {
    const before = { blobs: await blobs(), packs: await recorded() }
    await update(4)
    await Promise.all([compact(world.context), compact(world.context), compact(world.context)])
    expect(await inline()).toBe(0)
    expect(await blobs()).toHaveLength(before.blobs.length + 1)
    expect(await recorded()).toBe(before.packs + 1)
    for (const n of [1, 2, 3, 4]) expect(await cold()(`v1.0.${n}`)).toEqual(described(n))
    expect(await whole()).toEqual([])
  })

  test('objects copied but not recorded are still read inline', async () => {
    await update(2)
    const { context } = world
    const lost = new Error('the database went away')
    const failing = Object.create(context.database, {
      transact: { value: () => Promise.reject(lost) },
    }) as typeof context.database
    await expect(compact({ ...context, database: failing })).rejects.toThrow(lost)
    expect(await inline()).toBe(2)
    expect(await cold()('v1.0.2')).toEqual(described(2))
    await compact(context)
    expect(await inline()).toBe(0)
    expect(await cold()('v1.0.2')).toEqual(described(2))
  })

  test('a pack whose objects another has gathered is dropped, and a copy that comes late changes nothing', async () => {
    await update(1)
    const { context } = world
    const packs = await oldestInlinePacks(context.database, 10)
    const late = await copyObjects(context.blobs, foundPacks(packs), packs)
    await compact(context)
    const ids = packs.map(({ id }) => id)
    expect(await context.database.transact((tx) => moveRows(tx, late, ids))).toBe(0)
    expect(await cold()('v1.0.1')).toEqual(described(1))
  })

  test('a damaged one is reported, becomes a blob, and holds up none of the others', async () => {
    await update(3)
    const { context } = world
    const [, second] = await oldestInlinePacks(context.database, 3)
    const damaged = Buffer.from(second!.content)
    damaged[second!.entries[0]!.offset + 5]! ^= 1
    await context.database.query('update inline_packs set content = $1 where name = $2', [
      damaged,
      second!.name,
    ])
    expect(await whole()).not.toEqual([])
    await compact(context)
    expect(context.log.errors.splice(0).at(-1)?.line).toContain('damaged')
    expect(await inline()).toBe(0)
    expect(await blobs()).toContain(second!.name)
    for (const n of [1, 3]) expect(await cold()(`v1.0.${n}`)).toEqual(described(n))
    await expect(cold()('v1.0.2')).rejects.toMatchObject({ name: 'ObjectCorruptError' })
    await world.remove(path)
    await context.blobs.put(second!.name, second!.content)
  })

  test('of a collection that is deleted nothing stays inline', async () => {
    await update(2)
    await world.remove(path)
    const later = { ...world.context, now: () => new Date(Date.now() + 1_000) }
    await sweep(later, { graceSeconds: 0, asideSeconds: 0, force: true })
    expect(await inline()).toBe(0)
    expect(await whole()).toEqual([])
  })
})
