/** Searches whose words no public collection has: the nearest words are used instead. */
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type Path, type World } from '../testing/world.ts'

describe.each(serviceDatabases)('misspelt words on $name', (testDatabase) => {
  let world: World
  let lichens: Path
  beforeAll(async () => {
    world = await openWorld(testDatabase)
    lichens = await world.collection()
    await world.push(lichens, {
      base: null,
      schemas: { Specimen: { properties: { substrateKind: {}, donorName: { private: true } } } },
      metadata: { keywords: ['Botany'], readme: 'Gathered in woodland' },
    })
    await world.collections.patch(world.me, lichens, { name: 'Lichens of Norway' })
    await world.collections.create(world.me, 'ada', { slug: 'secret-orchids', name: 'Secret orchids' })
  })
  afterAll(() => world.dispose())

  const near = async (search: string) => {
    const { items, instead } = await world.collections.browse({ search, similar: true })
    return [instead, ...items.map(({ slug }) => slug)]
  }

  test('are replaced by those of names, owners and topics', async () => {
    expect(await near('lichns')).toEqual(['lichens', lichens.slug])
    expect(await near('LICHNES of norwy')).toEqual(['lichens of norway', lichens.slug])
    expect(await near('botanny')).toEqual(['botany', lichens.slug])
    // Two letters exchanged.
    expect(await near('botnay')).toEqual(['botany', lichens.slug])
    expect(await near('botanny lich')).toEqual(['botany lich', lichens.slug])
    // Two words at most.
    expect(await near('lichns norwy botanny')).toEqual([undefined])
    // Fields are not compared: hostile schemas have thousands of words.
    expect(await near('substraite')).toEqual([undefined])
  })

  test('stay if there is something, or nothing near', async () => {
    expect(await near('lichens')).toEqual([undefined, lichens.slug])
    expect(await near('xylophone')).toEqual([undefined])
    expect(await near('lix')).toEqual([undefined])
    expect(await near('botany woodland absent')).toEqual([undefined])
    expect(await near('?!')).toEqual([undefined])
    expect((await world.collections.browse({ search: 'lichns' })).items).toEqual([])
  })

  test('never become words that only private data has', async () => {
    expect(await near('orchidz')).toEqual([undefined])
    expect(await near('secrit')).toEqual([undefined])
    expect(await near('donorr')).toEqual([undefined])
  })

  test('are looked up in bounded time among very many collections', async () => {
    await world.context.database.query(
      `with made as (
         insert into collections (id, owner_id, slug, name, folded_name, public, created_at, updated_at)
         select gen_random_uuid(), $1, 'm' || n, 'm' || n, 'm' || n, true, now(), now()
         from generate_series(1, 10000) n returning id, slug)
       insert into collection_words (collection_id, name, owner, description)
       select id, ('country:1A ' || slug || ':2A')::tsvector, 'ada:1B', '' from made`,
      [world.ada.id],
    )
    const [instead] = await near('contry')
    expect(instead).toBe('country')
    expect(await near('lichns')).toEqual(['lichens', lichens.slug])
    const { rows } = await world.context.database.query<{ 'QUERY PLAN': string }>(
      `explain select collection_id from collection_words where $1::text <% (strip(name || topics)::text)`,
      ['lichns'],
    )
    expect(rows.map((row) => row['QUERY PLAN']).join()).toContain('collection_words_trigrams')
  })
})
