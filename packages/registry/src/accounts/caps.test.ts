/** Limits of an account's resources: never exceeded, even by concurrent requests. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forksOf } from '../collections/forks.ts'
import { defaultLimits } from '../limits.ts'
import { addAccount, addCollection, addMember, addVersion, callerOf } from '../testing/context.ts'
import { openWorld, type World } from '../testing/world.ts'
import { accountsOf } from './accounts.ts'

const limits = { ...defaultLimits, openPushesMax: 3, organizationsMax: 4, collectionsMax: 12 }

/** Number of concurrent attempts that succeeded; requires that the others were refused with the code. */
async function succeeded(attempts: readonly Promise<unknown>[], code: string): Promise<number> {
  const refused = (await Promise.allSettled(attempts)).filter((attempt) => attempt.status === 'rejected')
  for (const { reason } of refused) expect(reason).toMatchObject({ code })
  return attempts.length - refused.length
}

const many = <T>(make: (n: number) => T): T[] => Array.from({ length: 15 }, (_, n) => make(n))

describe.each(anyDatabase)('caps ($name)', (database) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(database, () => ({ limits }))
  })
  afterAll(() => world.dispose())

  test('open push sessions: those that were cancelled, committed or are past their end do not count', async () => {
    const path = await world.collection()
    const open = () =>
      world.open(path, { base: null, schemas: { A: {} }, puts: [{ id: 'a', type: 'A', data: {} }] })
    expect(await succeeded(many(open), 'too_many_pushes')).toBe(3)
    const rows = await world.context.database.query(`select id from pushes where status = 'open'`)
    const [first, second] = rows.rows.map((row) => String(row['id']))
    await world.cancel(path, first!)
    expect(await succeeded(many(open), 'too_many_pushes')).toBe(1)
    await world.commit(path, second!)
    const again = () => world.open(path, { base: 'v1.0.0', puts: [] })
    expect(await succeeded(many(again), 'too_many_pushes')).toBe(1)
    await world.context.database.query(
      `update pushes set expires_at = now() - interval '1 second' where id = (select id from pushes where status = 'open' limit 1)`,
    )
    expect(await succeeded(many(again), 'too_many_pushes')).toBe(1)
  })

  test('organizations of which a user is owner', async () => {
    const accounts = accountsOf(world.context)
    const make = (n: number) => accounts.createOrg(world.me, { slug: `org-${n}`, displayName: 'An org' })
    // The world has one organization of Ada's already.
    expect(await succeeded(many(make), 'too_many_organizations')).toBe(3)
    const other = callerOf(await addAccount(world.context, 'bob'))
    await expect(accounts.createOrg(other, { slug: 'of-bob', displayName: 'Of Bob' })).resolves.toBeDefined()
  })

  test.each([12, 505])('collections of an account that may have %i, new ones and forks', async (max) => {
    limits.collectionsMax = max
    const { context, me } = world
    const org = await addAccount(context, `of-${max}`, 'org')
    await addMember(context, org, { id: me.accountId }, 'owner')
    await context.database.query(
      `insert into collections (id, owner_id, slug, name, folded_name, public, created_at, updated_at)
       select gen_random_uuid(), $1, 'filled-' || n, 'n', 'n', false, now(), now() from generate_series(1, $2::integer) as n`,
      [org.id, max - 8],
    )
    const source = await addCollection(context, world.ada, { slug: `source-${max}`, public: true })
    await addVersion(context, source)
    const path = { owner: 'ada', slug: source.slug }
    const forks = forksOf(context)
    const attempts = many((n) => [
      forks.create(me, path, { targetOrg: org.slug, slug: `fork-${n}` }),
      world.collections.create(me, org.slug, { slug: `new-${n}` }),
    ]).flat()
    expect(await succeeded(attempts, 'too_many_collections')).toBe(8)
    const owned = await context.database.query(
      'select count(*)::integer as n from collections where owner_id = $1',
      [org.id],
    )
    expect(owned.rows).toEqual([{ n: max }])
  })

  test('a fork that needs something written, and is refused, leaves nothing behind', async () => {
    limits.collectionsMax = 1
    const { context } = world
    const eve = await addAccount(context, 'eve')
    const org = await addAccount(context, 'evil', 'org')
    await addMember(context, org, eve, 'owner')
    const source = await addCollection(context, world.ada, { slug: 'in-part', public: true })
    await addVersion(context, source, { declared: true, content: 'in part' })
    const packs = async () => (await context.database.query('select name from packs')).rows
    const before = await packs()
    const fork = (slug: string) =>
      forksOf(context).create(callerOf(eve), { owner: 'ada', slug: 'in-part' }, { targetOrg: 'evil', slug })
    await world.collections.create(callerOf(eve), 'evil', { slug: 'only' })
    await expect(fork('refused')).rejects.toMatchObject({ code: 'too_many_collections' })
    expect(await packs()).toEqual(before)
    limits.collectionsMax = 2
    await fork('taken')
    expect((await packs()).length).toBe(before.length + 1)
  })
})
