/** Topics follow the latest version's `keywords`; lists and searches find public collections by them. */
import type { Json, JsonObject } from '@ulmus/content'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous, type Principal } from '../principal.ts'
import { addAccount, callerOf } from '../testing/context.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'
import type { BrowseAsk } from './lists.ts'

const schemas: JsonObject = { Item: { type: 'object' } }

describe.each(serviceDatabases)('topics on $name', (testDatabase) => {
  let world: World
  let stranger: Principal
  beforeAll(async () => {
    world = await openWorld(testDatabase)
    stranger = callerOf(await addAccount(world.context, 'eve'))
  })
  afterAll(() => world.dispose())

  const topicsIn = async (path: Path, who: Principal = anonymous) =>
    (await world.collections.detail(who, path)).topics
  const found = async (topic: readonly string[], more: BrowseAsk = {}): Promise<string[]> =>
    (await world.collections.browse({ topic, ...more })).items.map(({ slug }) => slug)
  /** A public collection with one version. */
  async function collection(keywords: Json, name?: string): Promise<Path> {
    const path = await world.collection()
    if (name !== undefined) await world.collections.patch(world.me, path, { name })
    await world.push(path, { base: null, schemas, metadata: { keywords } })
    return path
  }

  test('come from pushes, updates and sources of forks, and change with each', async () => {
    const path = await world.collection()
    expect(await topicsIn(path)).toEqual([])
    await world.push(path, { base: null, schemas, metadata: { keywords: ['Moss', ' Bog  Land '] } })
    expect(await topicsIn(path)).toEqual(['moss', 'bog land'])
    const { items } = await world.collections.browse({ topic: ['MOSS'] })
    expect(items.map(({ slug, topics }) => [slug, topics])).toEqual([[path.slug, ['moss', 'bog land']]])
    expect(await found(['bog \t land'])).toEqual([path.slug])
    const fork = await world.fork(path)
    expect(await topicsIn(fork)).toEqual(['moss', 'bog land'])
    expect(await found(['moss'])).toEqual([fork.slug, path.slug])
    await world.patch(path, { keywords: 'Heath, moss' })
    expect(await topicsIn(path)).toEqual(['heath', 'moss'])
    expect(await found(['bog land'])).toEqual([fork.slug])
    await world.push(path, { base: 'v1.0.1', puts: [{ id: 'a', type: 'Item', data: {} }] })
    expect(await found(['heath'])).toEqual([path.slug])
    await world.patch(path, { keywords: null })
    expect(await topicsIn(path)).toEqual([])
    expect(await found(['moss'])).toEqual([fork.slug])
    await world.remove(fork)
    expect(await found(['moss'])).toEqual([])
  })

  test('of a withdrawn version are gone; the newest remaining one has them', async () => {
    const path = await collection(['lichen', 'before'])
    const withdraw = (v: string, erase: boolean) =>
      world.withdrawals.withdraw(world.me, { ...path, v }, { reason: 'a leak', erase })
    await world.patch(path, { keywords: ['lichen', 'leaked'] })
    await world.patch(path, { keywords: ['lichen', 'after'] })
    await withdraw('v1.0.1', true)
    expect(await topicsIn(path)).toEqual(['lichen', 'after'])
    await withdraw('v1.0.2', true)
    expect(await topicsIn(path)).toEqual(['lichen', 'before'])
    expect(await found(['after'])).toEqual([])
    expect(await found([], { search: 'after' })).toEqual([])
    expect(await found(['lichen'], { search: 'before' })).toEqual([path.slug])
    await withdraw('v1.0.0', false)
    expect(await topicsIn(path, world.me)).toEqual([])
    expect(await found(['lichen'])).toEqual([])
    expect(await found([], { search: 'lichen' })).toEqual([])
  })

  test('are found by search, after names and before descriptions', async () => {
    const text = await collection([], 'By text')
    await world.patch(text, { description: 'Ornithology' })
    const topic = await collection(['Ornithology', 'Vögel'], 'By topic')
    const name = await collection([], 'Ornithology')
    const search = 'ornithology'
    expect(await found([], { search })).toEqual([name.slug, topic.slug, text.slug])
    expect(await found([], { search: 'vogel ornith' })).toEqual([topic.slug])
    expect(await found(['vögel'], { search })).toEqual([topic.slug])
    await world.patch(topic, { keywords: ['Vögel'] })
    expect(await found([], { search })).toEqual([name.slug, text.slug])
  })

  test('combine with each other and with q, owner, sort and pages', async () => {
    const [a, b, c] = [
      await collection(['fern', 'one'], 'C fern'),
      await collection(['fern', 'two'], 'B fern'),
      await collection(['fern', 'one', 'two'], 'A other'),
    ]
    expect(await found(['fern'])).toEqual([c.slug, b.slug, a.slug])
    expect(await found(['two', 'fern', 'ONE'])).toEqual([c.slug])
    expect(await found(['fern', 'three'])).toEqual([])
    expect(await found(['fern'], { q: 'FERN' })).toEqual([b.slug, a.slug])
    expect(await found(['fern'], { sort: 'name' })).toEqual([c.slug, b.slug, a.slug])
    expect(await found(['fern'], { search: 'fern', sort: 'name', owner: 'ada' })).toEqual([
      c.slug,
      b.slug,
      a.slug,
    ])
    expect(await found(['fern'], { owner: 'ada' })).toHaveLength(3)
    expect(await found(['fern'], { owner: 'eve' })).toEqual([])
    expect(await found(['fer'])).toEqual([])
    for (const sort of ['updated', 'created', 'name'] as const) {
      const whole = await found(['fern'], { sort })
      const first = await world.collections.browse({ topic: ['fern'], sort, limit: 1 })
      const cursor = new URLSearchParams(first.links.next).get('cursor')!
      expect(await found(['fern'], { sort, cursor })).toEqual(whole.slice(1))
      expect(await found(['fern'], { sort, offset: 2 })).toEqual(whole.slice(2))
    }
  })

  test('of a private collection are for its members alone', async () => {
    const path = await collection(['hidden topic'])
    await world.collections.patch(world.me, path, { public: false })
    expect(await topicsIn(path, world.me)).toEqual(['hidden topic'])
    for (const who of [anonymous, stranger])
      await expect(topicsIn(path, who)).rejects.toMatchObject({ code: 'collection_not_found' })
    expect(await found(['hidden topic'])).toEqual([])
    expect(await found([], { search: 'hidden' })).toEqual([])
    const mine = await world.collections.mine(world.me, {})
    expect(mine.items.find(({ slug }) => slug === path.slug)?.topics).toEqual(['hidden topic'])
    await world.collections.patch(world.me, path, { public: true })
    expect(await found(['hidden topic'])).toEqual([path.slug])
  })

  test('hostile keywords do no harm', async () => {
    const path = await collection('plain')
    const many = Array.from({ length: 10_000 }, (_, n) => `Keyword ${n}`)
    await world.patch(path, { keywords: many })
    expect(await topicsIn(path)).toEqual(many.slice(0, 20).map((keyword) => keyword.toLowerCase()))
    const odd = ['a\0b', 'x'.repeat(1_000_000), 7, null, {}, ['x'], '{"\\"}', "'; drop", 'NULL', '{}', '%_']
    await world.patch(path, { keywords: odd })
    const kept = ['{"\\"}', "'; drop", 'null', '{}', '%_']
    expect(await topicsIn(path)).toEqual(kept)
    expect(await found(kept)).toEqual([path.slug])
    for (const topic of ['', ' ', 'a\0b', '\ud800', 'x'.repeat(60), '%'])
      expect(await found([topic])).toEqual([])
    await world.patch(path, { keywords: 7 })
    expect(await topicsIn(path)).toEqual([])
  })

  test('are found beyond the window that is read first, by the index', async () => {
    const path = await collection(['rare', 'common'])
    await world.context.database.query(
      `insert into collections (id, owner_id, slug, name, folded_name, public, topics, created_at, updated_at)
       select gen_random_uuid(), $1, 'm' || n, 'm' || n, 'm' || n, true, '{common}', now(), timestamptz '2030-01-01' + n * interval '1 second'
       from generate_series(1, 1500) n`,
      [world.ada.id],
    )
    expect(await found(['rare'])).toEqual([path.slug])
    expect(await found(['rare', 'common'], { sort: 'name' })).toEqual([path.slug])
    expect(await found(['common'], { limit: 2 })).toEqual(['m1500', 'm1499'])
    expect(await found(['common'], { offset: 1_500 })).toEqual([path.slug])
    const { rows } = await world.context.database.query<{ 'QUERY PLAN': string }>(
      `explain select * from collections where public and topics @> $1::text[] collate "C"`,
      [['rare']],
    )
    expect(rows.map((row) => row['QUERY PLAN']).join()).toContain('collections_public_topics')
  })
})
