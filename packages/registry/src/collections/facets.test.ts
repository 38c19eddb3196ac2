/** Facets of lists of public collections: filters and their counts. */
import type { JsonObject } from '@ulmus/content'
import { serviceDatabases } from '@ulmus/storage/testing'
import type { CollectionFacets } from '@ulmus/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type Path, type World } from '../testing/world.ts'
import type { BrowseAsk } from './lists.ts'

type FacetsAsk = Parameters<World['collections']['facets']>[0]

const put = (id: string, type: string) => ({ id, type, data: {} })

describe.each(serviceDatabases)('facets on $name', (testDatabase) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(testDatabase)
  })
  afterAll(() => world.dispose())

  const found = async (ask: BrowseAsk): Promise<string[]> =>
    (await world.collections.browse(ask)).items.map(({ slug }) => slug)
  const valuesOf = ({ facets }: CollectionFacets, filter: string) =>
    facets.find((one) => one.filter === filter)!.values
  const counted = async (ask: FacetsAsk, filter: string) =>
    valuesOf(await world.collections.facets(ask), filter).map(({ value, count }) => `${value} ${count}`)
  async function collection(metadata: JsonObject, schemas: JsonObject): Promise<Path> {
    const path = await world.collection()
    await world.push(path, { base: null, schemas, metadata })
    return path
  }

  test('filter lists and searches, alone and together', async () => {
    const [a, b, c] = [
      await collection({ license: 'MIT', keywords: ['fern'] }, { Frond: {}, 'odd:type, "x"': {} }),
      await collection({ license: 'CC0-1.0', keywords: ['fern'] }, { Frond: {}, Spore: {} }),
      await collection({ keywords: ['fern'] }, { Spore: {}, Donor: { private: true } }),
    ].map(({ slug }) => slug)
    for (const more of [{}, { search: 'fern' }, { topic: ['fern'] }, { sort: 'name' as const }]) {
      const sorted = async (ask: BrowseAsk) => (await found({ ...more, ...ask })).sort()
      expect(await sorted({ type: ['Frond'] })).toEqual([a, b])
      expect(await sorted({ type: ['Spore', 'Frond'] })).toEqual([b])
      expect(await sorted({ type: ['odd:type, "x"'] })).toEqual([a])
      expect(await sorted({ license: 'MIT' })).toEqual([a])
      expect(await sorted({ license: 'mit' })).toEqual([])
      expect(await sorted({ size: 'small', owner: 'ada' })).toEqual([a, b, c])
      expect(await sorted({ size: 'large' })).toEqual([])
      expect(await sorted({ type: ['Donor'] })).toEqual([])
      for (const odd of ['', 'a\0b', '\ud800', 'x'.repeat(1_000), '{}', '%'])
        expect(await sorted({ type: [odd] })).toEqual([])
    }
    expect(await counted({}, 'type')).toEqual(['Frond 2', 'Spore 2', 'odd:type, "x" 1'])
    expect(await counted({ search: 'fern spore' }, 'license')).toEqual(['CC0-1.0 1'])
    expect(await counted({ license: 'MIT' }, 'size')).toEqual(['small 1'])
    expect(await counted({ topic: ['fern'], type: ['Frond'] }, 'owner')).toEqual(['ada 2'])
    expect(await counted({ q: a!.toUpperCase() }, 'license')).toEqual(['MIT 1'])
    expect(await counted({ q: a!, search: 'fern' }, 'license')).toEqual(['MIT 1'])
    expect(await counted({ q: '%' }, 'owner')).toEqual([])
    expect(await counted({ search: 'ferm', similar: true }, 'owner')).toEqual(['ada 3'])
    expect(await counted({ search: 'ferm' }, 'owner')).toEqual([])
    expect(await world.collections.facets({ search: 'absent' })).toEqual({
      total: 0,
      hasMore: false,
      facets: ['license', 'size', 'type', 'owner'].map((filter) => ({ filter, values: [] })),
    })
    expect((await world.collections.facets({ search: '?!' })).total).toBe(0)
    expect((await world.collections.facets({ owner: 'missing' })).total).toBe(0)
  })

  test('follow the latest version, visibility and transfers', async () => {
    const path = await collection({ license: 'ODbL-1.0' }, { Herb: {} })
    expect(await counted({ type: ['Herb'] }, 'license')).toEqual(['ODbL-1.0 1'])
    await world.patch(path, { license: 'PDDL-1.0' })
    expect(await counted({ type: ['Herb'] }, 'license')).toEqual(['PDDL-1.0 1'])
    const puts = Array.from({ length: 1_001 }, (_, n) => put(`${n}`, 'Herb'))
    await world.push(path, { base: 'v1.0.1', puts })
    expect(await found({ type: ['Herb'], size: 'medium' })).toEqual([path.slug])
    const fork = await world.fork(path)
    expect(await counted({ license: 'PDDL-1.0' }, 'owner')).toEqual(['ada 1', 'elms 1'])
    expect(await counted({ license: 'PDDL-1.0' }, 'size')).toEqual(['medium 2'])
    await world.remove(fork)
    await world.collections.transfer(world.me, path, 'elms')
    const moved = { owner: 'elms', slug: path.slug }
    expect(await counted({ type: ['Herb'] }, 'owner')).toEqual(['elms 1'])
    await world.collections.patch(world.me, moved, { public: false })
    for (const ask of [{ type: ['Herb'] }, { search: 'herb' }, { owner: 'elms' }]) {
      expect(await found(ask)).toEqual([])
      expect((await world.collections.facets(ask)).total).toBe(0)
    }
    await world.collections.patch(world.me, moved, { public: true })
    const withdraw = (v: string) =>
      world.withdrawals.withdraw(world.me, { ...moved, v }, { reason: 'a leak', erase: false })
    await withdraw('v1.1.0')
    expect(await found({ type: ['Herb'], size: 'small' })).toEqual([path.slug])
    await withdraw('v1.0.1')
    expect(await counted({ type: ['Herb'] }, 'license')).toEqual(['ODbL-1.0 1'])
    await withdraw('v1.0.0')
    expect(await found({ type: ['Herb'] })).toEqual([])
  })

  test('count the public view: records of private types make no collection larger', async () => {
    const path = await collection({}, { Open: {}, Shut: { private: true } })
    const puts = Array.from({ length: 1_001 }, (_, n) => put(`${n}`, 'Shut'))
    await world.push(path, { base: 'v1.0.0', puts })
    expect(await found({ type: ['Open'], size: 'small' })).toEqual([path.slug])
  })

  test('of very many: counts are of the first thousand, a rare facet is found by its index', async () => {
    const rare = await collection({ license: 'rare' }, { Common: {} })
    await world.context.database.query(
      `with made as (
         insert into collections (id, owner_id, slug, name, folded_name, public, created_at, updated_at)
         select gen_random_uuid(), $1, 'm' || n, 'm' || n, 'm' || n, true, now(), timestamptz '2030-01-01' + n * interval '1 second'
         from generate_series(1, 1500) n returning id, slug)
       insert into collection_words (collection_id, name, owner, description, facets)
       select id, '''common'':1A', '', '', array['type:Common', 'license:l' || right(slug, 2)] from made`,
      [world.ada.id],
    )
    expect(await found({ license: 'rare' })).toEqual([rare.slug])
    expect(await found({ license: 'rare', type: ['Common'], sort: 'name' })).toEqual([rare.slug])
    expect(await found({ type: ['Common'], limit: 2 })).toEqual(['m1500', 'm1499'])
    expect(await found({ type: ['Common'], offset: 1_500 })).toEqual([rare.slug])
    for (const ask of [{}, { search: 'common' }, { type: ['Common'] }]) {
      const counts = await world.collections.facets(ask)
      expect([counts.total, counts.hasMore]).toEqual([1_000, true])
      expect(valuesOf(counts, 'license')).toHaveLength(10)
    }
    const { rows } = await world.context.database.query<{ 'QUERY PLAN': string }>(
      `explain select collection_id from collection_words where facets @> $1::text[] collate "C"`,
      [['license:rare']],
    )
    expect(rows.map((row) => row['QUERY PLAN']).join()).toContain('collection_words_facets')
  })
})
