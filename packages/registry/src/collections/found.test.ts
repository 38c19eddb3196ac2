/** Readmes, types and fields of the latest version, by which searches find public collections. */
import type { Json, JsonObject } from '@ulmus/content'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type Path, type World } from '../testing/world.ts'

const schemas: JsonObject = {
  Lichen: {
    type: 'object',
    properties: { substrateKind: { title: 'Bark or rock' }, finderEmail: { private: true } },
  },
  Donor: { private: true, title: 'Sponsorship' },
}

describe.each(serviceDatabases)('what is found on $name', (testDatabase) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(testDatabase)
  })
  afterAll(() => world.dispose())

  const found = async (search: string): Promise<string[]> =>
    (await world.collections.browse({ search })).items.map(({ slug }) => slug)
  async function collection(metadata: JsonObject = {}, of: Record<string, Json> = schemas): Promise<Path> {
    const path = await world.collection()
    await world.push(path, { base: null, schemas: of, metadata })
    return path
  }

  test('words of readmes, types, fields and titles, without private types and fields', async () => {
    const path = await collection({ readme: '# Moorland\n\nSurveyed *yearly*.' })
    for (const word of ['moorland survey', 'lichen', 'substratekind', 'substrate bark', 'moorland rock'])
      expect(await found(word)).toEqual([path.slug])
    for (const word of ['donor', 'sponsorship', 'finder', 'finderemail', 'email', 'private', 'object'])
      expect(await found(word)).toEqual([])
    await world.remove(path)
  })

  test('follow updates, pushes, forks, visibility and withdrawals', async () => {
    const path = await collection({ readme: 'Peat' })
    await world.patch(path, { readme: 'Sphagnum' })
    expect(await found('peat')).toEqual([])
    expect(await found('sphagnum lichen')).toEqual([path.slug])
    await world.push(path, {
      base: 'v1.0.1',
      schemas: { Fungus: schemas['Lichen']!, Lichen: null },
    })
    expect(await found('lichen')).toEqual([])
    expect(await found('sphagnum fungus substrate')).toEqual([path.slug])
    await world.push(path, { base: 'v2.0.0', puts: [{ id: 'a', type: 'Fungus', data: {} }] })
    const fork = await world.fork(path)
    expect((await found('sphagnum fungus')).sort()).toEqual([path.slug, fork.slug].sort())
    await world.collections.patch(world.me, path, { public: false })
    expect(await found('fungus')).toEqual([fork.slug])
    await world.collections.patch(world.me, path, { public: true })
    await world.remove(fork)
    const withdraw = (v: string) =>
      world.withdrawals.withdraw(world.me, { ...path, v }, { reason: 'a leak', erase: true })
    await withdraw('v2.1.0')
    expect(await found('fungus sphagnum')).toEqual([path.slug])
    await withdraw('v2.0.0')
    expect(await found('fungus')).toEqual([])
    expect(await found('lichen substrate sphagnum')).toEqual([path.slug])
    await withdraw('v1.0.1')
    expect(await found('sphagnum')).toEqual([])
    await withdraw('v1.0.0')
    expect(await found('lichen')).toEqual([])
  })

  test('a type that becomes private is no longer found', async () => {
    const open = { Nest: { properties: { eggs: {} } } }
    const path = await collection({}, open)
    expect(await found('nest eggs')).toEqual([path.slug])
    await world.push(path, { base: 'v1.0.0', schemas: { Nest: { ...open.Nest, private: true } } })
    expect(await found('nest')).toEqual([])
    expect(await found('eggs')).toEqual([])
  })

  test('come after names, topics and descriptions, however often a readme has the word', async () => {
    const readme = await collection({ readme: 'heron herons heronry heronries heronshaw. '.repeat(100) })
    const text = await collection({ description: 'Seen once: a heron' })
    const topic = await collection({ keywords: ['heron'] })
    const field = await collection({}, { Heron: {} })
    const order = await found('heron')
    expect(order.slice(0, 2)).toEqual([topic.slug, text.slug])
    expect(order.slice(2).sort()).toEqual([readme.slug, field.slug].sort())
  })
})
