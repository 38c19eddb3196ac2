/** http-api §11: transfers of collections, and settings for who may publish. */
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findVisibleCollection } from '../access/find-collection.ts'
import { accountsOf } from '../accounts/accounts.ts'
import { auditOf } from '../audit/audit.ts'
import { MovedError } from '../errors/errors.ts'
import { anonymous, type Caller, type Principal } from '../principal.ts'
import {
  addAccount,
  addCollection,
  addMember,
  addVersion,
  callerOf,
  openContext,
  type TestContext,
} from '../testing/context.ts'
import { collectionsOf } from './collections.ts'
import { forksOf } from './forks.ts'
import { transferCollection } from './transfer.ts'

describe.each(serviceDatabases)('on $name', (database) => {
  let context: TestContext
  let services: ReturnType<typeof servicesOf>
  let number = 0
  const servicesOf = (context: TestContext) => ({
    accounts: accountsOf(context),
    collections: collectionsOf(context),
    forks: forksOf(context),
  })
  beforeAll(async () => {
    context = await openContext(database)
    services = servicesOf(context)
    await context.jobs.start()
  })
  afterAll(() => context.dispose())

  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error) => (error instanceof MovedError ? error.to : error.code),
    )
  const see = (who: Principal, owner: string, slug = 'maps') =>
    outcome(findVisibleCollection(context, who, { owner, slug }))

  /** Two organizations, and users with roles in both or in one. */
  async function stage(isPublic = false) {
    const n = ++number
    const from = await addAccount(context, `from-${n}`, 'org')
    const to = await addAccount(context, `to-${n}`, 'org')
    const person = async (name: string, there: Role, here: Role): Promise<Caller> => {
      const user = await addAccount(context, `${name}-${n}`)
      if (there !== null) await addMember(context, from, user, there)
      if (here !== null) await addMember(context, to, user, here)
      return callerOf(user)
    }
    const collection = await addCollection(context, from, { slug: 'maps', public: isPublic })
    return { from, to, collection, path: { owner: from.slug, slug: 'maps' }, person }
  }
  type Role = 'member' | 'admin' | 'owner' | null

  test('an admin of both transfers it; its address leads on, keys limited to it and forks go on', async () => {
    const { from, to, collection, path, person } = await stage()
    await addVersion(context, collection)
    const ann = await person('ann', 'admin', 'admin')
    const old = await person('old', 'owner', null)
    const young = await person('young', null, 'member')
    const fork = await services.forks.create(ann, path, { targetOrg: from.slug, slug: 'copy' })
    const limited = { ...ann, scope: 'write' as const, limitedTo: [collection.id] }
    expect(await services.collections.transfer(ann, path, to.slug)).toEqual({ owner: to.slug, slug: 'maps' })
    expect(await see(ann, from.slug)).toEqual({ owner: to.slug, slug: 'maps' })
    expect(await see(limited, to.slug)).toBe('ok')
    expect(await see(young, to.slug)).toBe('ok')
    // A former member finds it at neither address.
    expect([await see(old, from.slug), await see(old, to.slug)]).toEqual(
      Array(2).fill('collection_not_found'),
    )
    const name = { name: 'Maps' }
    expect(await outcome(services.collections.patch(limited, { ...path, owner: to.slug }, name))).toBe('ok')
    const { forkedFrom } = await services.collections.detail(ann, { owner: from.slug, slug: fork.slug })
    expect(forkedFrom).toMatchObject({ owner: to.slug, slug: 'maps' })
    // Search finds it by the words of its new owner.
    await services.collections.patch(ann, { ...path, owner: to.slug }, { public: true })
    const found = await services.collections.browse({ search: to.slug })
    expect(found.items.map(({ ownerSlug }) => ownerSlug)).toEqual([to.slug])
    // Transfer it back.
    await services.collections.transfer(ann, { ...path, owner: to.slug }, from.slug)
    expect([await see(ann, from.slug), await see(ann, to.slug)]).toEqual([
      'ok',
      { owner: from.slug, slug: 'maps' },
    ])
  })

  test.each<[Role, Role, string]>([
    [null, 'owner', 'collection_not_found'],
    ['member', 'owner', 'insufficient_role'],
    ['admin', null, 'not_a_member'],
    ['admin', 'member', 'insufficient_role'],
    ['owner', 'admin', 'ok'],
  ])('%s in the giver and %s in the receiver: %s', async (there, here, expected) => {
    const { to, path, person } = await stage()
    const who = await person('who', there, here)
    expect(await outcome(services.collections.transfer(who, path, to.slug))).toBe(expected)
  })

  test('weak keys, strangers, accounts that are not there, slugs that are taken', async () => {
    const { from, to, collection, path, person } = await stage(true)
    const ann = await person('ann', 'owner', 'owner')
    const { transfer } = services.collections
    expect(await outcome(transfer(anonymous, path, to.slug))).toBe('unauthenticated')
    expect(await outcome(transfer({ ...ann, scope: 'write' }, path, to.slug))).toBe('insufficient_scope')
    expect(await outcome(transfer({ ...ann, limitedTo: [collection.id] }, path, to.slug))).toBe('key_limited')
    expect(await outcome(transfer(ann, path, 'missing-account'))).toBe('account_not_found')
    expect(await outcome(transfer(ann, path, '../etc'))).toBe('account_not_found')
    expect(await outcome(transfer(ann, path, from.slug))).toBe('ok')
    await addCollection(context, to, { slug: 'maps' })
    expect(await outcome(transfer(ann, path, to.slug))).toBe('slug_taken')
    expect(await see(ann, from.slug)).toBe('ok')
    // Transfer it to the caller's own user account.
    expect(await transfer(ann, path, ann.accountSlug)).toEqual({ owner: ann.accountSlug, slug: 'maps' })
    const full = { ...context, limits: { ...context.limits, collectionsMax: 1 } }
    const back = transferCollection(full, ann, { owner: ann.accountSlug, slug: 'maps' }, to.slug)
    expect(await outcome(back)).toBe('too_many_collections')
  })

  test('two transfers at once, to two accounts: it has one owner', async () => {
    const { from, to, collection, path, person } = await stage()
    const ann = await person('ann', 'owner', 'owner')
    const outcomes = await Promise.all(
      [to.slug, ann.accountSlug].map((slug) => outcome(services.collections.transfer(ann, path, slug))),
    )
    expect(outcomes.sort()).toEqual(['collection_not_found', 'ok'].sort())
    const { rows } = await context.database.query('select owner_id from collections where id = $1', [
      collection.id,
    ])
    expect(rows[0]!['owner_id']).not.toBe(from.id)
  })

  test('if only admins may make collections public, members do not, neither new ones nor old', async () => {
    const { from, path, person } = await stage()
    const { accounts, collections } = services
    const [owner, admin, member] = [
      await person('own', 'owner', null),
      await person('adm', 'admin', null),
      await person('mem', 'member', null),
    ]
    const set = (who: Caller, settings: object) => outcome(accounts.update(who, from.slug, { settings }))
    expect(await accounts.settings(member, from.slug)).toEqual({
      membersMayChangeVisibility: true,
      defaultVisibility: 'private',
    })
    const closed = { membersMayChangeVisibility: false }
    expect(await set(member, closed)).toBe('insufficient_role')
    expect(await set(admin, closed)).toBe('insufficient_role')
    expect(await set(owner, closed)).toBe('ok')
    const show = (who: Caller, shown: boolean) =>
      outcome(collections.patch(who, path, { public: shown, name: `Maps ${shown}` }))
    expect(await show(member, true)).toBe('insufficient_role')
    expect(await show(member, false)).toBe('ok')
    expect(await show(admin, true)).toBe('ok')
    // Setting a public collection public again is allowed, and so is making it private.
    expect([await show(member, true), await show(member, false), await show(member, true)]).toEqual([
      'ok',
      'ok',
      'insufficient_role',
    ])
    const make = (slug: string, isPublic?: boolean) =>
      outcome(collections.create(member, from.slug, { slug, public: isPublic }))
    expect([await make('a', true), await make('b', false), await make('c')]).toEqual([
      'insufficient_role',
      'ok',
      'ok',
    ])
    const shownOf = async (slug: string) =>
      (await collections.detail(member, { owner: from.slug, slug })).public
    expect(await shownOf('c')).toBe(false)
    expect(await set(owner, { defaultVisibility: 'public' })).toBe('ok')
    expect(await make('d')).toBe('ok')
    expect(await shownOf('d')).toBe(true)
    expect(await accounts.settings(member, from.slug)).toEqual({ ...closed, defaultVisibility: 'public' })
  })

  test('a member publishes by no fork what only admins may, and the source learns of the fork', async () => {
    const { from, to, path, collection, person } = await stage()
    const { accounts, collections, forks } = services
    await addVersion(context, collection)
    const owner = await person('own', 'owner', 'owner')
    const member = await person('mem', 'member', 'owner')
    await accounts.update(owner, from.slug, { settings: { membersMayChangeVisibility: false } })
    await forks.create(member, path, { targetOrg: to.slug, slug: 'copy' })
    const copy = { owner: to.slug, slug: 'copy' }
    await forks.create(member, copy, { targetOrg: to.slug, slug: 'copy-of-copy' })
    const show = (who: Caller, slug: string) =>
      outcome(collections.patch(who, { owner: to.slug, slug }, { public: true }))
    expect([await show(member, 'copy'), await show(member, 'copy-of-copy')]).toEqual(
      Array(2).fill('insufficient_role'),
    )
    expect(await show(owner, 'copy-of-copy')).toBe('ok')
    const { items } = await auditOf(context).list(owner, from.slug, { action: 'collection.forked' })
    expect(items.map(({ target, actor, details }) => [target, actor.account, details])).toEqual([
      [`${from.slug}/maps`, member.accountSlug, { fork: `${to.slug}/copy` }],
    ])
    // Once the source is public, the fork may be.
    await collections.patch(owner, path, { public: true })
    expect(await show(member, 'copy')).toBe('ok')
  })

  test('settings are those of organizations, and for members', async () => {
    const { from, person } = await stage()
    const [owner, stranger] = [await person('own', 'owner', null), await person('str', null, 'owner')]
    const { accounts } = services
    expect(await outcome(accounts.settings(stranger, from.slug))).toBe('not_a_member')
    expect(await outcome(accounts.settings(anonymous, from.slug))).toBe('unauthenticated')
    expect(await outcome(accounts.settings(owner, owner.accountSlug))).toBe('not_an_org')
    const settings = { defaultVisibility: 'public' as const }
    expect(await outcome(accounts.update(owner, owner.accountSlug, { settings }))).toBe('not_an_org')
  })
})
