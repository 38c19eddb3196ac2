/** Counts and types of collections in lists: each reader gets those of its own view. */
import type { JsonObject } from '@ulmus/content'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous, type Principal } from '../principal.ts'
import { addAccount, callerOf } from '../testing/context.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'

const schemas: JsonObject = {
  Visit: { type: 'object', private: true },
  Country: { type: 'object' },
  City: { type: 'object' },
}
const puts = ['Visit', 'Country', 'City', 'City'].map((type, n) => ({ id: `${n}`, type, data: {} }))

describe.each(serviceDatabases)('cards of collections on $name', (testDatabase) => {
  let world: World
  let stranger: Principal
  beforeAll(async () => {
    world = await openWorld(testDatabase)
    stranger = callerOf(await addAccount(world.context, 'eve'))
  })
  afterAll(() => world.dispose())

  const members = { recordCount: 4, types: ['City', 'Country', 'Visit'] }
  const others = { recordCount: 3, types: ['City', 'Country'] }
  /** The same card in the lists of an account, of the public, and of the caller. */
  const cards = async ({ owner, slug }: Path, who: Principal) => {
    const owned = await world.collections.list(who, owner, {})
    const all = await world.collections.browse({})
    const mine = who === world.me ? await world.collections.mine(who, {}) : undefined
    const find = (items: typeof all.items) => items.find((item) => item.slug === slug)
    return { owned: find(owned.items), browsed: find(all.items), mine: mine && find(mine.items) }
  }

  test('members see private types and records, others do not', async () => {
    const path = await world.collection()
    expect(await cards(path, world.me)).toMatchObject({
      owned: { latestVersion: null, recordCount: null, fileCount: null, totalBytes: null, types: [] },
    })
    await world.push(path, { base: null, schemas, puts, files: [await world.upload(path, 'a map')] })
    const own = await cards(path, world.me)
    expect(own).toMatchObject({ owned: { ...members, fileCount: 1 }, browsed: others, mine: members })
    expect(own.owned).toEqual(own.mine)
    for (const who of [anonymous, stranger]) {
      const seen = await cards(path, who)
      expect(seen.owned).toMatchObject({ ...others, fileCount: 0, public: true, ownerName: 'The ada' })
      expect(seen.owned).toEqual(seen.browsed)
    }
    expect(own.owned!.totalBytes).toBeGreaterThan(own.browsed!.totalBytes!)
  })

  test('a key limited to another collection sees what the public sees', async () => {
    const [path, other] = [await world.collection(), await world.collection()]
    await world.push(path, { base: null, schemas, puts })
    const { id } = await world.collections.detail(world.me, other)
    const limited = callerOf(world.ada, 'read', id)
    expect((await cards(path, limited)).owned).toMatchObject(others)
  })

  test('name six types at most, and none of an erased version', async () => {
    const path = await world.collection()
    const many = Object.fromEntries([...'hgfedcba'].map((type) => [type, {}]))
    await world.push(path, { base: null, schemas: many })
    expect((await cards(path, anonymous)).owned?.types).toEqual([...'abcdef'])
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.0.0' }, { reason: 'a leak', erase: true })
    expect((await cards(path, anonymous)).owned?.types).toEqual([])
    const { rows } = await world.context.database.query(
      'select listed_types as types from versions where withdrawn_at is not null',
    )
    expect(rows).toEqual([{ types: null }])
  })
})
