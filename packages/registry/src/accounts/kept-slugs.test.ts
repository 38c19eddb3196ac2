/** Former slugs redirect known paths, and never lead to another owner's data. */
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findVisibleCollection } from '../access/find-collection.ts'
import { collectionsOf } from '../collections/collections.ts'
import { forksOf } from '../collections/forks.ts'
import { MovedError } from '../errors/errors.ts'
import { operatorsOf } from '../operators/operators.ts'
import { anonymous, type Caller } from '../principal.ts'
import { addVersion, openContext, type TestContext } from '../testing/context.ts'
import { accountsOf } from './accounts.ts'
import { membersOf } from './members.ts'

const issuer = 'https://login.example'
const day = 86_400_000

describe.each(serviceDatabases)('slugs that were given up on $name', (database) => {
  let context: TestContext
  let accounts: ReturnType<typeof accountsOf>
  let collections: ReturnType<typeof collectionsOf>
  let members: ReturnType<typeof membersOf>
  let root: Caller
  let later = 0

  beforeAll(async () => {
    context = {
      ...(await openContext(database, { now: () => new Date(Date.now() + later) })),
      operators: { identities: [{ issuer, subject: 'root' }], byClaim: false },
    }
    accounts = accountsOf(context)
    collections = collectionsOf(context)
    members = membersOf(context)
    await context.jobs.start()
    root = await signIn('root')
  })
  afterAll(() => context.dispose())

  const signIn = async (subject: string, preferredUsername = subject): Promise<Caller> => {
    const { id, slug } = await accounts.signIn({
      issuer,
      subject,
      preferredUsername,
      email: null,
      name: null,
    })
    return {
      ...{ kind: 'session', accountId: id, accountSlug: slug, scope: 'admin' },
      ...{ limitedTo: null, credential: null, expiresAt: null },
    }
  }
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error) => (error instanceof MovedError ? error.to : error.code),
    )
  const org = (who: Caller, slug: string) => outcome(accounts.createOrg(who, { slug, displayName: slug }))
  const see = (owner: string, slug: string) =>
    outcome(findVisibleCollection(context, anonymous, { owner, slug }))
  const publish = async (who: Caller, owner: string, slug: string) => {
    const { id } = await collections.create(who, owner, { slug, public: true })
    await addVersion(context, { id })
    return { owner, slug }
  }

  test('an account that was renamed: others take the handle after 90 days, its owner at any time', async () => {
    const [ann, eve] = [await signIn('ann'), await signIn('eve')]
    await accounts.update(ann, 'ann', { slug: 'anna' })
    expect(await org(eve, 'ann')).toBe('slug_kept')
    expect(await outcome(accounts.update(eve, 'eve', { slug: 'ann' }))).toBe('slug_kept')
    expect((await signIn('another-ann', 'ann')).accountSlug).toBe('ann-2')
    await accounts.update(ann, 'anna', { slug: 'ann' })
    await accounts.update(ann, 'ann', { slug: 'anna' })
    expect(await org(ann, 'ann')).toBe('ok')
    await accounts.update(ann, 'ann', { slug: 'anns' })
    expect(await org(eve, 'ann')).toBe('slug_kept')
    later += 91 * day
    expect(await org(eve, 'ann')).toBe('ok')
  })

  test('renames and deletions in a loop reserve no more than ten names each', async () => {
    const [lou, eve] = [await signIn('lou'), await signIn('eve')]
    for (let n = 0; n < 12; n++) {
      await accounts.update(lou, n === 0 ? 'lou' : `lou-name-${n - 1}`, { slug: `lou-name-${n}` })
      await accounts.createOrg(lou, { slug: `lou-org-${n}`, displayName: 'L' })
      await accounts.remove(lou, `lou-org-${n}`)
    }
    for (const one of ['lou', 'lou-name-0', 'lou-org-0', 'lou-org-1'])
      expect([one, await org(eve, one)]).toEqual([one, 'ok'])
    for (const one of ['lou-name-1', 'lou-name-10', 'lou-org-2', 'lou-org-11'])
      expect([one, await org(eve, one)]).toEqual([one, 'slug_kept'])
  })

  test('nor does a loop of renames with public data reserve more', async () => {
    const [max, eve] = [await signIn('max'), await signIn('eve')]
    await publish(max, 'max', 'maps')
    for (let n = 0; n < 12; n++)
      await accounts.update(max, n === 0 ? 'max' : `max-name-${n - 1}`, { slug: `max-name-${n}` })
    expect([await org(eve, 'max'), await org(eve, 'max-name-10')]).toEqual(['ok', 'slug_kept'])
  })

  test('of two who act at once, one is renamed and the other does not get the handle', async () => {
    const [ida, eve] = [await signIn('ida'), await signIn('eve')]
    const taking = Promise.all(Array.from({ length: 5 }, () => org(eve, 'ida')))
    await accounts.update(ida, 'ida', { slug: 'ida-new' })
    expect(new Set(['slug_taken', 'slug_kept', ...(await taking), await org(eve, 'ida')]).size).toBe(2)
  })

  test('one under which a version was public is kept for good, also after the collection is gone', async () => {
    const eve = await signIn('eve')
    const ends: Record<string, (who: Caller, path: { owner: string; slug: string }) => Promise<unknown>> = {
      stays: () => Promise.resolve(),
      hidden: (who, path) => collections.patch(who, path, { public: false }),
      deleted: (who, path) => collections.remove(who, path),
      given: async (who, path) => {
        await accounts.createOrg(who, { slug: 'receiver', displayName: 'R' })
        await collections.transfer(who, path, 'receiver')
      },
    }
    for (const [name, end] of Object.entries(ends)) {
      const who = await signIn(name)
      const path = await publish(who, name, 'maps')
      later += 2 * day
      await end(who, path)
      await accounts.update(who, name, { slug: `${name}-new` })
    }
    const bare = await signIn('bare')
    await collections.create(bare, 'bare', { slug: 'maps', public: true })
    await accounts.update(bare, 'bare', { slug: 'bare-new' })
    later += 400 * day
    for (const name of Object.keys(ends)) expect([name, await org(eve, name)]).toEqual([name, 'slug_kept'])
    expect(await org(eve, 'bare')).toBe('ok')
    expect(await see('stays', 'maps')).toEqual({ owner: 'stays-new', slug: 'maps' })
    expect(await see('given', 'maps')).toEqual({ owner: 'receiver', slug: 'maps' })
  })

  test('an organization that was renamed: its owners rename it back, and make no other under its former name', async () => {
    const [una, eve] = [await signIn('una'), await signIn('eve')]
    await accounts.createOrg(una, { slug: 'acme', displayName: 'Acme' })
    await members.set(una, { slug: 'acme', user: 'eve' }, 'owner')
    await accounts.update(una, 'acme', { slug: 'acme-corp' })
    expect([await org(eve, 'acme'), await org(una, 'acme')]).toEqual(['slug_kept', 'slug_kept'])
    expect(await outcome(accounts.update(eve, 'acme-corp', { slug: 'acme' }))).toBe('ok')
  })

  test('an account that was deleted: the same person, the owners of an organization', async () => {
    const [bea, eve, carl] = [await signIn('bea'), await signIn('eve'), await signIn('carl')]
    await accounts.createOrg(bea, { slug: 'guild', displayName: 'Guild' })
    await members.set(bea, { slug: 'guild', user: 'carl' }, 'owner')
    const path = await publish(bea, 'bea', 'maps')
    await collections.transfer(bea, path, 'guild')
    await accounts.remove(bea, 'bea')
    expect(await see('bea', 'maps')).toEqual({ owner: 'guild', slug: 'maps' })
    expect(await org(eve, 'bea')).toBe('slug_kept')
    expect((await signIn('other', 'bea')).accountSlug).toBe('bea-2')
    const back = await signIn('bea')
    expect([back.accountSlug, back.accountId === bea.accountId]).toEqual(['bea', false])
    // Readers know another owner's collection by this path.
    expect(await outcome(collections.create(back, 'bea', { slug: 'maps' }))).toBe('slug_kept')
    await collections.remove(carl, { owner: 'guild', slug: 'maps' })
    await accounts.remove(carl, 'guild')
    expect([await org(back, 'guild'), await org(eve, 'guild')]).toEqual(['slug_kept', 'slug_kept'])
    expect(await org(carl, 'guild')).toBe('ok')
  })

  test('an erased person: the handle stays reserved, and public data is found', async () => {
    const zoe = await signIn('zoe')
    await publish(zoe, 'zoe', 'maps')
    await collections.create(zoe, 'zoe', { slug: 'private' })
    await operatorsOf(context).erase(root, 'zoe', { confirmed: true })
    const moved = await see('zoe', 'maps')
    expect(moved).toEqual({ owner: expect.stringMatching(/^erased-/), slug: 'maps' })
    expect(await see('zoe', 'private')).toBe('collection_not_found')
    expect(await outcome(accounts.profile('zoe'))).toBe('account_not_found')
    expect((await signIn('zoe')).accountSlug).toBe('zoe-2')
  })

  test('collections: the owner uses a slug again, unless readers know a collection of another owner by it', async () => {
    const [dan, eve] = [await signIn('dan'), await signIn('eve')]
    await accounts.createOrg(dan, { slug: 'dans', displayName: 'D' })
    await accounts.createOrg(eve, { slug: 'eves', displayName: 'E' })
    const create = (who: Caller, owner: string, slug: string) =>
      outcome(collections.create(who, owner, { slug, public: true }))
    const renamed = await publish(dan, 'dan', 'renamed')
    await collections.patch(dan, renamed, { slug: 'renamed-on' })
    await collections.remove(dan, await publish(dan, 'dan', 'deleted'))
    expect([await create(dan, 'dan', 'renamed'), await create(dan, 'dan', 'deleted')]).toEqual(['ok', 'ok'])

    const given = await publish(dan, 'dan', 'given')
    await collections.transfer(dan, given, 'dans')
    expect(await create(dan, 'dan', 'given')).toBe('slug_kept')
    const other = await publish(dan, 'dan', 'other')
    expect(await outcome(collections.patch(dan, other, { slug: 'given' }))).toBe('slug_kept')
    expect(await see('dan', 'given')).toEqual({ owner: 'dans', slug: 'given' })
    // Transfer it back and away again.
    expect(await outcome(collections.transfer(dan, { ...given, owner: 'dans' }, 'dan'))).toBe('ok')
    expect(await see('dan', 'given')).toBe('ok')
    await collections.transfer(dan, given, 'dans')
    await collections.remove(dan, { ...given, owner: 'dans' })
    expect(await create(dan, 'dan', 'given')).toBe('slug_kept')

    const moving = await publish(dan, 'dans', 'moving')
    await members.set(eve, { slug: 'eves', user: 'dan' }, 'admin')
    await collections.transfer(dan, moving, 'eves')
    const fork = forksOf(context).create(dan, other, { targetOrg: 'dans', slug: 'moving' })
    expect(await outcome(fork)).toBe('slug_kept')
    // A slug that was never public is reserved for 90 days.
    await collections.create(dan, 'dan', { slug: 'draft' })
    await collections.transfer(dan, { owner: 'dan', slug: 'draft' }, 'dans')
    expect(await create(dan, 'dan', 'draft')).toBe('slug_kept')
    later += 91 * day
    expect([await create(dan, 'dan', 'draft'), await create(dan, 'dans', 'moving')]).toEqual([
      'ok',
      'slug_kept',
    ])
  })
})
