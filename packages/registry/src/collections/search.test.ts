import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Accounts, accountsOf } from '../accounts/accounts.ts'
import { addAccount, addMember, callerOf } from '../testing/context.ts'
import { openWorld, type World } from '../testing/world.ts'
import type { BrowseAsk } from './lists.ts'

const open = { public: true }

describe.each(serviceDatabases)('search on $name', (testDatabase) => {
  let world: World
  let accounts: Accounts
  beforeAll(async () => {
    world = await openWorld(testDatabase)
    accounts = accountsOf(world.context)
    const { collections, me } = world
    await collections.create(me, 'ada', {
      slug: 'birds',
      name: 'Singing birds',
      description: 'Zürich only',
      ...open,
    })
    await collections.create(me, 'ada', {
      slug: 'trees',
      name: 'Elms',
      description: 'Where birds sit',
      ...open,
    })
    await collections.create(me, 'ada', { slug: 'secret', name: 'Secret birds' })
  })
  afterAll(() => world.dispose())

  const found = async (search: string, more: BrowseAsk = {}): Promise<string[]> =>
    (await world.collections.browse({ search, ...more })).items.map(
      ({ ownerSlug, slug }) => `${ownerSlug}/${slug}`,
    )

  test('finds words that begin so in slug, name, owner and description, best first', async () => {
    expect(await found('bird')).toEqual(['ada/birds', 'ada/trees'])
    expect(await found('trees')).toEqual(['ada/trees'])
    expect(await found('SINGING')).toEqual(['ada/birds'])
    expect(await found('zurich')).toEqual(['ada/birds'])
    expect((await found('ada')).sort()).toEqual(['ada/birds', 'ada/trees'])
    expect(await found('ada/trees')).toEqual(['ada/trees'])
    expect(await found('sit elms')).toEqual(['ada/trees'])
    expect(await found('birds absent')).toEqual([])
    expect(await found('ingin')).toEqual([])
    expect(await found('?!')).toEqual([])
    expect(await found('secret')).toEqual([])
  })

  test('goes with q, owner and sort', async () => {
    expect(await found('birds', { q: 'elm' })).toEqual(['ada/trees'])
    expect(await found('birds', { owner: 'ada', sort: 'name' })).toEqual(['ada/trees', 'ada/birds'])
    expect(await found('birds', { owner: 'elms' })).toEqual([])
    expect(await found('', { sort: 'name' })).toEqual(['ada/trees', 'ada/birds'])
  })

  test('says what is a fork, and lists it after its original, though it is newer', async () => {
    const path = await world.collection()
    await world.push(path, { base: null, schemas: { Item: { type: 'object' } }, puts: [] })
    await world.collections.patch(world.me, path, { name: 'Lichens' })
    await world.fork(path)
    const { items } = await world.collections.browse({ search: 'lichens' })
    expect(items.map(({ fork }) => fork)).toEqual([false, true])
    expect(items[0]!.slug).toBe(path.slug)
    await world.collections.patch(world.me, path, { public: false })
    const left = await world.collections.browse({ search: 'lichens' })
    expect(left.items.map(({ fork }) => fork)).toEqual([false])
    for (const { ownerSlug: owner, slug } of items) await world.collections.remove(world.me, { owner, slug })
  })

  test('follows what collections and accounts are called', async () => {
    const { collections, me } = world
    const { slug } = await world.collection()
    const path = { owner: 'ada', slug }
    await collections.patch(me, path, { slug: 'herbarium', description: 'Pressed plants' })
    expect(await found('herbarium')).toEqual(['ada/herbarium'])
    await collections.patch(me, { owner: 'ada', slug: 'herbarium' }, { name: 'Leaves' })
    expect(await found('leaves pressed')).toEqual(['ada/herbarium'])
    await collections.patch(me, { owner: 'ada', slug: 'herbarium' }, { public: false })
    expect(await found('herbarium')).toEqual([])
    await collections.patch(me, { owner: 'ada', slug: 'herbarium' }, { public: true })
    expect(await found('herbarium')).toEqual(['ada/herbarium'])
    await collections.remove(me, { owner: 'ada', slug: 'herbarium' })
    expect(await found('herbarium')).toEqual([])

    const garden = await addAccount(world.context, 'garden', 'org')
    await addMember(world.context, garden, world.ada, 'owner')
    await collections.create(me, 'garden', { slug: 'beds', ...open })
    await accounts.update(me, 'garden', { slug: 'park', displayName: 'Grünanlage' })
    expect(await found('park')).toEqual(['park/beds'])
    expect(await found('grunanlage beds')).toEqual(['park/beds'])
    expect(await found('garden')).toEqual([])
  })

  test('finds a version’s description in place of the collection’s, as lists show it', async () => {
    const { me, collections } = world
    const path = { owner: 'ada', slug: 'described' }
    await collections.create(me, 'ada', { slug: 'described', description: 'provisional', ...open })
    expect(await found('provisional')).toEqual(['ada/described'])
    const schemas = { A: {} }
    await world.push(path, { base: null, schemas, metadata: { description: 'Ornithology of moors' } })
    expect(await found('provisional')).toEqual([])
    expect(await found('ornithology')).toEqual(['ada/described'])
    await world.patch(path, { description: 'Heaths' })
    expect(await found('ornithology')).toEqual([])
    expect(await found('heaths')).toEqual(['ada/described'])
    const fork = await world.fork(path)
    expect((await found('heaths')).sort()).toEqual(['ada/described', `elms/${fork.slug}`])
    expect(await found('elms heaths')).toEqual([`elms/${fork.slug}`])
    await world.patch(path, { description: null })
    expect(await found('provisional')).toEqual(['ada/described'])
    expect(await found('heaths')).toEqual([`elms/${fork.slug}`])
  })

  test('the best match comes first, even if others contain the word more often', async () => {
    const { me, collections } = world
    const eve = await addAccount(world.context, 'eve')
    await collections.create(me, 'ada', { slug: 'moss', ...open })
    await collections.create(callerOf(eve), 'eve', {
      slug: 'moss-moss',
      name: 'Moss moss',
      description: 'moss',
      ...open,
    })
    expect(await found('moss')).toEqual(['ada/moss', 'eve/moss-moss'])
    expect(await found('eve moss')).toEqual(['eve/moss-moss'])
    expect((await found('ADA/moss'))[0]).toBe('ada/moss')
  })

  test('words of a new name of an owner are found at once, and no words of its collections are written', async () => {
    const { context, collections } = world
    const bea = await addAccount(context, 'bea')
    const who = callerOf(bea)
    const made = { slug: 'ferns', name: 'Fronds', description: 'of moors', ...open }
    await collections.create(who, 'bea', made)
    const rows = async () =>
      (
        await context.database.query(
          `select ctid::text, xmin::text from collection_words
           where collection_id in (select id from collections where owner_id = $1)`,
          [bea.id],
        )
      ).rows
    const before = await rows()
    await accounts.update(who, 'bea', { slug: 'beatrix', displayName: 'Beatrix Smith' })
    for (const search of ['beatrix', 'smith fronds', 'beat smi moors', 'beatrix/ferns'])
      expect(await found(search)).toEqual(['beatrix/ferns'])
    expect(await found('bea fronds')).toEqual(['beatrix/ferns'])
    expect(await found('beatrix absent')).toEqual([])
    await collections.patch(who, { owner: 'beatrix', slug: 'ferns' }, { public: false })
    expect(await rows()).toEqual(before)
    expect(await found('beatrix')).toEqual([])
  })

  test('of owners with one word in common, those with the other words too are found', async () => {
    const { context } = world
    await context.database.query(
      `with owners as (
         insert into accounts (id, slug, type, display_name, created_at)
         select gen_random_uuid(), 'zoe-' || n, 'user', 'Zoe', now() from generate_series(1, 1500) n returning id, slug),
       made as (
         insert into collections (id, owner_id, slug, name, folded_name, public, created_at, updated_at)
         select gen_random_uuid(), id, 'c', 'C', 'c', true, now(), now() from owners returning id, owner_id),
       named as (
         insert into owner_words (account_id, words)
         select id, ('zoe:1B ' || right(slug, -4) || ':2B')::tsvector from owners)
       insert into collection_words (collection_id, name, owner, description)
       select id, '', ('''@' || owner_id || ''':1B')::tsvector, '' from made`,
    )
    expect(await found('zoe 1499')).toEqual(['zoe-1499/c'])
    expect(await found('zoe', { limit: 100, offset: 150 })).toHaveLength(50)
  })

  test('is paged by offset; a cursor is refused', async () => {
    const whole = await found('birds')
    const first = await world.collections.browse({ search: 'birds', limit: 1 })
    expect(first.links).toEqual({ next: 'limit=1&offset=1' })
    const second = await world.collections.browse({ search: 'birds', limit: 1, offset: 1 })
    expect(second.links).toEqual({ prev: 'limit=1&offset=0' })
    expect([...first.items, ...second.items].map(({ slug }) => `ada/${slug}`)).toEqual(whole)
    const refused = world.collections.browse({ search: 'birds', cursor: 'x' })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('a word that all have costs no more than one that some have', async () => {
    await world.context.database.query(
      `with made as (
         insert into collections (id, owner_id, slug, name, folded_name, public, created_at, updated_at)
         select gen_random_uuid(), $1, 'common-' || n, 'Common', 'common', true, now(), now()
         from generate_series(1, 3000) n returning id, slug)
       insert into collection_words (collection_id, name, owner, description)
       select id, '''common'':1A'::tsvector, '''ada'':1B'::tsvector, '''of'':1C'::tsvector from made`,
      [world.ada.id],
    )
    expect(await found('common', { limit: 100, offset: 450 })).toHaveLength(50)
    expect(await found('common', { offset: 500 })).toEqual([])
    expect(await found('moss')).toEqual(['ada/moss', 'eve/moss-moss'])
  })
})
