/** Pages of a collection need one look-up, and no schemas that they do not show. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { anonymous, type Principal } from '../principal.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'

const schemas = {
  Open: { properties: { name: {} } },
  Partly: { properties: { name: {}, salary: { private: true }, age: { private: true } } },
  Secret: { private: true, properties: { name: {} } },
}
const puts = [
  { id: 'a', type: 'Open', data: { name: 'A' } },
  { id: 'b', type: 'Open', data: { name: 'B' }, private: true },
  { id: 'c', type: 'Partly', data: { name: 'C', salary: 1 } },
  { id: 'd', type: 'Secret', data: { name: 'D' } },
]
const latest = { withVersion: true, asPublic: false }

describe.each(anyDatabase)('collections as pages show them on $name', (database) => {
  let world: World
  let path: Path
  /** Hashes of the plain objects read. */
  const read: string[] = []

  beforeAll(async () => {
    world = await openWorld(database, ({ objects }) => ({
      objects: {
        ...objects,
        plain: (hash) => {
          read.push(hash)
          return objects.plain(hash)
        },
      },
    }))
    path = await world.collection()
    await world.push(path, { base: null, schemas, puts })
  })
  afterAll(() => world.dispose())

  const shown = (who: Principal, ask = latest, v = 'latest') =>
    world.collections.shown(who, { ...path, v }, ask)

  test('members learn what the public view hides, in either view; others do not', async () => {
    const hidden = { records: 2, recordsInAll: 4, types: ['Secret'], fields: ['Partly.age', 'Partly.salary'] }
    for (const asPublic of [false, true]) {
      const { rights, ...rest } = await shown(world.me, { ...latest, asPublic })
      expect([rights.readsAll, rest.hidden]).toEqual([true, hidden])
      expect(Object.keys(rest.version!.schemas)).toEqual(
        asPublic ? ['Open', 'Partly'] : ['Open', 'Partly', 'Secret'],
      )
      expect(rest.version!.recordCount).toBe(asPublic ? 2 : 4)
    }
    const { rights, hidden: told, version } = await shown(anonymous)
    expect([rights.readsAll, rights.may('write'), told]).toEqual([false, false, undefined])
    expect(() => rights.demand('write')).toThrow(expect.objectContaining({ code: 'unauthenticated' }))
    expect(Object.keys(version!.schemas)).toEqual(['Open', 'Partly'])
  })

  test('it is one look-up, for every caller', async () => {
    const spies = [vi.spyOn(world.context.database, 'lookUp'), vi.spyOn(world.context.database, 'query')]
    try {
      for (const who of [anonymous, world.me]) {
        for (const spy of spies) spy.mockClear()
        await shown(who)
        const texts = spies.flatMap((spy) => spy.mock.calls.map(([text]) => text))
        expect(texts.filter((text) => /\bcollections\b/.test(text))).toHaveLength(1)
      }
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
  })

  test('lists hidden types and fields without reading schemas that both views share', async () => {
    const other = await world.collection()
    const same = { Alone: { properties: { alone: {} } } }
    await world.push(other, { base: null, schemas: same, puts: [{ id: '1', type: 'Alone', data: {} }] })
    read.length = 0
    const { hidden, version } = await world.collections.shown(
      world.me,
      { ...other, v: 'latest' },
      { withVersion: false, asPublic: false },
    )
    expect([hidden?.fields, version, read]).toEqual([[], null, []])
  })

  test('before the first version there is none; one that is named is refused as what it is', async () => {
    const empty = await world.collection()
    const of = (who: Principal, place: Path, v: string, withVersion = true) =>
      world.collections.shown(who, { ...place, v }, { ...latest, withVersion })
    const none = await of(world.me, empty, 'latest')
    expect([none.latest, none.version, none.hidden]).toEqual([null, null, undefined])
    const refused = (code: string) => ({ code })
    for (const place of [empty, path])
      await expect(of(anonymous, place, 'v9.0.0')).rejects.toMatchObject(refused('version_not_found'))
    await world.push(empty, { base: null, schemas, puts })
    await world.withdrawals.withdraw(world.me, { ...empty, v: 'v1.0.0' }, { reason: 'It was wrong.' })
    for (const who of [anonymous, world.me])
      for (const withVersion of [true, false])
        await expect(of(who, empty, 'v1.0.0', withVersion)).rejects.toMatchObject(
          refused('version_withdrawn'),
        )
    expect((await of(anonymous, empty, 'latest')).version).toBeNull()
    await expect(of(anonymous, { ...path, slug: 'absent' }, 'latest')).rejects.toMatchObject(
      refused('collection_not_found'),
    )
  })
})
